import { crc32 } from "node:zlib";

/**
 * CRC-32 over the salt, then the bytes. A line is salted with the id of its session, so that a good line of another
 * session fails here.
 */
export function checksum(salt: string, bytes: Uint8Array | string): string {
  return crc32(bytes, crc32(salt)).toString(16).padStart(8, "0");
}
