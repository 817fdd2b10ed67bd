/**
 * Good lines inside a bad one. Where a newline was lost or hit, or a torn line was written on, whole records stand
 * glued together; their checksums tell them from what is lost. Pure.
 */

import { decodeLine } from "./decode.ts";
import { batchEnd } from "./open-batch.ts";
import type { ScannedLine } from "./scan-visitor.ts";

/** How a line of ours begins. Inside a message quotes are escaped, so that words rarely look like this. */
const START = /\{"(?:seq":[0-9]+,"at":"|checkpoint":\{"|lost":\[|longhand":)/g;
const SEAL = /,"crc":"[0-9a-f]{8}"\}/g;

/** Somebody's words may spell many beginnings and ends: then not every pair of them is tried. */
const MAX_TRIED_SHARE = 16;

/** What is shorter was never a record: it is what a newline has become, or a rest of one. */
const SHORTEST_RECORD_BYTES = 40;

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** The line itself, if it is good or nothing in it is; else its pieces, good ones and the bad ones between them. */
export function salvageLine(line: ScannedLine, writtenBy: string): readonly ScannedLine[] {
  const { content } = line;
  if (content === undefined || isGood(content, writtenBy)) return [line];
  const good = goodPieces(content, writtenBy);
  if (good.length === 0) return [line];
  const pieces: ScannedLine[] = [];
  let done = 0;
  const add = ({ start, end }: Piece): void => {
    pieces.push({
      offset: line.offset + start,
      content: content.subarray(start, end),
      bytes: end - start,
      terminated: true,
    });
  };
  const addRest = (end: number): void => {
    if (end - done >= SHORTEST_RECORD_BYTES) add({ start: done, end });
  };
  for (const piece of good) {
    addRest(piece.start);
    add(piece);
    done = piece.end;
  }
  addRest(content.length);
  return pieces;
}

/** The highest seq that a whole record inside a bad line has, also as the end of its batch; 0, if there is none. */
export function salvagedSeq(line: ScannedLine, writtenBy: string): number {
  let seq = 0;
  for (const { content } of salvageLine(line, writtenBy)) {
    const decoded = content === undefined ? undefined : decodeLine(content, writtenBy);
    if (decoded?.kind === "entry") seq = Math.max(seq, batchEnd(decoded.entry));
  }
  return seq;
}

function goodPieces(content: Buffer, writtenBy: string): Piece[] {
  const text = content.toString("latin1");
  const starts = [...text.matchAll(START)].map(({ index }) => index);
  const pieces: Piece[] = [];
  let budget = content.length * MAX_TRIED_SHARE;
  let from = 0;
  for (const seal of text.matchAll(SEAL)) {
    const end = seal.index + seal[0].length;
    for (const start of starts) {
      if (start < from || start >= end) continue;
      budget -= end - start;
      if (budget < 0) return pieces;
      if (!isGood(content.subarray(start, end), writtenBy)) continue;
      pieces.push({ start, end });
      from = end;
      break;
    }
  }
  return pieces;
}

function isGood(content: Buffer, writtenBy: string): boolean {
  return decodeLine(content, writtenBy).kind !== "bad";
}
