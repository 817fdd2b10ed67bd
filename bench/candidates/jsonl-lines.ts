/** Lines of a JSONL file as bytes: forwards in chunks, and the place where the last ones begin. */

import { fstatSync, readSync } from "node:fs";

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
const TAIL_BYTES = 128 * 1024;

export function* linesOf(bytes: Buffer): Iterable<Buffer> {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

/** A line is valid until the next one is asked for. */
export function* readLines(descriptor: number, from: number): Iterable<Buffer> {
  const { size } = fstatSync(descriptor);
  let chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - from));
  for (let position = from; position < size;) {
    const bytes = chunk.subarray(0, readSync(descriptor, chunk, 0, chunk.length, position));
    yield* linesOf(bytes);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    // A line that is longer than the chunk.
    if (end === 0) chunk = Buffer.allocUnsafe(chunk.length * 2);
    position += end;
    if (end === 0 && position + bytes.length >= size) return;
  }
}

/** The offset at which the last `count` lines begin. Reads backwards. */
export function tailStart(descriptor: number, size: number, count: number): number {
  for (let bytes = TAIL_BYTES; ; bytes *= 4) {
    const start = Math.max(0, size - bytes);
    const end = Buffer.allocUnsafe(size - start);
    readSync(descriptor, end, 0, end.length, start);
    let at = end.length - 1;
    let lines = 0;
    while (lines < count && at > 0) {
      at = end.lastIndexOf(NEWLINE, at - 1);
      if (at === -1) break;
      lines += 1;
    }
    if (lines === count && at !== -1) return start + at + 1;
    if (start === 0) return 0;
  }
}
