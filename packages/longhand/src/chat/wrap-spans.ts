/** Breaks styled text into rows. A style never goes over the end of a row, so that no row can colour another. Pure. */

import { displayWidth } from "../terminal/display-width.ts";
import type { Colors } from "../terminal/output.ts";
import type { Span, SpanStyle } from "./inline-spans.ts";

export interface RowPrefixes {
  readonly first: string;
  readonly others: string;
}

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly style: SpanStyle;
}

const LEAST_ROOM = 4;
const NO_PREFIXES: RowPrefixes = { first: "", others: "" };
const BREAKS_AFTER = /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** `width` undefined: one row. The prefixes are styled already and equally wide. */
export function wrapSpans(
  spans: readonly Span[],
  width: number | undefined,
  colors: Colors,
  { first, others }: RowPrefixes = NO_PREFIXES,
): string[] {
  const room = width === undefined ? Infinity : Math.max(LEAST_ROOM, width - visibleWidth(first));
  return breakRows(spans.flatMap(cellsOf), room).map(
    (row, index) => (index === 0 ? first : others) + paintRow(row, colors),
  );
}

/** Of text that is coloured already. */
export function visibleWidth(text: string): number {
  return displayWidth(text.replace(/\u001b\[[0-9;]*m/g, ""));
}

export function paintSpans(spans: readonly Span[], colors: Colors): string {
  return spans.map(({ text, style }) => paint(text, style, colors)).join("");
}

function cellsOf({ text, style }: Span): Cell[] {
  return Array.from(graphemes.segment(text), ({ segment }) => ({
    text: segment,
    width: displayWidth(segment),
    style,
  }));
}

function breakRows(cells: readonly Cell[], room: number): Cell[][] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let used = 0;
  const endRow = (length: number): void => {
    rows.push(withoutEndSpaces(row.slice(0, length)));
    row = row.slice(length);
    while (rows.length > 0 && row[0]?.text === " ") row = row.slice(1);
    used = row.reduce((sum, { width }) => sum + width, 0);
  };
  for (const cell of cells) {
    if (used + cell.width > room) {
      if (cell.text === " ") {
        endRow(row.length);
        continue;
      }
      endRow(breakBefore(row));
      // What was moved down may fill the next row as well.
      if (used + cell.width > room) endRow(row.length);
    }
    if (rows.length > 0 && row.length === 0 && cell.text === " ") continue;
    row.push(cell);
    used += cell.width;
  }
  if (row.length > 0 || rows.length === 0) rows.push(withoutEndSpaces(row));
  return rows;
}

/** Behind the last place at which the row may be broken; its whole length if there is none. */
function breakBefore(row: readonly Cell[]): number {
  const isAllIndent = (end: number): boolean => row.slice(0, end).every(({ text }) => text === " ");
  for (let place = row.length; place > 0; place--) {
    const text = row[place - 1]?.text ?? "";
    if (text === " " || BREAKS_AFTER.test(text)) return isAllIndent(place) ? row.length : place;
  }
  return row.length;
}

function withoutEndSpaces(row: readonly Cell[]): Cell[] {
  let end = row.length;
  while (end > 0 && row[end - 1]?.text === " ") end--;
  return row.slice(0, end);
}

function paintRow(row: readonly Cell[], colors: Colors): string {
  let painted = "";
  for (let begin = 0; begin < row.length;) {
    const style = row[begin]?.style ?? {};
    let end = begin + 1;
    while (end < row.length && row[end]?.style === style) end++;
    const text = row.slice(begin, end).map((cell) => cell.text);
    painted += paint(text.join(""), style, colors);
    begin = end;
  }
  return painted;
}

function paint(text: string, style: SpanStyle, colors: Colors): string {
  let painted = text;
  if (style.code === true) painted = colors.cyan(painted);
  if (style.link === true) painted = colors.underline(painted);
  if (style.bold === true) painted = colors.bold(painted);
  if (style.italic === true) painted = colors.italic(painted);
  if (style.struck === true) painted = colors.strikethrough(painted);
  if (style.dim === true) painted = colors.dim(painted);
  return painted;
}
