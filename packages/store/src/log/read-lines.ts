/**
 * Lines of a byte source, a chunk's worth at a time, forwards or backwards, in bounded memory: a line longer than any
 * of ours is passed over without being kept.
 */

import { MAX_LINE_BYTES, NEWLINE } from "../record/format.ts";
import type { ScannedLine } from "../record/scan.ts";
import type { ByteSource } from "./byte-source.ts";

const CHUNK_BYTES = 256 * 1024;

export async function* readLines(
  source: ByteSource,
  from: number,
  to: number,
): AsyncIterable<readonly ScannedLine[]> {
  let held: Buffer[] = [];
  let lineStart = from;
  for (let position = from; position < to;) {
    const chunk = await readChunk(source, position, Math.min(to, position + CHUNK_BYTES));
    if (chunk.length === 0) break;
    const lines: ScannedLine[] = [];
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      const bytes = position + newline + 1 - lineStart;
      const content = joined(held, chunk.subarray(start, newline), bytes - 1);
      lines.push({ offset: lineStart, content, bytes, terminated: true });
      held = [];
      start = newline + 1;
      lineStart = position + start;
    }
    position += chunk.length;
    // Beyond the limit nothing is kept but the count.
    if (position - lineStart <= MAX_LINE_BYTES) held.push(chunk.subarray(start));
    else held = [];
    if (lines.length > 0) yield lines;
  }
  const rest = Math.min(to, source.size) - lineStart;
  if (rest > 0)
    yield [
      { offset: lineStart, content: joined(held, Buffer.alloc(0), rest), bytes: rest, terminated: false },
    ];
}

/** Newest first. `to` is the end of a line, or of a file whose last line lacks its newline. */
export async function* readLinesBackwards(
  source: ByteSource,
  from: number,
  to: number,
): AsyncIterable<readonly ScannedLine[]> {
  /** The end of the line whose beginning is being looked for, and the pieces of it read so far. */
  let lineEnd = to;
  let held: Buffer[] = [];
  for (let end = to; end > from;) {
    const position = Math.max(from, end - CHUNK_BYTES);
    const chunk = await readChunk(source, position, end);
    const lines: ScannedLine[] = [];
    let stop = chunk.length;
    for (;;) {
      const newline = lastNewlineBefore(chunk, Math.min(stop, lineEnd - 1 - position));
      if (newline === -1) break;
      held.unshift(chunk.subarray(newline + 1, stop));
      lines.push(lineOf(held, position + newline + 1, lineEnd));
      held = [];
      stop = newline + 1;
      lineEnd = position + stop;
    }
    if (lineEnd - position <= MAX_LINE_BYTES) held.unshift(chunk.subarray(0, stop));
    else held = [];
    end = position;
    if (lines.length > 0) yield lines;
  }
  if (lineEnd > from) yield [lineOf(held, from, lineEnd)];
}

function lastNewlineBefore(chunk: Buffer, limit: number): number {
  return limit <= 0 ? -1 : chunk.lastIndexOf(NEWLINE, limit - 1);
}

function lineOf(pieces: readonly Buffer[], offset: number, end: number): ScannedLine {
  const bytes = end - offset;
  const whole = joined(pieces, Buffer.alloc(0), bytes);
  const terminated = whole === undefined || whole.at(-1) === NEWLINE;
  return { offset, content: terminated ? whole?.subarray(0, -1) : whole, bytes, terminated };
}

function joined(held: readonly Buffer[], last: Buffer, length: number): Buffer | undefined {
  if (length > MAX_LINE_BYTES) return undefined;
  return held.length === 0 ? last : Buffer.concat([...held, last]);
}

async function readChunk(source: ByteSource, from: number, to: number): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(to - from);
  return chunk.subarray(0, await source.read(chunk, from));
}
