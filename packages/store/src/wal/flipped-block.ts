/**
 * A block of which one bit was turned since it was written. The last block of a journal would otherwise look like one
 * that a crash has cut short, and what was acknowledged with it would be lost in silence. Believed only if it is proven:
 * by its checksum, and by those of all the lines in it.
 */

import { checksum } from "../format/checksum.ts";
import { NEWLINE } from "../format/format.ts";
import { checkLine } from "../format/line-checksum.ts";
import { findFlippedBit } from "../format/flipped-bit.ts";
import { blockSalt, decodeBlock, FIRST_LINE_LIMIT, readFirstLine, type Block } from "./block.ts";
import type { JournalHead } from "./head.ts";

/** The block of this generation and number at `start`, as it was written. */
export function decodeFlippedBlock(
  bytes: Buffer,
  start: number,
  head: JournalHead,
  number: number,
): Block | undefined {
  if (start >= bytes.length) return undefined;
  const rest = bytes.subarray(start);
  const block = turnInPayload(rest, head, number) ?? turnInFirstLine(rest, head, number);
  return block?.records.every(({ session, bytes: lines }) => areWhole(lines, session)) === true
    ? block
    : undefined;
}

function turnInPayload(bytes: Buffer, head: JournalHead, number: number): Block | undefined {
  const first = readFirstLine(bytes, 0);
  if (first?.generation !== head.generation || first.number !== number) return undefined;
  const payload = bytes.subarray(first.length, first.length + first.payloadBytes);
  if (payload.length !== first.payloadBytes) return undefined;
  const found = checksum(blockSalt(head, number, payload.length), payload);
  const flipped = findFlippedBit(payload.length, found, first.sum);
  return flipped === undefined
    ? undefined
    : turnAndDecode(payload, flipped.index, flipped.mask, bytes, head, number);
}

function turnInFirstLine(bytes: Buffer, head: JournalHead, number: number): Block | undefined {
  const start = Buffer.from(`{"generation":${head.generation},"block":${number},"bytes":`);
  const other = start.findIndex((byte, index) => byte !== bytes[index]);
  if (other !== -1) {
    const mask = (bytes[other] ?? 0) ^ (start[other] ?? 0);
    return (mask & (mask - 1)) === 0 ? turnAndDecode(bytes, other, mask, bytes, head, number) : undefined;
  }
  const end = Math.min(readFirstLine(bytes, 0)?.length ?? FIRST_LINE_LIMIT, bytes.length);
  for (let index = start.length; index < end; index++) {
    for (let mask = 1; mask < 256; mask *= 2) {
      const block = turnAndDecode(bytes, index, mask, bytes, head, number);
      if (block !== undefined) return block;
    }
  }
  return undefined;
}

/** In place, since what lies behind may be long, and turned back again: a block has a copy of its bytes. */
function turnAndDecode(
  part: Buffer,
  index: number,
  mask: number,
  bytes: Buffer,
  head: JournalHead,
  number: number,
): Block | undefined {
  part[index] = (part[index] ?? 0) ^ mask;
  const length = decodeBlock(bytes, 0, head, number)?.bytes;
  const copy = length === undefined ? undefined : Buffer.from(bytes.subarray(0, length));
  part[index] ^= mask;
  return copy && decodeBlock(copy, 0, head, number);
}

function areWhole(lines: Buffer, session: string): boolean {
  for (let start = 0; start < lines.length;) {
    const newline = lines.indexOf(NEWLINE, start);
    if (newline === -1 || checkLine(lines.subarray(start, newline), session) === undefined) return false;
    start = newline + 1;
  }
  return true;
}
