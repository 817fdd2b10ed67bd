/** How far the cursor goes: by what is seen as one character, by words, by lines. Pure. */

import { displayWidth, splitAtWidth } from "../terminal/display-width.ts";
import type { EditorText } from "./editor-text.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** One character that is seen is never longer than this, unless it is meant to do harm. */
const LONGEST_GRAPHEME = 64;
/** Units in which the end of a word is looked for at first. */
const NEAR = 256;

/** Units of the character behind the cursor. */
export function graphemeAfter(text: EditorText): number {
  const [first] = graphemes.segment(text.textAfter(LONGEST_GRAPHEME));
  return first?.segment.length ?? 0;
}

/** Units of the character before the cursor. */
export function graphemeBefore(text: EditorText): number {
  return lastGrapheme(text.textBefore(LONGEST_GRAPHEME * 4));
}

function lastGrapheme(text: string): number {
  if (text === "") return 0;
  // From the beginning of the line, since where a character begins depends on what is before it.
  const line = text.slice(text.lastIndexOf("\n", text.length - 2) + 1);
  const found = graphemes.segment(line).containing(line.length - 1);
  return found === undefined ? 1 : line.length - found.index;
}

/** Units to the end of the word that the cursor is in or before. */
export function wordAfter(text: EditorText): number {
  // More of the text is looked at as long as the word reaches to the end of what was looked at.
  for (let units = NEAR; ; units *= 4) {
    const near = text.textAfter(units);
    const found = /^[^\p{L}\p{N}_]*[\p{L}\p{N}\p{M}_]*/u.exec(near)?.[0].length ?? 0;
    if (found < near.length || near.length < units) return found;
  }
}

/** Units to the beginning of the word that the cursor is in or behind. */
export function wordBefore(text: EditorText): number {
  let rest = text;
  let isInWord = false;
  for (;;) {
    const near = rest.textBefore(NEAR);
    const isAll = near.length === rest.cursor;
    let walked = 0;
    // The first character may be the end of one that begins before it.
    for (const { segment } of [...graphemes.segment(near)].slice(isAll ? 0 : 1).reverse()) {
      const isWord = /^[\p{L}\p{N}_]/u.test(segment);
      if (isInWord && !isWord) return text.cursor - rest.cursor + walked;
      isInWord ||= isWord;
      walked += segment.length;
    }
    rest = rest.removeBefore(walked);
    if (isAll || walked === 0) return text.cursor - rest.cursor;
  }
}

/** In the line above, in the same column. `undefined`: the cursor is in the first line. */
export function lineAbove(text: EditorText): EditorText | undefined {
  if (text.lineBefore === text.cursor) return undefined;
  const column = displayWidth(text.textBefore(text.lineBefore));
  const above = text.move(-text.lineBefore - 1);
  const line = above.textBefore(above.lineBefore);
  return above.move(splitAtWidth(line, column)[0].length - line.length);
}

/** In the line below, in the same column. `undefined`: the cursor is in the last line. */
export function lineBelow(text: EditorText): EditorText | undefined {
  if (text.cursor + text.lineAfter === text.length) return undefined;
  const column = displayWidth(text.textBefore(text.lineBefore));
  const below = text.move(text.lineAfter + 1);
  return below.move(splitAtWidth(below.textAfter(below.lineAfter), column)[0].length);
}
