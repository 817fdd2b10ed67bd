/**
 * What a piece of text costs, on the average, in tokens of o200k. Measured over prose, source code, JSON and message
 * catalogues in a dozen languages; the numbers are fits to those measurements and promise nothing for a single word.
 */

import {
  ACCENTED,
  CYRILLIC,
  HAN,
  HANGUL,
  INDIC,
  KANA,
  LOWER,
  TWO_BYTE_LETTER,
  UPPER,
  type CharacterKind,
} from "./character-kinds.ts";

/** What stands right before a word and is counted with it. */
export type Prefix = "none" | "space" | "mark" | "apostrophe";

/** Letters of one script family that a tokenizer looks at together. */
export interface Word {
  readonly kind: CharacterKind;
  readonly prefix: Prefix;
  length: number;
  uppers: number;
  accents: number;
  easternLetters: number;
  /** Kana; the others of a word of Han and kana are Han. */
  kana: number;
}

/** Of a Latin word in lower case after a space, by its length. Most common words are one token. */
const LATIN = [0, 1, 1, 1, 1.01, 1.03, 1.06, 1.12, 1.2, 1.27, 1.4, 1.55, 1.7, 1.85, 2.1];
const LATIN_MORE = 0.22;

export function tokensOfWord(word: Word): number {
  const { kind, length, prefix } = word;
  switch (kind) {
    case LOWER:
    case UPPER:
    case ACCENTED:
      return tokensOfLatin(word);
    case CYRILLIC:
      return Math.max(1, 0.21 * length + 0.25) + (length > 3 ? outsideSpace(prefix, 0.85) : 0);
    case HAN:
    case KANA:
      return Math.max(1, tokensOfHan(word)) + (prefix === "none" ? 0 : prefix === "space" ? 0.5 : 0.85);
    case HANGUL:
      return Math.max(1, 0.63 * length + 0.15) + (length > 1 ? outsideSpace(prefix, 0.4) : 0);
    case TWO_BYTE_LETTER:
      return Math.max(1, 0.32 * length + 0.2) + outsideSpace(prefix, 0.4);
    case INDIC:
      return Math.max(1, 0.4 * length) + outsideSpace(prefix, 0.3);
    default:
      return 1.5 * length;
  }
}

/** Letters between digits and changes of case, as in base64 and in identifiers made by chance. */
export function tokensOfScrambled(length: number): number {
  return Math.max(1, 0.5 * length + 0.4);
}

export function tokensOfDigits(length: number): number {
  return Math.ceil(length / 3);
}

/** A run of ASCII punctuation with so many changes from one character to another. Repetition is nearly free. */
export function tokensOfMarks(length: number, changes: number): number {
  const varied = changes < 2 ? 1 : changes === 2 ? 1.3 : 1.3 + 0.42 * (changes - 2);
  return varied + Math.floor(length / 64);
}

/** A run of other symbols; `changes` as above. */
export function tokensOfWideMarks(length: number, changes: number): number {
  return 1 + 0.95 * changes + (length - 1 - changes) / 12;
}

export function tokensOfSurrogates(length: number): number {
  return Math.max(1, 0.75 * length);
}

function tokensOfLatin({ length, uppers, accents, easternLetters, prefix }: Word): number {
  if (prefix === "apostrophe" && length < 3) return 0.4;
  let tokens = LATIN[length] ?? (LATIN.at(-1) ?? 0) + LATIN_MORE * (length - LATIN.length + 1);
  if (uppers > 1) tokens += (prefix === "space" ? 0.1 : 0.16) * (uppers - 2) + 0.05;
  if (uppers === 1 && length > 7) tokens += 0.12 * (length - 7);
  if (accents > 0 && length > 4) tokens += 0.3 + 0.1 * (length - 5);
  // The other words of such a language cost more too, and nothing in them shows it.
  if (easternLetters > 0 && length > 4) tokens += 1.4;
  if (prefix !== "space") tokens += length > 4 ? 0.12 : 0.03;
  return prefix === "mark" || prefix === "apostrophe" ? tokens + 0.2 : tokens;
}

/** Japanese mixes kana with Han, which then are rarer combinations. */
function tokensOfHan({ length, kana }: Word): number {
  return kana === 0 ? 0.73 * length : 0.62 * kana + 0.95 * (length - kana);
}

/** A word that does not follow a space is less often a token as a whole; a mark before it is one itself. */
function outsideSpace(prefix: Prefix, more: number): number {
  if (prefix === "space") return 0;
  return prefix === "none" ? more : more + 0.6;
}
