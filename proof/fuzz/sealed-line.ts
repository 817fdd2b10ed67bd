/** Checksums as docs/format.md describes them, to give a mutated line or block the one that belongs to it. */

import { crc32 } from "node:zlib";

const SEAL = /,"crc":"[0-9a-f]{8}"\}$/;

/** The line without its newline, with the checksum that its bytes have under this salt. */
export function sealAgain(line: Buffer, salt: string): Buffer {
  const text = line.toString("latin1");
  const open = Buffer.from(SEAL.test(text) ? text.replace(SEAL, "") : text.replace(/\}$/, ""), "latin1");
  return Buffer.concat([open, Buffer.from(`,"crc":"${saltedSum(salt, open)}"}`)]);
}

export function saltedSum(salt: string, bytes: Buffer): string {
  return crc32(bytes, crc32(salt)).toString(16).padStart(8, "0");
}
