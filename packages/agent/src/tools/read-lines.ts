/** A range of lines of a file that may be larger than memory. */

import type { FileHandle } from "node:fs/promises";
import { beforeCharacter } from "./cap-result.ts";

export interface LineRange {
  /** The first line, from 1. */
  readonly from: number;
  readonly lines: number;
  readonly maxBytes: number;
}

export interface LinesRead {
  readonly bytes: Buffer;
  /** Whole lines in `bytes`; the last one of a file need not end with a line feed. */
  readonly lines: number;
  /** The last line in `bytes` is longer than what fits, and cut. */
  readonly isCut: boolean;
  /** Nothing of the file comes after `bytes`. */
  readonly isEnd: boolean;
  /** Lines before `from` that exist: less than asked for where the file is shorter. */
  readonly skipped: number;
}

const LINE_FEED = 0x0a;
const CHUNK = 64 * 1024;

export async function readLines(
  handle: FileHandle,
  range: LineRange,
  signal: AbortSignal,
): Promise<LinesRead> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let skipped = 0;
  let position = 0;
  // One byte more than may be shown tells whether there is more.
  while (keptBytes <= range.maxBytes) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let start = 0;
    while (skipped < range.from - 1) {
      const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED, start);
      if (end === -1) break;
      start = end + 1;
      skipped++;
    }
    if (skipped < range.from - 1) continue;
    kept.push(buffer.subarray(start, bytesRead));
    keptBytes += bytesRead - start;
  }
  return { ...cutLines(Buffer.concat(kept), range), skipped };
}

function cutLines(found: Buffer, range: LineRange): Omit<LinesRead, "skipped"> {
  let end = 0;
  let lines = 0;
  while (lines < range.lines && end < found.length) {
    const lineFeed = found.indexOf(LINE_FEED, end);
    const next = lineFeed === -1 ? found.length : lineFeed + 1;
    if (next > range.maxBytes) break;
    end = next;
    lines++;
  }
  if (lines > 0 || found.length === 0)
    return { bytes: found.subarray(0, end), lines, isCut: false, isEnd: end === found.length };
  const cut = beforeCharacter(found, range.maxBytes);
  return { bytes: found.subarray(0, cut), lines: 1, isCut: true, isEnd: false };
}
