/**
 * The checksum with which a line ends, as what identifies it: a record in a journal names that of the line it was written
 * after. Two histories of one session differ in it, since a line has its seq and its time. Pure.
 */

import { CHECKSUM_FIELD_BYTES, checksumField } from "./line-checksum.ts";

/** So many bytes before a position show how the line before it ends: its checksum, and \n or \r\n. */
export const LINE_END_BYTES: number = CHECKSUM_FIELD_BYTES + 2;

const LINE_END = /,"crc":"([0-9a-f]{8})"\}\r?\n$/;

/** Of the line that ends where these bytes do; `undefined`: no line of ours ends there. */
export function lastSum(bytes: Buffer): string | undefined {
  return LINE_END.exec(bytes.toString("latin1", Math.max(0, bytes.length - LINE_END_BYTES)))?.[1];
}

/** Does a line with this checksum end where these bytes do, as it was written or with one bit flipped since? */
export function endsWithSum(bytes: Buffer, sum: string): boolean {
  return ["\n", "\r\n"].some((newline) => {
    const expected = Buffer.from(`${checksumField(sum)}${newline}`, "latin1");
    const found = bytes.subarray(Math.max(0, bytes.length - expected.length));
    return found.length === expected.length && flippedBits(found, expected) <= 1;
  });
}

function flippedBits(found: Buffer, expected: Buffer): number {
  let count = 0;
  for (const [at, byte] of expected.entries()) {
    for (let rest = (found[at] ?? 0) ^ byte; rest !== 0; rest &= rest - 1) count++;
  }
  return count;
}
