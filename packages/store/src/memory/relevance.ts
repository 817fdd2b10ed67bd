/** How much a fact has to do with what is spoken of: a shared word counts more than how new and how sure it is together. */

import { parseQuery } from "../index/search.ts";
import type { MemoryEntry } from "./types.ts";

const DAY = 24 * 60 * 60 * 1000;
/** A fact of that age counts half. */
const HALF_LIFE = 90 * DAY;
/** Of a long conversation the end says what it is about. */
const MOST_WORDS = 200;
const WORD_WEIGHT = 2;
/** Scripts without spaces between words: there two letters are a word. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+$/u;

export function wordsAbout(about: string): readonly string[] {
  const words = parseQuery(about.replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")).flatMap((word) =>
    UNSPACED.test(word) ? pairsOf(word) : word.length > 2 ? [word] : [],
  );
  return [...new Set(words)].slice(-MOST_WORDS);
}

export function relevance(
  { text, confidence, at }: MemoryEntry,
  words: readonly string[],
  now: number,
): number {
  const normalized = text.normalize("NFKC").toLowerCase();
  const shared = words.filter((word) => normalized.includes(word)).length;
  const age = Math.max(0, now - Date.parse(at));
  return WORD_WEIGHT * shared + confidence + 0.5 ** (age / HALF_LIFE);
}

function pairsOf(word: string): string[] {
  const letters = Array.from(word);
  return letters.slice(1).map((letter, index) => `${letters[index] ?? ""}${letter}`);
}
