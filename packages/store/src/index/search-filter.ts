/**
 * Tells of most messages, before they are parsed, that a search will not find them. It never says so of one that `matchMessage`
 * would find.
 *
 * In ASCII text without \\u escapes, normalising changes the case of letters and nothing else, and a letter is always written as
 * itself: what is left of a word without the characters that JSON may escape must be in the text. All other text is left to
 * `matchMessage`, since other characters can become ASCII by normalising.
 */

import { isAscii } from "node:buffer";

/** What JSON never escapes. A slash may be, by other programs. */
const UNESCAPED = /[!#-.0-[\]-~]+/g;
const BEYOND_ASCII = /[^\0-\x7f]/;
const ESCAPED = "\\u";

export class SearchFilter {
  readonly #needles: readonly string[];
  /** A word that no ASCII text holds. */
  readonly #isBeyondAscii: boolean;

  /** `words`: of parseQuery. */
  constructor(words: readonly string[]) {
    this.#needles = words.map((word) => longest(word.match(UNESCAPED) ?? []));
    this.#isBeyondAscii = words.some((word) => BEYOND_ASCII.test(word));
  }

  /** `json`: of a message. */
  mayMatch(json: string): boolean {
    if (Buffer.byteLength(json) !== json.length || json.includes(ESCAPED)) return true;
    return this.#isIn(json);
  }

  /** Whether a message in these lines may match. */
  mayBeIn(lines: Buffer): boolean {
    if (!isAscii(lines)) return true;
    const isIn = !this.#isBeyondAscii && this.#needles.every((needle) => isInBytes(lines, needle));
    return isIn || lines.includes(ESCAPED);
  }

  #isIn(text: string): boolean {
    if (this.#isBeyondAscii) return false;
    const folded = text.toLowerCase();
    return this.#needles.every((needle) => folded.includes(needle));
  }
}

/** The letters of English text and of code, the rarest first: the fewer there are of one, the faster a word is looked for. */
const RAREST_FIRST = "zqjxkvbywgpfmucdhlrnsioate";
/** When the rarest character of a word is not rare. */
const MAX_PLACES = 100;

/** `bytes` are ASCII, `needle` is in lower case. */
function isInBytes(bytes: Buffer, needle: string): boolean {
  const rarest = rarestIn(needle);
  const letter = needle[rarest] ?? "";
  let places = 0;
  for (const variant of new Set([letter, letter.toUpperCase()])) {
    const code = variant.charCodeAt(0);
    for (let at = bytes.indexOf(code); at !== -1; at = bytes.indexOf(code, at + 1)) {
      if (++places > MAX_PLACES) return bytes.toString("latin1").toLowerCase().includes(needle);
      if (at < rarest) continue;
      const start = at - rarest;
      if (bytes.toString("latin1", start, start + needle.length).toLowerCase() === needle) return true;
    }
  }
  return needle === "";
}

/** The index of the character that is looked for first. Digits and signs are rarer than letters. */
function rarestIn(needle: string): number {
  let best = 0;
  for (let index = 0; index < needle.length; index++) {
    if (rankOf(needle, index) < rankOf(needle, best)) best = index;
  }
  return best;
}

function rankOf(text: string, index: number): number {
  return RAREST_FIRST.indexOf(text[index] ?? "");
}

function longest(pieces: readonly string[]): string {
  return pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), "");
}
