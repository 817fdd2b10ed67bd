/**
 * Lines with a valid checksum that a write at a position would hit, in whole or in part: lines of the file, and whole lines
 * that stand glued together in a bad one. Nothing of them may be destroyed that is not written again elsewhere.
 */

import { decodeLine } from "../format/decode.ts";
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

/** The whole line of which this byte is a part, or is the newline. */
export function wholeLineAt(line: LineAt, position: number, sessionId: string): LineUnder | undefined {
  return wholeLinesIn(line, sessionId).find(
    ({ offset, content }) => offset <= position && position <= offset + content.length,
  );
}

function wholeLinesIn({ offset, content, bytes }: LineAt, sessionId: string): readonly LineUnder[] {
  const line = { offset, content, bytes, terminated: bytes > content.length };
  return salvageLine(line, sessionId).flatMap((piece) =>
    piece.content === undefined || decodeLine(piece.content, sessionId).kind === "bad"
      ? []
      : [{ offset: piece.offset, content: Buffer.from(piece.content) }],
  );
}

function isIn({ offset, bytes }: Patch, line: LineUnder): boolean {
  const start = line.offset - offset;
  return start >= 0 && bytes.subarray(start, start + line.content.length).equals(line.content);
}
