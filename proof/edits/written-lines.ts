/** What each line of a store was before anything was edited, by docs/format.md alone: whose it is, and which records it speaks of. */

import type { SampleStore } from "../damage/sample-store.ts";
import { journaledLines } from "./journaled-lines.ts";
import { lineFilesOf } from "./line-files.ts";

export interface WrittenLine {
  /** Without its newline. */
  readonly raw: Buffer;
  readonly path: string;
  /** The id that salts it. */
  readonly salt: string;
  readonly isRecord: boolean;
  /** The last record that it speaks of. */
  readonly seq: number;
  /** The first and the last seq of its batch. */
  readonly batch: readonly [first: number, last: number];
  /** The journal of a killed writer has it, whatever becomes of the file. */
  readonly isJournaled: boolean;
}

interface Fields {
  readonly id?: string;
  readonly seq?: number;
  readonly batch?: readonly [index: number, size: number];
  readonly checkpoint?: { readonly seq: number };
  readonly lost?: readonly [first: number, last: number];
}

/** Headers left out. A line that only a journal has belongs into the file that is its session's active one. */
export function writtenLines(store: SampleStore): WrittenLine[] {
  const journaled = journaledLines(store);
  const texts = new Set(journaled.map(({ raw }) => raw.toString("latin1")));
  const paths = new Map<string, string>();
  const inFiles = lineFilesOf(store).flatMap(({ file, lines }) => {
    const salt = fieldsOf(lines[0]).id ?? "";
    if (!file.path.includes("/segments/")) paths.set(salt, file.path);
    return lines.slice(1).map((line) => {
      const raw = line.subarray(0, -1);
      return writtenLine(raw, file.path, salt, texts.has(raw.toString("latin1")));
    });
  });
  const isInFile = new Set(inFiles.map(({ raw }) => raw.toString("latin1")));
  const inJournals = journaled
    .filter(({ raw }) => !isInFile.has(raw.toString("latin1")))
    .map(({ session, raw }) => writtenLine(raw, paths.get(session) ?? "", session, true));
  return [...inFiles, ...inJournals];
}

function writtenLine(raw: Buffer, path: string, salt: string, isJournaled: boolean): WrittenLine {
  const { seq, batch: [index, size] = [1, 1], checkpoint, lost } = fieldsOf(raw);
  const last = seq ?? checkpoint?.seq ?? lost?.[1] ?? 0;
  const first = last - index + 1;
  const batch = [first, first + size - 1] as const;
  return { raw, path, salt, isRecord: seq !== undefined, seq: last, batch, isJournaled };
}

function fieldsOf(line: Buffer | undefined): Fields {
  return JSON.parse(line?.toString() ?? "{}") as Fields;
}

interface Link {
  readonly first: number;
  readonly last: number;
  readonly session?: string;
}

/** Whether a session has this record from a line with this salt: a fork has some of its parent's. */
export class Ownership {
  readonly #chains = new Map<string, readonly Link[]>();

  constructor(store: SampleStore) {
    for (const { file, lines } of lineFilesOf(store)) {
      if (file.path.includes("/segments/")) continue;
      const { id, chain = [] } = JSON.parse(lines[0]?.toString() ?? "{}") as {
        readonly id: string;
        readonly chain?: readonly Link[];
      };
      this.#chains.set(id, chain);
    }
  }

  has(session: string, salt: string, seq: number): boolean {
    const chain = this.#chains.get(session);
    if (chain === undefined) return false;
    const link = chain.find(({ first, last }) => seq >= first && seq <= last);
    return salt === (link?.session ?? session) && (link !== undefined || seq > (chain.at(-1)?.last ?? 0));
  }

  /** The last seq in sealed files. */
  sealedSeq(session: string): number {
    return this.#chains.get(session)?.at(-1)?.last ?? 0;
  }
}
