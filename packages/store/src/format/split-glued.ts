/**
 * Lines that stand glued together in one, because the newline between them was removed or hit. Pure.
 *
 * Only what tiles the whole line is taken apart. In JSON no object begins right behind another, so that a message cannot contain something
 * that looks like two glued lines; behind a comma it can, and there nothing is split.
 */

import { decodeLine } from "./decode.ts";
import type { ScannedLine } from "./scan-visitor.ts";

/** Where one line ends and, behind whatever the newline has become, the next begins. */
const SEAM = /("crc":"[0-9a-f]{8}"\}\r?)([^,]?)(?=\{"(?:seq|checkpoint|lost|longhand)":)/g;

/** The lines in it, good and bad ones; `undefined`: it is one line, or none in it is good. */
export function splitGlued(
  line: ScannedLine,
  content: Buffer,
  sessionId: string,
): readonly ScannedLine[] | undefined {
  const pieces: ScannedLine[] = [];
  let start = 0;
  for (const seam of content.toString("latin1").matchAll(SEAM)) {
    const end = seam.index + (seam[1]?.length ?? 0);
    const next = seam.index + seam[0].length;
    pieces.push(pieceOf(line, content, start, end, end - start, true));
    start = next;
  }
  if (pieces.length === 0) return undefined;
  pieces.push(pieceOf(line, content, start, content.length, line.bytes - start, line.terminated));
  const isGood = pieces.some(
    (piece) => piece.content !== undefined && decodeLine(piece.content, sessionId).kind !== "bad",
  );
  return isGood ? pieces : undefined;
}

function pieceOf(
  { offset }: ScannedLine,
  content: Buffer,
  start: number,
  end: number,
  bytes: number,
  terminated: boolean,
): ScannedLine {
  return { offset: offset + start, content: content.subarray(start, end), bytes, terminated };
}

/** How many records a bad line seems to have been. */
export function recordsIn(content: Buffer | undefined): number {
  return 1 + (content?.toString("latin1").match(SEAM)?.length ?? 0);
}
