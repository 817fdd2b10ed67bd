/**
 * What a repair keeps of a file: every good line, also those glued to others, in the order of their seqs, each record
 * once. What counts is decided by the same scanner that every reader uses; beside that, a good record that stands behind
 * later ones goes back to its place.
 */

import type { Checkpoint } from "../record/checkpoint.ts";
import { decodeLine } from "../record/decode.ts";
import type { Entry } from "../record/entry.ts";
import { LogScanner, type ScannedLine } from "../record/scan.ts";
import type { ByteSource } from "./byte-source.ts";
import type { PartWriter } from "./part-writer.ts";
import { readLines } from "./read-lines.ts";
import { salvageLine } from "./salvage-lines.ts";

export interface GoodLines {
  readonly source: ByteSource;
  readonly writtenBy: string;
  /** Behind the header. */
  readonly from: number;
  readonly to: number;
  readonly seqBefore: number;
  /** The last record that is the session's; `undefined`: whatever is there. */
  readonly last: number | undefined;
}

/** Records out of order are held in memory; what is more than this is lost, but kept aside like all damage. */
const MAX_LATE_BYTES = 64 * 1024 * 1024;

export async function copyGoodLines(lines: GoodLines, writer: PartWriter): Promise<void> {
  const last = lines.last ?? Infinity;
  /** Where the batch ends of which only the beginning is the session's: kept whole, or no reader would take it. */
  let end = last;
  const late = await findLate(lines);
  const takeLate = (before: number): void => {
    for (let next = late[0]; next !== undefined && next.entry.seq < before; next = late[0]) {
      writer.entry(next.entry, next.line);
      late.shift();
    }
  };
  const { seq } = await walk(lines, {
    entry: (entry, line) => {
      if (entry.seq > end) return;
      takeLate(entry.seq);
      writer.entry(entry, line);
      const { index, size } = entry.batch ?? { index: 1, size: 1 };
      if (entry.seq <= last) end = Math.max(end, entry.seq - index + size);
    },
    checkpoint: ({ state }) => {
      if (state.seq > last) return;
      takeLate(state.seq + 1);
      writer.checkpoint(state);
    },
    lost: (range, line) => {
      if (range.last > last) return;
      takeLate(range.last + 1);
      writer.lostBefore(range.first, range.last, line);
    },
    aside: (line) => writer.aside(line),
    again: () => undefined,
    chunk: async () => await writer.drain(),
  });
  writer.lostUpTo(lines.last ?? seq);
  if (lines.last !== undefined) writer.endBatch(end);
}

interface LateLine {
  readonly entry: Entry;
  readonly line: Buffer;
}

/** Good records that come after later ones and are nowhere else, by seq. */
async function findLate(lines: GoodLines): Promise<LateLine[]> {
  /** Runs of seqs that were passed over. */
  const gaps: { first: number; last: number }[] = [];
  const late = new Map<number, LateLine>();
  let before = lines.seqBefore;
  let bytes = 0;
  const pass = (next: number, end: number): void => {
    if (next > before + 1) gaps.push({ first: before + 1, last: next - 1 });
    before = Math.max(before, end);
  };
  await walk(lines, {
    entry: ({ seq }) => pass(seq, seq),
    checkpoint: ({ state }) => pass(state.seq + 1, state.seq),
    lost: ({ last }) => pass(last + 1, last),
    aside: () => undefined,
    again: (entry, line) => {
      const isMissed = gaps.some(({ first, last }) => entry.seq >= first && entry.seq <= last);
      if (!isMissed || late.has(entry.seq) || bytes + line.length > MAX_LATE_BYTES) return;
      bytes += line.length;
      late.set(entry.seq, { entry, line: Buffer.from(line) });
    },
    chunk: async () => await Promise.resolve(),
  });
  return [...late.values()].sort((one, other) => one.entry.seq - other.entry.seq);
}

interface Visitor {
  entry(entry: Entry, line: Buffer): void;
  checkpoint(checkpoint: Checkpoint): void;
  /** From an earlier repair. */
  lost(range: { readonly first: number; readonly last: number }, line: Buffer): void;
  aside(line: Buffer): void;
  /** A record whose seq is behind us. */
  again(entry: Entry, line: Buffer): void;
  chunk(): Promise<void>;
}

/** Lines are without their newlines. Resolves with the last seq, counting damaged records at the end. */
async function walk(lines: GoodLines, visitor: Visitor): Promise<{ readonly seq: number }> {
  const { source, writtenBy, from, to, seqBefore } = lines;
  /** Records that the scanner has not decided on yet, by their offsets. */
  const undecided = new Map<number, { entry: Entry; line: Buffer }>();
  const scanner = new LogScanner(
    writtenBy,
    { offset: from, seqBefore },
    {
      entry: (entry, offset) => {
        const line = undecided.get(offset)?.line;
        if (line === undefined) throw new Error(`the line at byte ${offset} was not kept for its record`);
        undecided.delete(offset);
        visitor.entry(entry, line);
      },
      checkpoint: (checkpoint) => visitor.checkpoint(checkpoint),
      damage: ({ offset, bytes }) => {
        const refused = undecided.get(offset);
        // A gap has no bytes: the record behind it begins there.
        if (bytes === 0 || refused === undefined) return;
        undecided.delete(offset);
        visitor.again(refused.entry, refused.line);
      },
    },
  );
  const take = (line: ScannedLine): void => {
    const { content, offset } = line;
    const decoded = content === undefined ? undefined : decodeLine(content, writtenBy);
    if (content !== undefined && decoded?.kind === "entry")
      undecided.set(offset, { entry: decoded.entry, line: content });
    scanner.line(line);
    if (content === undefined) return;
    if (decoded?.kind === "aside") visitor.aside(content);
    if (decoded?.kind === "lost") visitor.lost(decoded, content);
  };
  for await (const chunk of readLines(source, from, to)) {
    for (const line of chunk) {
      for (const piece of salvageLine(line, writtenBy)) take(piece);
    }
    await visitor.chunk();
  }
  return scanner.finish();
}
