/** The header line of a session file, whatever its length: a long chain makes a long header. */

import type { HeaderReason } from "../format/damage-reason.ts";
import { NEWLINE } from "../format/format.ts";
import { decodeHeader } from "../format/header.ts";
import type { ScanDamage } from "../format/scan.ts";
import type { ByteSource } from "./byte-source.ts";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const FIRST_READ_BYTES = 4096;
/** 100,000 links of a chain fit; a longer first line is no header. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

export interface HeaderLine {
  /** Without the newline, and without the mark that an editor may have put before it. */
  readonly content: Buffer;
  /** With both: where the lines behind it begin. */
  readonly bytes: number;
  readonly terminated: boolean;
}

/** Where the lines of records begin, for those who know whose the file is. A first line that is no header is scanned like any other: it may be a record. */
export function linesFrom({ content, bytes }: HeaderLine): number {
  return decodeHeader(content).kind === "header" ? bytes : 0;
}

/** The words for a first line that should be the header, wherever it is met. */
export function withHeaderReason(damage: ScanDamage, { content }: HeaderLine): ScanDamage {
  const outcome = decodeHeader(content);
  if (damage.offset !== 0 || damage.bytes === 0 || outcome.kind === "header") return damage;
  const { offset, bytes, kind } = damage;
  // Whose file it is was proven before, in a format that we know: then its number is not what was written.
  const reason: HeaderReason = outcome.kind === "bad" ? outcome.reason : { code: "header-version" };
  return { offset, bytes, kind, reason };
}

export async function readHeaderLine(source: ByteSource): Promise<HeaderLine> {
  for (let length = FIRST_READ_BYTES; ; length *= 8) {
    const buffer = Buffer.allocUnsafe(Math.min(length, source.size));
    const start = buffer.subarray(0, await source.read(buffer, 0));
    const newline = start.indexOf(NEWLINE);
    const isAll = start.length >= source.size || length >= MAX_HEADER_BYTES;
    if (newline === -1 && !isAll) continue;
    const end = newline === -1 ? start.length : newline;
    const terminated = newline !== -1;
    const content = withoutMark(start.subarray(0, end));
    return { content, bytes: terminated ? end + 1 : end, terminated };
  }
}

/** The first line of a file, without the mark that an editor may have put before it. */
export function withoutMark(line: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK;
  return line.subarray(0, length).equals(BYTE_ORDER_MARK) ? line.subarray(length) : line;
}
