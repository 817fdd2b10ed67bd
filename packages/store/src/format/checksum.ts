import { crc32 } from "node:zlib";

/**
 * CRC-32 over the salt, then the bytes. A line is salted with the id of its session, so that a good line of another
 * session fails here.
 */
export function checksum(salt: string, bytes: Uint8Array | string): string {
  return inHex(saltedSum(salt, bytes));
}

/** The same as a number. */
export function saltedSum(salt: string, bytes: Uint8Array | string): number {
  if (salt !== lastSalt) {
    lastSaltSum = crc32(salt);
    lastSalt = salt;
  }
  return crc32(bytes, lastSaltSum);
}

/** All lines of a file have one salt. */
let lastSalt = "";
let lastSaltSum = 0;

/** As this file writes them; what is not cannot be gone on from. */
export function isSum(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{8}$/.test(value);
}

/** Of no bytes. */
export const EMPTY_SUM = "00000000";

/** The plain CRC-32 of bytes whose beginning had `sum`. */
export function continueSum(sum: string, bytes: Uint8Array): string {
  return inHex(crc32(bytes, Number.parseInt(sum, 16)));
}

function inHex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
