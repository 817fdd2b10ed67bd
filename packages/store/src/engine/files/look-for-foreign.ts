/** Looks at the files in a store's directory that other programs could have written. Reads their first bytes; changes nothing. */

import type { FileSystem } from "../../host/host.ts";
import { namesIn } from "../../host/names-in.ts";
import {
  ARCHIVED_SUFFIX,
  isSurelyOurs,
  LINES_SUFFIX,
  META_SUFFIX,
  sortForeignNames,
} from "../../migrate/foreign-names.ts";
import { looksLikeSession } from "../../migrate/looks-like-session.ts";
import { hasOurLine } from "../../format/our-line.ts";
import { isForeignFile } from "./foreign-file.ts";
import type { Layout } from "../../format/layout.ts";
import { readBeginning } from "./read-beginning.ts";

/** Paths. */
export interface ForeignFiles {
  /** They look like another program's sessions. */
  readonly similar: readonly string[];
  /** They have the suffix of a session and are neither this store's nor like any other's. */
  readonly other: readonly string[];
}

/** Looks at every file whose name does not tell that it is ours. */
export async function lookForForeign(files: FileSystem, layout: Layout): Promise<ForeignFiles> {
  const similar: string[] = [];
  const other: string[] = [];
  for (const name of namesToLookAt(await filesIn(files, layout))) {
    const verdict = await lookAt(files, layout, name);
    const path = `${layout.directory}/${name}`;
    if (verdict === "similar") similar.push(path);
    else if (verdict === "other" && name.endsWith(LINES_SUFFIX)) other.push(path);
  }
  return { similar, other };
}

/** The names in the directory. */
export async function filesIn(files: FileSystem, { directory }: Layout): Promise<readonly string[]> {
  if ((await files.stat(directory))?.kind === "file") return [];
  return await namesIn(files, directory);
}

/** `ours`: names of session files of this store. They are looked at only beside a sidecar of another program. */
export function namesToLookAt(
  names: readonly string[],
  ours: ReadonlySet<string> = new Set(),
): readonly string[] {
  const { documents, metas, archived, lines } = sortForeignNames(names);
  const isOurs = (stem: string): boolean =>
    isSurelyOurs(stem) || (ours.has(stem + LINES_SUFFIX) && !metas.has(stem));
  return [
    ...documents,
    ...[...metas].map((stem) => stem + META_SUFFIX),
    ...[...archived].map((stem) => stem + ARCHIVED_SUFFIX),
    ...[...lines].filter((stem) => !isOurs(stem)).map((stem) => stem + LINES_SUFFIX),
  ];
}

/** `unknown`: a session of ours that is damaged, or what cannot be read; the reading of it reports that. */
export type Verdict = "ours" | "similar" | "other" | "unknown";

export async function lookAt(files: FileSystem, layout: Layout, name: string): Promise<Verdict> {
  const path = `${layout.directory}/${name}`;
  const start = await readBeginning(files, path);
  if (start === undefined) return "unknown";
  const isSessionName = name.endsWith(LINES_SUFFIX);
  if (isSessionName && hasOurLine(start)) return "ours";
  if (looksLikeSession(name, start)) return "similar";
  if (!isSessionName) return "other";
  return (await isForeignFile({ files, layout }, { path, name, status: "active" })) ? "other" : "unknown";
}
