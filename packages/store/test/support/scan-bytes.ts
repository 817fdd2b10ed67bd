import type { Entry } from "../../src/record/entry.ts";
import { NEWLINE } from "../../src/record/format.ts";
import { LogScanner, type ScanDamage, type ScanEnd } from "../../src/record/scan.ts";

export interface ScannedBytes extends ScanEnd {
  readonly entries: readonly Entry[];
  /** Of the lines that were served. */
  readonly offsets: readonly number[];
  readonly damage: readonly ScanDamage[];
  readonly refused: readonly Entry[];
  /** Seqs of those that count. */
  readonly checkpoints: readonly number[];
}

/** Scans the lines of a session file, its header left out. */
export function scanBytes(bytes: Buffer, sessionId: string): ScannedBytes {
  const entries: Entry[] = [];
  const offsets: number[] = [];
  const damage: ScanDamage[] = [];
  const refused: Entry[] = [];
  const checkpoints: number[] = [];
  const scanner = new LogScanner(
    sessionId,
    { offset: 0, seqBefore: 0 },
    {
      entry: (entry, { offset }) => {
        entries.push(entry);
        offsets.push(offset);
      },
      checkpoint: ({ state }) => checkpoints.push(state.seq),
      refused: (entry) => refused.push(entry),
      damage: (place) => damage.push(place),
    },
  );
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const next = newline === -1 ? end : end + 1;
    scanner.line({
      offset: start,
      content: bytes.subarray(start, end),
      bytes: next - start,
      terminated: newline !== -1,
    });
    start = next;
  }
  return { entries, offsets, damage, refused, checkpoints, ...scanner.finish() };
}
