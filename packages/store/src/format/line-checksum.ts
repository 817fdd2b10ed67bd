/**
 * Lines with a checksum as their last field: `{…,"crc":"5f2a90c1"}`. It covers every byte before it and is salted, so
 * that a good line from elsewhere fails. Session files and journal heads are made of these.
 */

import { isAscii, isUtf8 } from "node:buffer";
import { checksum, saltedSum } from "./checksum.ts";

/** Length of `,"crc":"5f2a90c1"}`. */
export const CHECKSUM_FIELD_BYTES = 18;

const SEAL = /^,"crc":"([0-9a-f]{8})"\}$/;
const SEAL_AT_END = /,"crc":"([0-9a-f]{8})"\}\r?\n?$/;
/** In the place of the checksum of a line that has none. */
export const NO_SUM = "00000000";

/** `open` is a JSON object without its closing brace; `rest`: what comes behind it, before the brace. The line ends with a newline. */
export function withChecksum(open: string, salt: string, rest = ""): Buffer {
  const room = (open.length + rest.length) * MAX_UNIT_BYTES + CHECKSUM_FIELD_BYTES + 1;
  if (room > LINES_BYTES - linesEnd) {
    if (room > LINES_BYTES / 2) return lineIn(Buffer.allocUnsafe(sizeOf(open, rest)), 0, open, salt, rest);
    lines = Buffer.allocUnsafeSlow(LINES_BYTES);
    linesEnd = 0;
  }
  const line = lineIn(lines, linesEnd, open, salt, rest);
  linesEnd += line.length;
  return line;
}

/** Of one UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;
/**
 * Lines are made in a block of memory that many share: one for each would be the most work of making it. They live until
 * they are in their file, so that they do not keep the block for long.
 */
const LINES_BYTES = 64 * 1024;
let lines = Buffer.alloc(0);
let linesEnd: number = LINES_BYTES;

function sizeOf(open: string, rest: string): number {
  return Buffer.byteLength(open) + Buffer.byteLength(rest) + CHECKSUM_FIELD_BYTES + 1;
}

/** There is room for it. */
function lineIn(buffer: Buffer, start: number, open: string, salt: string, rest: string): Buffer {
  let end = start + buffer.write(open, start, "utf8");
  if (rest !== "") end += buffer.write(rest, end, "utf8");
  const sum = checksum(salt, buffer.subarray(start, end));
  end += buffer.write(`${checksumField(sum)}\n`, end, "latin1");
  return buffer.subarray(start, end);
}

/** `sum` in hexadecimal digits. */
export function checksumField(sum: string): string {
  return `,"crc":"${sum}"}`;
}

/** The object without its closing brace again, if the checksum matches. `line` is without its newline. */
export function checkLine(line: Buffer, salt: string): string | undefined {
  const checked = checkBytes(line, 0, line.length, salt);
  return checked === undefined ? undefined : decodeText(checked);
}

/** Text as bytes of a buffer. ASCII is Latin-1 too, which is decoded faster. */
export interface EncodedText {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
  readonly encoding: "latin1" | "utf8";
}

/** The bytes of `checkLine`, before they become a string: of the line from `start` to `end`. `isPlain`: it is known to be ASCII. */
export function checkBytes(
  buffer: Buffer,
  start: number,
  end: number,
  salt: string,
  isPlain = false,
): EncodedText | undefined {
  // An editor or a transfer may have turned \n into \r\n; the checksum tells whether more has changed.
  const covered = (buffer[end - 1] === 0x0d ? end - 1 : end) - CHECKSUM_FIELD_BYTES;
  if (covered <= start) return undefined;
  const sum = sumInField(buffer, covered);
  if (sum === -1) return undefined;
  const bytes = buffer.subarray(start, covered);
  if (sum !== saltedSum(salt, bytes)) return undefined;
  if (isPlain || isAscii(bytes)) return { buffer, start, end: covered, encoding: "latin1" };
  // A sum may be right over bytes that are no text; decoding would put U+FFFD in their place.
  return isUtf8(bytes) ? { buffer, start, end: covered, encoding: "utf8" } : undefined;
}

export function decodeText({ buffer, start, end, encoding }: EncodedText): string {
  return buffer.toString(encoding, start, end);
}

const FIELD_START = Buffer.from(',"crc":"');
const DIGITS = 8;
/** The value of each byte as a hexadecimal digit; -1: it is none, as upper case is not. */
const DIGIT_VALUES: Int8Array = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) DIGIT_VALUES[digit.toString(16).charCodeAt(0)] = digit;

/** The sum in the checksum field that begins at `at`; -1: what is there is no such field. The bytes are there. */
function sumInField(line: Buffer, at: number): number {
  for (let index = 0; index < FIELD_START.length; index++) {
    if (line[at + index] !== FIELD_START[index]) return -1;
  }
  let sum = 0;
  const digits = at + FIELD_START.length;
  for (let index = digits; index < digits + DIGITS; index++) {
    const digit = DIGIT_VALUES[line[index] ?? 0] ?? -1;
    if (digit === -1) return -1;
    sum = (sum << 4) | digit;
  }
  return line[digits + DIGITS] === 0x22 && line[digits + DIGITS + 1] === 0x7d ? sum >>> 0 : -1;
}

/** The checksum at the end of a line, with or without its newline; zeros, if it has none. Whether it is right is not looked at. */
export function lineSum(line: Buffer): string {
  return (
    SEAL_AT_END.exec(line.toString("latin1", Math.max(0, line.length - CHECKSUM_FIELD_BYTES - 2)))?.[1] ??
    NO_SUM
  );
}

export function hasSeal(line: Buffer): boolean {
  return SEAL.test(line.toString("latin1", Math.max(0, line.length - CHECKSUM_FIELD_BYTES)));
}
