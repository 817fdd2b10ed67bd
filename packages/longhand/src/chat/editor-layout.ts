/**
 * How the line that is being written looks: wrapped to the width, the part around the cursor if there is more than fits. No row is wider
 * than one column less than the width, so that the cursor always has a place. Only what is seen is laid out: where the rows of the text
 * before it end is remembered piece by piece, so that a key costs the same in a text of any length.
 */

import { displayWidth } from "../terminal/display-width.ts";
import type { EditorText, TextPiece } from "./editor-text.ts";
import { TextFlow } from "./text-flow.ts";

export interface DrawnEditor {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface EditorFrame {
  /** Before the first row; the others are indented as far. */
  readonly prompt: string;
  readonly width: number;
  /** Of a longer text the part around the cursor is shown. */
  readonly maxRows: number;
}

interface PieceLayout {
  readonly room: number;
  /** Rows that end within the piece. */
  readonly rowEnds: number;
  /** In use behind it. */
  readonly column: number;
}

/** Where there is less than this left, there is no prompt. */
const LEAST_ROOM = 6;
/** Units for a column, at most: characters without a width would otherwise be looked at without end. */
const MOST_UNITS = 8;
/** One character that is seen is never longer than this, unless it is meant to do harm. */
const LONGEST_GRAPHEME = 64;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export class EditorLayout {
  /** Of pieces before the cursor. A piece never changes. */
  readonly #known = new WeakMap<TextPiece, PieceLayout>();
  #laidOutUnits = 0;

  /** How much text was laid out so far: what drawing costs. */
  get laidOutUnits(): number {
    return this.#laidOutUnits;
  }

  draw(text: EditorText, frame: EditorFrame): DrawnEditor {
    const prompt = displayWidth(frame.prompt) + LEAST_ROOM > frame.width ? "" : frame.prompt;
    const indent = " ".repeat(displayWidth(prompt));
    const room = Math.max(1, frame.width - indent.length - 1);
    const most = Math.max(1, frame.maxRows);
    const limit = (most + 1) * room * MOST_UNITS;
    const above = this.#above(text.before, room, most, limit);
    const split = unitsOfSplitCharacter(text);
    const flow = new TextFlow(room, above.column);
    this.#add(flow, above.text + text.textAfter(split));
    const cursor = { row: flow.rows.length - 1, column: indent.length + flow.column };
    this.#addBelow(flow, text.after, split, cursor.row + 1 < most ? most : cursor.row + 1, limit);
    const rows = flow.rows.map((row, index) => (index === 0 && above.isStart ? prompt : indent) + row);
    const first = Math.max(0, cursor.row - most + 1);
    return {
      rows: rows.slice(first, first + most),
      cursor: { row: cursor.row - first, column: cursor.column },
    };
  }

  /** The text before the cursor that is enough for `most` rows, and the column that it begins in. */
  #above(
    top: TextPiece | undefined,
    room: number,
    most: number,
    limit: number,
  ): { readonly text: string; readonly column: number; readonly isStart: boolean } {
    const found: string[] = [];
    let piece = top;
    let rowEnds = 0;
    for (let units = 0; piece !== undefined && rowEnds < most && units < limit; piece = piece.below) {
      found.push(piece.text);
      units += piece.text.length;
      rowEnds += this.#layoutOf(piece, room).rowEnds;
    }
    const column = piece === undefined ? 0 : this.#layoutOf(piece, room).column;
    return { text: found.reverse().join(""), column, isStart: piece === undefined };
  }

  #layoutOf(piece: TextPiece, room: number): PieceLayout {
    const unknown: TextPiece[] = [];
    let known: PieceLayout | undefined;
    for (let each: TextPiece | undefined = piece; each !== undefined; each = each.below) {
      known = this.#known.get(each);
      if (known?.room === room) break;
      known = undefined;
      unknown.push(each);
    }
    let layout = known ?? { room, rowEnds: 0, column: 0 };
    for (const each of unknown.reverse()) {
      const flow = new TextFlow(room, layout.column);
      this.#add(flow, each.text);
      layout = { room, rowEnds: flow.rows.length - 1, column: flow.column };
      this.#known.set(each, layout);
    }
    return layout;
  }

  /** Until there are so many rows, and one more has begun. */
  #addBelow(flow: TextFlow, top: TextPiece | undefined, skip: number, wanted: number, limit: number): void {
    let left = skip;
    let units = 0;
    for (
      let piece = top;
      piece !== undefined && flow.rows.length <= wanted && units < limit;
      piece = piece.below
    ) {
      this.#add(flow, piece.text.slice(left));
      left = Math.max(0, left - piece.text.length);
      units += piece.text.length;
    }
  }

  #add(flow: TextFlow, text: string): void {
    this.#laidOutUnits += text.length;
    flow.add(text);
  }
}

/** A character whose middle the cursor is in, while marks are still being typed to it, has the cursor behind it. */
function unitsOfSplitCharacter(text: EditorText): number {
  const before = text.textBefore(LONGEST_GRAPHEME);
  const after = text.textAfter(LONGEST_GRAPHEME);
  if (before === "" || after === "") return 0;
  const found = graphemes.segment(before + after).containing(before.length);
  return found === undefined || found.index === before.length
    ? 0
    : found.index + found.segment.length - before.length;
}
