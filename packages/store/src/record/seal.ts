/**
 * Lines with a checksum as their last field: `{…,"crc":"5f2a90c1"}`. It covers every byte before it and is salted, so
 * that a good line from elsewhere fails. Session files and journal heads are made of these.
 */

import { isUtf8 } from "node:buffer";
import { checksum } from "./checksum.ts";

/** Length of `,"crc":"5f2a90c1"}`. */
export const SEAL_BYTES = 18;

const SEAL = /^,"crc":"([0-9a-f]{8})"\}$/;
const SEAL_AT_END = /,"crc":"([0-9a-f]{8})"\}\r?\n?$/;
/** In the place of the checksum of a line that has none. */
export const NO_SUM = "00000000";

/** `open` is a JSON object without its closing brace. The line ends with a newline. */
export function sealLine(open: string, salt: string): Buffer {
  const covered = Buffer.byteLength(open);
  const line = Buffer.allocUnsafe(covered + SEAL_BYTES + 1);
  line.write(open, 0, "utf8");
  line.write(`${sealOf(checksum(salt, line.subarray(0, covered)))}\n`, covered, "latin1");
  return line;
}

/** `sum` in hexadecimal digits. */
export function sealOf(sum: string): string {
  return `,"crc":"${sum}"}`;
}

/** The object without its closing brace again, if the checksum matches. `line` is without its newline. */
export function openSealedLine(line: Buffer, salt: string): string | undefined {
  // An editor or a transfer may have turned \n into \r\n; the checksum tells whether more has changed.
  const end = line.at(-1) === 0x0d ? line.length - 1 : line.length;
  const covered = end - SEAL_BYTES;
  if (covered < 1) return undefined;
  const sum = SEAL.exec(line.toString("latin1", covered, end))?.[1];
  if (sum === undefined) return undefined;
  const bytes = line.subarray(0, covered);
  // A sum may be right over bytes that are no text; decoding would put U+FFFD in their place.
  return sum === checksum(salt, bytes) && isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** The checksum at the end of a line, with or without its newline; zeros, if it has none. Whether it is right is not looked at. */
export function lineSum(line: Buffer): string {
  return SEAL_AT_END.exec(line.toString("latin1", Math.max(0, line.length - SEAL_BYTES - 2)))?.[1] ?? NO_SUM;
}

export function hasSeal(line: Buffer): boolean {
  return SEAL.test(line.toString("latin1", Math.max(0, line.length - SEAL_BYTES)));
}
