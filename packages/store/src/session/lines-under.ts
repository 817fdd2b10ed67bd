/**
 * Lines with a valid checksum that a write at a position would hit, in whole or in part: lines of the file, and whole lines
 * that stand glued together in a bad one. Nothing of them may be destroyed that is not written again elsewhere.
 */

import { checkLine } from "../format/line-checksum.ts";
import { salvageLine } from "../format/salvage-lines.ts";
import type { Patch } from "./byte-source.ts";
import type { FileWindow, LineAt } from "./file-window.ts";

export interface LineUnder {
  readonly offset: number;
  /** Without the newline. */
  readonly content: Buffer;
}

/** Without those that are in the patch, at the same position. */
export async function otherLinesUnder(
  there: FileWindow,
  patch: Patch,
  sessionId: string,
): Promise<readonly LineUnder[]> {
  const { offset, bytes } = patch;
  const end = offset + bytes.length;
  const present = await there.read(offset, end);
  if (present.equals(bytes.subarray(0, present.length))) return [];
  const found: LineUnder[] = [];
  for (let at = offset; at < Math.min(end, there.size);) {
    const line = await there.lineAt(at);
    if (line === undefined) break;
    for (const whole of wholeLinesIn(line, sessionId)) {
      const isHit = whole.offset < end && whole.offset + whole.content.length > offset;
      if (isHit && !isIn(patch, whole)) found.push(whole);
    }
    at = line.offset + line.bytes;
  }
  return found;
}

/** The header is the one line that is not salted with the session's id. */
export function isWholeLine({ offset, content }: LineUnder, sessionId: string): boolean {
  return checkLine(content, offset === 0 ? "" : sessionId) !== undefined;
}

function wholeLinesIn(line: LineAt, sessionId: string): readonly LineUnder[] {
  const { offset, content, bytes } = line;
  if (isWholeLine(line, sessionId)) return [{ offset, content: Buffer.from(content) }];
  const terminated = bytes > content.length;
  return salvageLine({ offset, content, bytes, terminated }, sessionId).flatMap((piece) => {
    const whole = { offset: piece.offset, content: Buffer.from(piece.content ?? Buffer.alloc(0)) };
    return isWholeLine(whole, sessionId) ? [whole] : [];
  });
}

function isIn({ offset, bytes }: Patch, line: LineUnder): boolean {
  const start = line.offset - offset;
  return start >= 0 && bytes.subarray(start, start + line.content.length).equals(line.content);
}
