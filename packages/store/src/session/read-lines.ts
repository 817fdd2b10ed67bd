/**
 * Lines of a byte source, a chunk's worth at a time, forwards or backwards, in bounded memory: a line longer than any
 * of ours is passed over without being kept.
 */

import { isAscii } from "node:buffer";
import { MAX_LINE_BYTES, NEWLINE } from "../format/format.ts";
import { LineInChunk, type ScannedLine } from "../format/scan-visitor.ts";
import type { ByteSource } from "./byte-source.ts";

const CHUNK_BYTES = 128 * 1024;

export async function* readLines(
  source: ByteSource,
  from: number,
  to: number,
  chunkBytes: number = CHUNK_BYTES,
): AsyncIterable<readonly ScannedLine[]> {
  let held: Buffer[] = [];
  let lineStart = from;
  let length = chunkBytes;
  for (let position = from; position < to;) {
    const chunk = await readChunk(source, position, Math.min(to, position + length));
    if (chunk.length === 0) break;
    const lines: ScannedLine[] = [];
    const isPlain = isAscii(chunk);
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      if (start > 0 || lineStart === position) {
        lines.push(new LineInChunk(lineStart, chunk, start, newline, isPlain));
      } else {
        const bytes = position + newline + 1 - lineStart;
        const content = joined(held, chunk.subarray(0, newline), bytes - 1);
        lines.push({ offset: lineStart, content, bytes, terminated: true });
      }
      start = newline + 1;
      lineStart = position + start;
    }
    position += chunk.length;
    // Beyond the limit nothing is kept but the count.
    if (position - lineStart > MAX_LINE_BYTES) held = [];
    else if (start > 0) held = [chunk.subarray(start)];
    else held.push(chunk);
    if (lines.length > 0) yield lines;
    else length = longer(length);
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
  chunkBytes: number = CHUNK_BYTES,
): AsyncIterable<readonly ScannedLine[]> {
  /** The end of the line whose beginning is being looked for, and the pieces of it read so far. */
  let lineEnd = to;
  let held: Buffer[] = [];
  let length = chunkBytes;
  for (let end = to; end > from;) {
    const position = Math.max(from, end - length);
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
    else length = longer(length);
  }
  if (lineEnd > from) yield [lineOf(held, from, lineEnd)];
}

/** For the next chunk of a line that is longer than this one: a long line takes few reads. */
function longer(length: number): number {
  return Math.max(length, Math.min(length * 2, CHUNK_BYTES));
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
