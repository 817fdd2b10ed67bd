/**
 * Owns the estimate of how many tokens a text has, without a tokenizer: no vocabulary, no dependency. Within 15 % of o200k
 * on prose, source code, JSON, Markdown, logs, Russian and Chinese, 25 % on other big languages, 40 % on base64; other
 * tokenizers differ from o200k, which token-correction.ts learns. Each character is looked at once, whatever the text is.
 *
 * It cuts the text as tokenizers do before they look anything up: words with the space or the mark before them, digits by
 * threes, runs of marks with the newlines behind them, white space. token-costs.ts says what each piece costs.
 */

import {
  ACCENTED,
  DIGIT,
  EASTERN_LATIN,
  END,
  HAN,
  KANA,
  LOWER,
  MARK,
  SPACE,
  SURROGATE,
  UPPER,
  WIDE_MARK,
  isLetter,
  isNewline,
  kindOf,
  type CharacterKind,
} from "./character-kinds.ts";
import {
  tokensOfDigits,
  tokensOfMarks,
  tokensOfScrambled,
  tokensOfSurrogates,
  tokensOfWideMarks,
  tokensOfWord,
  type Prefix,
  type Word,
} from "./token-costs.ts";

const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
/** So many short pieces glued together are no words any more. */
const SCRAMBLED = 3;
const MOST_SCRAMBLED = 8;

/** At least 1 for a text that is not empty. */
export function estimateTokens(text: string): number {
  const pieces = new Pieces();
  for (let index = 0; index < text.length; index += 1) pieces.add(text.charCodeAt(index));
  return pieces.end();
}

/** The piece that is being read, and what those before it cost. */
class Pieces {
  #tokens = 0;
  #kind: CharacterKind = END;
  #length = 0;
  #code = 0;
  /** Of marks: how often a different one followed. */
  #changes = 0;
  /** Of white space: the newlines in it, and its length up to the last of them. */
  #newlines = 0;
  #lines = 0;
  #word: Word | undefined;
  /** What the next word takes with it. */
  #prefix: Prefix = "none";
  /** Newlines right behind marks belong to these. */
  #behindMarks = false;
  #disorder = 0;

  add(code: number): void {
    const exact = kindOf(code);
    const kind = familyOf(exact);
    const startsHump = exact === UPPER && this.#word !== undefined && this.#word.length > this.#word.uppers;
    if (kind !== this.#kind || startsHump) this.#begin(kind);
    // A backslash and what it escapes are known together.
    if (this.#length > 0 && code !== this.#code && this.#code !== BACKSLASH) this.#changes += 1;
    this.#length += 1;
    this.#code = code;
    if (kind === SPACE && isNewline(code)) {
      this.#newlines += 1;
      this.#lines = this.#length;
    }
    if (this.#word !== undefined) addLetter(this.#word, exact);
  }

  end(): number {
    this.#close(END);
    return this.#tokens > 0 ? Math.max(1, Math.round(this.#tokens)) : 0;
  }

  #begin(kind: CharacterKind): void {
    this.#close(kind);
    this.#kind = kind;
    this.#length = 0;
    this.#changes = 0;
    this.#newlines = 0;
    this.#lines = 0;
    this.#word = isLetter(kind) ? newWord(kind, this.#prefix) : undefined;
  }

  #close(next: CharacterKind): void {
    const before = this.#prefix;
    this.#prefix = "none";
    const behindMarks = this.#behindMarks;
    this.#behindMarks = this.#kind === MARK || this.#kind === WIDE_MARK;
    if (this.#word !== undefined) {
      this.#closeWord(this.#word, next);
      return;
    }
    switch (this.#kind) {
      case SPACE:
        this.#closeSpace(next, behindMarks);
        return;
      case DIGIT:
        this.#tokens += tokensOfDigits(this.#length);
        this.#noteOrder(next);
        return;
      case MARK:
        // Between the pieces of base64 and of hashes stands a single mark at most.
        if (this.#length > 1) this.#disorder = 0;
        if (this.#length === 1 && before === "none" && isLetter(next)) {
          this.#prefix = this.#code === APOSTROPHE ? "apostrophe" : "mark";
        } else this.#tokens += tokensOfMarks(this.#length, this.#changes);
        return;
      case WIDE_MARK:
        this.#tokens += tokensOfWideMarks(this.#length, this.#changes);
        return;
      case SURROGATE:
        this.#tokens += tokensOfSurrogates(this.#length);
    }
  }

  #closeWord(word: Word, next: CharacterKind): void {
    const scrambled = word.kind === LOWER && this.#disorder >= SCRAMBLED;
    this.#tokens += scrambled ? tokensOfScrambled(word.length) : tokensOfWord(word);
    this.#noteOrder(next);
  }

  #closeSpace(next: CharacterKind, behindMarks: boolean): void {
    this.#disorder = 0;
    if (this.#lines > 0 && !(behindMarks && this.#newlines === this.#lines)) {
      this.#tokens += 1 + Math.floor(this.#lines / 16);
    }
    const indent = this.#length - this.#lines;
    if (indent === 0) return;
    // The last space goes with what follows, unless that is a number.
    const taken = isLetter(next) || next === MARK || next === WIDE_MARK;
    if (taken) this.#prefix = "space";
    if (indent > 1) this.#tokens += 1 + Math.floor(indent / 80);
    if (!taken && (indent === 1 || next === DIGIT)) this.#tokens += 1;
  }

  /** Short pieces of letters and digits without anything between them. */
  #noteOrder(next: CharacterKind): void {
    if (next !== LOWER && next !== DIGIT) return;
    const change = this.#length <= 3 ? 1 : this.#length >= 6 ? -2 : 0;
    this.#disorder = Math.min(MOST_SCRAMBLED, Math.max(0, this.#disorder + change));
  }
}

/** Kinds that are read as one piece. */
function familyOf(kind: CharacterKind): CharacterKind {
  if (kind === UPPER || kind === ACCENTED || kind === EASTERN_LATIN) return LOWER;
  return kind === KANA ? HAN : kind;
}

function newWord(kind: CharacterKind, prefix: Prefix): Word {
  return { kind, prefix, length: 0, uppers: 0, accents: 0, easternLetters: 0, kana: 0 };
}

function addLetter(word: Word, kind: CharacterKind): void {
  word.length += 1;
  if (kind === UPPER) word.uppers += 1;
  else if (kind === ACCENTED) word.accents += 1;
  else if (kind === EASTERN_LATIN) word.easternLetters += 1;
  else if (kind === KANA) word.kana += 1;
}
