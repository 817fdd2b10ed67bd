/**
 * Looks at the memory for `longhand doctor`: its directory, and the store in it that holds the truth. Reads only; where
 * nothing was ever remembered there is no problem. A memory that cannot be used must not be told as one that is well.
 */

import { join } from "node:path";
import { inStore, type ToPaste } from "../terminal/command-to-paste.ts";
import { examineConsolidation } from "./examine-consolidation.ts";
import { examineDirectory } from "./examine-directory.ts";
import { type ContentFacts, examineContent } from "./examine-store.ts";
import { findProblems, NO_CONTENT, type Problem } from "./find-problems.ts";

export interface ExaminedMemory {
  /** `undefined`: there is no store in it that could be looked at. */
  readonly content: ContentFacts | undefined;
  /** Conversations whose turns wait to be consolidated. */
  readonly waiting: number;
  /** Conversations with nothing left but a last turn that has no answer. */
  readonly open: number;
  readonly problems: readonly Problem[];
}

export async function examineMemory(
  path: string,
  now: number,
  pasteCommand: ToPaste,
  onProgress: (done: number, total: number) => void,
): Promise<ExaminedMemory> {
  const option = "--memory";
  const store = join(path, "store");
  // What helps in this store must be done in this store.
  const toPaste = inStore(pasteCommand, store);
  const directory = await examineDirectory(path);
  if (!directory.exists) return { content: undefined, waiting: 0, open: 0, problems: [] };
  const outer = findProblems({ path, directory, content: NO_CONTENT, option }, toPaste);
  if (!directory.isDirectory || directory.failure !== undefined)
    return { content: undefined, waiting: 0, open: 0, problems: outer };
  const inner = await examineDirectory(store);
  const isReadable = inner.isDirectory && inner.failure === undefined;
  const content = isReadable ? await examineContent(store, toPaste, onProgress) : undefined;
  const examined = { path: store, directory: inner, content: content ?? NO_CONTENT, option } as const;
  // That the store cannot be made is told of the directory it would be in.
  const within = inner.exists ? findProblems(examined, toPaste) : [];
  const consolidation = isReadable
    ? await examineConsolidation(path, now, pasteCommand)
    : { waiting: 0, open: 0, problems: [] };
  const problems = [...outer, ...within, ...consolidation.problems];
  return { content, waiting: consolidation.waiting, open: consolidation.open, problems };
}
