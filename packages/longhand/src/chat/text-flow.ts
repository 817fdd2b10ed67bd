/**
 * Lays text out into rows of a width: wide characters and combining marks where they belong, controls made visible. The row may have
 * been begun by text that is not given.
 */

import { displayWidth } from "../terminal/display-width.ts";
import { escapeControls } from "../terminal/escape-controls.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Characters of one column each. The last one before anything else may have a mark behind it, and is left out. */
const NARROW = /[\x20-\x7e]+(?=[\x20-\x7e\n\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]|$)/y;
/** The same for characters of two columns: kana, ideographs, hangul. */
const WIDE =
  /[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+(?=[\x20-\x7e\n\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]|$)/y;
/** Units that are divided into characters at a time. */
const LOOKED_AT = 128;

export class TextFlow {
  readonly rows: string[] = [""];
  /** Columns of the last row that are in use. */
  column: number;
  readonly #room: number;

  constructor(room: number, column: number) {
    this.#room = room;
    this.column = column;
  }

  add(text: string): void {
    for (let at = 0; at < text.length;) {
      const narrow = runAt(NARROW, text, at);
      const wide = narrow === undefined && this.#room > 1 ? runAt(WIDE, text, at) : undefined;
      if (narrow !== undefined) this.#addRun(narrow, 1);
      if (wide !== undefined) this.#addRun(wide, 2);
      at += (narrow ?? wide)?.length ?? this.#addGraphemes(text, at);
    }
  }

  /** Characters of `width` columns and one unit each. */
  #addRun(text: string, width: number): void {
    for (let from = 0; from < text.length;) {
      if (this.column + width > this.#room) this.#endRow();
      const part = text.slice(from, from + Math.floor((this.#room - this.column) / width));
      this.#put(part, part.length * width);
      from += part.length;
    }
  }

  /** How many units it took. */
  #addGraphemes(text: string, at: number): number {
    let units = 0;
    const end = Math.min(text.length, at + LOOKED_AT);
    for (const { segment } of graphemes.segment(text.slice(at, end))) {
      // The last one may go on behind what is looked at, and plain text is faster the other way.
      const mayGoOn = at + units + segment.length === end && end < text.length;
      if (units > 0 && (mayGoOn || /^[\x20-\x7e]$/.test(segment))) break;
      units += segment.length;
      if (segment.endsWith("\n")) {
        this.#endRow();
        break;
      }
      for (const { shown, width } of shownAs(segment, this.#room)) {
        if (this.column + width > this.#room) this.#endRow();
        this.#put(shown, width);
      }
    }
    return units;
  }

  #put(shown: string, width: number): void {
    this.rows.push((this.rows.pop() ?? "") + shown);
    this.column += width;
  }

  #endRow(): void {
    this.rows.push("");
    this.column = 0;
  }
}

function runAt(run: RegExp, text: string, at: number): string | undefined {
  run.lastIndex = at;
  return run.exec(text)?.[0];
}

interface Shown {
  readonly shown: string;
  readonly width: number;
}

function shownAs(segment: string, room: number): readonly Shown[] {
  const escaped = escapeControls(segment);
  if (escaped !== segment) return escaped.split("").map((shown) => ({ shown, width: 1 }));
  const width = knownWidth(segment);
  return width > room ? [{ shown: "…", width: 1 }] : [{ shown: segment, width }];
}

/** Texts repeat their characters, and measuring one is slow. */
const widths = new Map<string, number>();
const MOST_WIDTHS = 4096;

function knownWidth(segment: string): number {
  let width = widths.get(segment);
  if (width === undefined) {
    if (widths.size >= MOST_WIDTHS) widths.clear();
    width = displayWidth(segment);
    widths.set(segment, width);
  }
  return width;
}
