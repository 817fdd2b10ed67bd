/**
 * Lines that stand glued together in one, because the newline between them was removed or hit: records, checkpoints, lost lines and headers. Pure.
 *
 * Only what tiles the whole line is taken apart. In JSON no object begins right behind another, so that a message cannot contain something
 * that looks like two glued lines; behind a comma it can, and there nothing is split.
 */

import { decodeLine } from "./decode.ts";
import type { ScannedLine } from "./scan-visitor.ts";

/** Where one line ends and, behind whatever the newline has become, the next begins. */
const SEAM = /("crc":"[0-9a-f]{8}"\}\r?)([^,]?)(?=\{"(?:seq|checkpoint|lost|longhand)":)/g;

/** The lines in it, good and bad ones; `undefined`: it is one line, or none in it is good. */
export function splitGlued(line: ScannedLine, sessionId: string): readonly ScannedLine[] | undefined {
  const pieces = piecesOf(line);
  const isGood = ({ content }: ScannedLine): boolean =>
    content !== undefined && decodeLine(content, sessionId).kind !== "bad";
  return pieces.length > 1 && pieces.some(isGood) ? pieces : undefined;
}

/** The lines in it, whether they are good or not: mostly it is one. */
export function piecesOf(line: ScannedLine): readonly ScannedLine[] {
  const { content, bytes, terminated } = line;
  if (content === undefined) return [line];
  const pieces: ScannedLine[] = [];
  let start = 0;
  for (const seam of content.toString("latin1").matchAll(SEAM)) {
    const end = seam.index + (seam[1]?.length ?? 0);
    pieces.push(pieceOf(line, content.subarray(start, end), start, end - start, true));
    start = seam.index + seam[0].length;
  }
  if (start === 0) return [line];
  pieces.push(pieceOf(line, content.subarray(start), start, bytes - start, terminated));
  return pieces;
}

function pieceOf(
  { offset }: ScannedLine,
  content: Buffer,
  start: number,
  bytes: number,
  terminated: boolean,
): ScannedLine {
  return { offset: offset + start, content, bytes, terminated };
}
