/** Where the cursor goes: by what is seen as one character, by words, by lines. Pure. */

import { displayWidth, splitAtWidth } from "../terminal/display-width.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** One character that is seen is never longer than this, unless somebody means harm. */
const LONGEST_GRAPHEME = 64;

export function nextGrapheme(text: string, cursor: number): number {
  const [first] = graphemes.segment(text.slice(cursor, cursor + LONGEST_GRAPHEME));
  return cursor + (first?.segment.length ?? 0);
}

export function previousGrapheme(text: string, cursor: number): number {
  // From the beginning of the line, since where a character begins depends on what is before it.
  const begin = Math.max(lineStart(text, cursor), cursor - LONGEST_GRAPHEME * 4);
  if (begin === cursor) return Math.max(0, cursor - 1);
  return begin + (graphemes.segment(text.slice(begin, cursor)).containing(cursor - begin - 1)?.index ?? 0);
}

/** Behind the word that the cursor is in or before. */
export function nextWord(text: string, cursor: number): number {
  const [passed = ""] = /^[^\p{L}\p{N}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(cursor)) ?? [];
  return cursor + passed.length;
}

/** Before the word that the cursor is in or behind. */
export function previousWord(text: string, cursor: number): number {
  let place = cursor;
  while (place > 0 && !isWordAt(text, previousGrapheme(text, place))) place = previousGrapheme(text, place);
  while (place > 0 && isWordAt(text, previousGrapheme(text, place))) place = previousGrapheme(text, place);
  return place;
}

function isWordAt(text: string, place: number): boolean {
  return /^[\p{L}\p{N}_]/u.test(text.slice(place, place + 2));
}

export function lineStart(text: string, cursor: number): number {
  // `lastIndexOf` takes a negative place for 0.
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

export function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

/** In the line that `target` is in, the place under or above the cursor. */
export function sameColumn(text: string, cursor: number, target: number): number {
  const column = displayWidth(text.slice(lineStart(text, cursor), cursor));
  const begin = lineStart(text, target);
  return begin + splitAtWidth(text.slice(begin, lineEnd(text, target)), column)[0].length;
}
