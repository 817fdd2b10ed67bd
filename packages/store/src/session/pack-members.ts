/**
 * A sealed segment as gzip members of whole lines, one after another, in bounded memory. Unpacked they are the same
 * bytes again, damaged lines too.
 */

import { LonghandError } from "../errors.ts";
import { NEWLINE } from "../format/format.ts";
import type { ByteSource } from "./byte-source.ts";
import { encodeMember, MAX_CONTENT_BYTES } from "./gzip-member.ts";

/** As many whole lines as fit; a longer line is a member of its own. Small, so that damage costs little. */
export const PACKED_BYTES: number = 256 * 1024;

/** The first `bytes` of the source, which it must have. */
export async function* packMembers(source: ByteSource, bytes: number): AsyncIterable<Buffer> {
  for (let start = 0; start < bytes;) {
    const content = await wholeLines(source, start, bytes);
    yield encodeMember(content);
    start += content.length;
  }
}

async function wholeLines(source: ByteSource, start: number, end: number): Promise<Buffer> {
  const bytes = await readExactly(source, start, Math.min(end, start + PACKED_BYTES));
  if (start + bytes.length === end) return bytes;
  const newline = bytes.lastIndexOf(NEWLINE);
  return newline === -1 ? await longLine(source, start, end, bytes) : bytes.subarray(0, newline + 1);
}

/** A line longer than any of ours is cut: that it is damage shows when it is read, and it must not fill the memory. */
async function longLine(source: ByteSource, start: number, end: number, beginning: Buffer): Promise<Buffer> {
  const pieces = [beginning];
  const limit = Math.min(end, start + MAX_CONTENT_BYTES);
  for (let position = start + beginning.length; position < limit;) {
    const piece = await readExactly(source, position, Math.min(limit, position + PACKED_BYTES));
    const newline = piece.indexOf(NEWLINE);
    pieces.push(newline === -1 ? piece : piece.subarray(0, newline + 1));
    if (newline !== -1) break;
    position += piece.length;
  }
  return Buffer.concat(pieces);
}

async function readExactly(source: ByteSource, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from);
  const count = await source.read(bytes, from);
  if (count === bytes.length) return bytes;
  throw new LonghandError("IO_FAILED", `a segment ended at byte ${from + count} while it was compressed`, {
    offset: from + count,
  });
}
