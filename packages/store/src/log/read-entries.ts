/** The good records of a scanned log within a range of seqs. What is damaged was reported by the scan. */

import { decodeLine } from "../record/decode.ts";
import type { Header } from "../record/encode.ts";
import type { Entry } from "../record/entry.ts";
import type { ScanDamage, ScannedLine } from "../record/scan.ts";
import type { ByteSource } from "./byte-source.ts";
import { readLines, readLinesBackwards } from "./read-lines.ts";
import type { SeqMarks } from "./seq-marks.ts";

export interface ReadableLog {
  readonly header: Header;
  readonly headerBytes: number;
  readonly end: number;
  readonly damage: readonly ScanDamage[];
  readonly marks: SeqMarks;
}

export interface SeqBounds {
  readonly from: number;
  readonly to: number;
  readonly reverse: boolean;
}

export async function* readEntries(
  source: ByteSource,
  log: ReadableLog,
  bounds: SeqBounds,
): AsyncIterable<Entry> {
  const { from, to, reverse } = bounds;
  if (from > to) return;
  const first = log.marks.atOrBefore(from) ?? log.headerBytes;
  const behind = Math.min(log.marks.after(to) ?? log.end, log.end);
  // A line that reads well may still not count: the second with its seq.
  const rejected = new Set(log.damage.filter(({ bytes }) => bytes > 0).map(({ offset }) => offset));
  const chunks = reverse ? readLinesBackwards(source, first, behind) : readLines(source, first, behind);
  for await (const lines of chunks) {
    for (const line of lines) {
      const entry = rejected.has(line.offset) ? undefined : goodEntry(line, log.header.id);
      if (entry !== undefined && entry.seq >= from && entry.seq <= to) yield entry;
    }
  }
}

function goodEntry({ content }: ScannedLine, sessionId: string): Entry | undefined {
  if (content === undefined) return undefined;
  const decoded = decodeLine(content, sessionId);
  return decoded.kind === "entry" ? decoded.entry : undefined;
}
