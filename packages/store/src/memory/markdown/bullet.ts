/**
 * An entry as a line of a list: `- the text <!-- its id -->`. The text is on one line, and cannot open a comment that would
 * hide what follows. Writing a text, reading it and writing it again gives the same line: that is how an edit is told.
 */

import type { MemoryEntry } from "../types.ts";

const ID = /\s*<!--\s*([0-9A-Z]{26})\s*-->/gu;
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;

export interface Bullet {
  /** `undefined`: a person has written it. */
  readonly id: string | undefined;
  readonly text: string;
}

export function bulletOf({ id, text }: Pick<MemoryEntry, "id" | "text">): string {
  return `- ${shownText(text)} <!-- ${id} -->`;
}

/** What a person sees of it. */
export function shownText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("<br>", "\n")
    .trim()
    .replace(/\s*\r?\n\s*/gu, "<br>")
    .replace(CONTROL, (character) =>
      character === "\t" ? " " : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    )
    .replaceAll("<!--", "&lt;!--");
}

/** The lines of one bullet, the first without its dash. */
export function parseBullet(lines: readonly string[]): Bullet {
  const whole = lines.map((line) => line.trim()).join("\n");
  const id = [...whole.matchAll(ID)].at(-1)?.[1];
  const text = whole.replace(ID, "").replaceAll("&lt;!--", "<!--").replaceAll("<br>", "\n");
  return { id, text: text.trim() };
}
