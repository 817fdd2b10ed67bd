import { reasonText } from "../../src/format/damage-reason.ts";
import type { Entry } from "../../src/format/entry.ts";
import { NEWLINE } from "../../src/format/format.ts";
import {
  LogScanner,
  type ScanDamage,
  type ScanEnd,
  type ScannedLine,
  type ScanStart,
} from "../../src/format/scan.ts";

/** With the words of its reason. */
export type ToldDamage = Omit<ScanDamage, "reason"> & { readonly reason: string };

export interface ScannedBytes extends Omit<ScanEnd, "torn"> {
  readonly torn: ToldDamage | undefined;
  readonly entries: readonly Entry[];
  /** Of the lines that were served. */
  readonly offsets: readonly number[];
  readonly damage: readonly ToldDamage[];
  readonly refused: readonly Entry[];
  /** Seqs of those that count. */
  readonly checkpoints: readonly number[];
}

/** Scans the lines of a session file, its header left out. Every line is decoded in full. */
export function scanBytes(bytes: Buffer, sessionId: string, start: ScanStart = BEGINNING): ScannedBytes {
  return scanLines(splitLines(bytes, start.offset), sessionId, start);
}

const BEGINNING: ScanStart = { offset: 0, seqBefore: 0 };

/** In the plainest way. */
function* splitLines(bytes: Buffer, from: number): Iterable<ScannedLine> {
  for (let start = from; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const next = newline === -1 ? end : end + 1;
    const content = bytes.subarray(start, end);
    yield { offset: start, content, bytes: next - start, terminated: newline !== -1 };
    start = next;
  }
}

export function scanLines(lines: Iterable<ScannedLine>, sessionId: string, start: ScanStart): ScannedBytes {
  const entries: Entry[] = [];
  const offsets: number[] = [];
  const damage: ToldDamage[] = [];
  const refused: Entry[] = [];
  const checkpoints: number[] = [];
  const scanner = new LogScanner(sessionId, start, {
    entry: (entry, { offset }) => {
      entries.push(entry);
      offsets.push(offset);
    },
    checkpoint: ({ state }) => checkpoints.push(state.seq),
    refused: (entry) => refused.push(entry),
    damage: (place) => damage.push(told(place)),
  });
  for (const line of lines) scanner.line(line);
  const end = scanner.finish();
  const torn = end.torn === undefined ? undefined : told(end.torn);
  return { entries, offsets, damage, refused, checkpoints, ...end, torn };
}

function told(damage: ScanDamage): ToldDamage {
  return { ...damage, reason: reasonText(damage.reason) };
}
