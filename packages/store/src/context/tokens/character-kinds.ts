/** What a UTF-16 code unit is to a tokenizer, as far as its cost depends on it. Ranges, not tables of Unicode. */

export const END = 0;
/** Space, tab and their like. Newlines too: `isNewline` tells them. */
export const SPACE = 1;
/** Punctuation, symbols, control characters. */
export const MARK = 2;
export const DIGIT = 3;
export const LOWER = 4;
export const UPPER = 5;
/** Latin letters beyond ASCII; their case is not looked at. */
export const ACCENTED = 6;
export const CYRILLIC = 7;
/** Greek, Armenian, Hebrew, Arabic and the like: two bytes in UTF-8. */
export const TWO_BYTE_LETTER = 8;
export const HAN = 9;
export const KANA = 10;
export const HANGUL = 11;
/** Scripts of India, Thai and the like, whose tokens are a few characters long. */
export const INDIC = 12;
/** Scripts that tokenizers hardly know. */
export const RARE_LETTER = 13;
/** Punctuation and symbols beyond ASCII, each a token of its own. */
export const WIDE_MARK = 14;
/** Half of an emoji or of another character beyond the first plane; may stand alone. */
export const SURROGATE = 15;

/** Latin letters of languages with small shares of a vocabulary: Polish, Czech, Turkish and others. */
export const EASTERN_LATIN = 16;

export type CharacterKind = number;

const ASCII_KINDS = new Uint8Array(128).fill(MARK);
for (const code of [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20]) ASCII_KINDS[code] = SPACE;
ASCII_KINDS.fill(DIGIT, 0x30, 0x3a);
ASCII_KINDS.fill(UPPER, 0x41, 0x5b);
ASCII_KINDS.fill(LOWER, 0x61, 0x7b);

export function kindOf(code: number): CharacterKind {
  if (code < 0x80) return ASCII_KINDS[code] ?? MARK;
  if (code < 0x370) return kindOfLatin(code);
  if (code < 0x400) return TWO_BYTE_LETTER;
  if (code < 0x530) return CYRILLIC;
  if (code < 0x800) return TWO_BYTE_LETTER;
  if (code < 0x2000) return kindOfSouthern(code);
  return kindOfEastern(code);
}

export function isNewline(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

export function isLetter(kind: CharacterKind): boolean {
  return kind >= LOWER && kind <= RARE_LETTER;
}

function kindOfLatin(code: number): CharacterKind {
  if (code === 0xa0) return SPACE;
  if (code < 0xc0 || code === 0xd7 || code === 0xf7) return WIDE_MARK;
  return code >= 0x100 && code < 0x180 ? EASTERN_LATIN : ACCENTED;
}

function kindOfSouthern(code: number): CharacterKind {
  if (code >= 0x900 && code < 0x1100) return INDIC;
  if (code < 0x1200) return HANGUL;
  if (code >= 0x1e00 && code < 0x1f00) return ACCENTED;
  return code >= 0x1f00 ? TWO_BYTE_LETTER : RARE_LETTER;
}

function kindOfEastern(code: number): CharacterKind {
  if (code < 0x2e80) return WIDE_MARK;
  if (code < 0x3000) return HAN;
  if (code === 0x3000) return SPACE;
  if (code < 0x3040) return WIDE_MARK;
  if (code < 0x3100) return KANA;
  if (code < 0x3400) return WIDE_MARK;
  if (code < 0xa000) return HAN;
  if (code < 0xac00) return RARE_LETTER;
  if (code < 0xd800) return HANGUL;
  if (code < 0xe000) return SURROGATE;
  if (code < 0xf900) return WIDE_MARK;
  return code < 0xfb00 ? HAN : WIDE_MARK;
}
