/** Tells each record behind damaged blocks how much they may have held of its file: a file that ends before it is then no older one. */

import type { JournalRecord } from "./block.ts";

/** The records of blocks that follow each other. */
export interface RecordRun {
  readonly records: readonly JournalRecord[];
  /** How many bytes of the journal before them are damaged. */
  readonly lost: number;
}

export function withLosses(runs: readonly RecordRun[]): readonly JournalRecord[] {
  const [only, ...others] = runs;
  if (only === undefined || others.length === 0) return only?.records ?? [];
  const records: JournalRecord[] = [];
  /** By the file: where the last record of it ends, and what was lost before that. */
  const last = new Map<string, { readonly end: number; readonly lost: number }>();
  for (const { records: own, lost } of runs) {
    for (const record of own) {
      const { session, file, name, offset, bytes } = record;
      const key = `${session}/${file}/${name}`;
      const before = last.get(key);
      const between = lost - (before?.lost ?? 0);
      records.push(between > 0 ? { ...record, lostBefore: { bytes: between, from: before?.end } } : record);
      last.set(key, { end: offset + bytes.length, lost });
    }
  }
  return records;
}
