/**
 * A table as wide as the terminal at most; for a pipe, cells with tabs between them. Where the columns do not fit beside each
 * other, however short, columns of `drops` are left out; if there are none left, a row goes on in lines under its first.
 * Cells are printed as they are: escape what comes from outside.
 */

import { displayWidth, fitToWidth, padToWidth } from "./display-width.ts";

export interface Column {
  readonly heading: string;
  readonly align?: "left" | "right";
  /** What it may shrink to when the table is too wide; the column that gives way first stands first in `shrinks`. */
  readonly least?: number;
  /** It is never wider than that on a terminal. */
  readonly most?: number;
  /** For the first column: a cell that is wider than the column is not cut but stands on a line of its own above the row. */
  readonly whole?: boolean;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Columns by number, the first to give way first. */
  readonly shrinks: readonly number[];
  /** Columns by number that are left out where the terminal is too narrow, the first first. */
  readonly drops?: readonly number[];
}

/** `style` colours a padded cell; row -1 is the heading. */
type CellStyle = (cell: string, row: number, column: number) => string;

/** The columns that stand beside each other in one line of a row. */
interface Line {
  readonly indent: string;
  readonly columns: readonly { readonly number: number; readonly width: number }[];
}

const GAP = "  ";
const TAB = "\t";

/** Without a width nothing is cut or padded. */
export function renderTable(table: Table, width: number | undefined, style: CellStyle): string[] {
  const rows = [table.columns.map(({ heading }) => heading), ...table.rows];
  if (width === undefined) {
    return rows.map((cells, index) =>
      table.columns.map((_, column) => style(cells[column] ?? "", index - 1, column)).join(TAB),
    );
  }
  const lines = layOut(table, width);
  const wholeWidth = table.columns[0]?.whole === true ? (lines[0]?.columns[0]?.width ?? 0) : Infinity;
  return rows.flatMap((cells, index) => {
    const styled = (cell: string, column: number): string => style(cell, index - 1, column);
    const [first = "", ...others] = cells;
    if (displayWidth(first) <= wholeWidth) return lines.map((line) => renderLine(line, cells, table, styled));
    const rest = lines.map((line) => renderLine(line, ["", ...others], table, styled));
    return [styled(first, 0), ...rest.filter((line) => line.trim() !== "")];
  });
}

function renderLine(
  { indent, columns }: Line,
  cells: readonly string[],
  table: Table,
  style: (cell: string, column: number) => string,
): string {
  const last = columns.at(-1)?.number;
  const rendered = columns.map(({ number, width }) => {
    const align = table.columns[number]?.align;
    const cell = padToWidth(fitToWidth(cells[number] ?? "", width), width, align);
    return style(number === last && align !== "right" ? cell.trimEnd() : cell, number);
  });
  return indent + rendered.join(GAP);
}

function layOut(table: Table, width: number): Line[] {
  const natural = naturalWidths(table);
  const leastOf = (column: number): number => {
    const present = natural[column] ?? 0;
    if (!table.shrinks.includes(column)) return present;
    return Math.min(present, table.columns[column]?.least ?? present);
  };
  const shown = keptColumns(table, leastOf, width);
  return foldColumns(shown, leastOf, width).map((numbers, index) => {
    const indent = index === 0 ? "" : GAP;
    const room = width - indent.length;
    return { indent, columns: fitColumns(numbers, natural, leastOf, table.shrinks, room) };
  });
}

function keptColumns(
  { columns, drops = [] }: Table,
  leastOf: (column: number) => number,
  width: number,
): readonly number[] {
  let kept = columns.map((_, column) => column);
  for (const dropped of drops) {
    const needed = kept.reduce((sum, column) => sum + leastOf(column), GAP.length * (kept.length - 1));
    if (needed <= width) break;
    kept = kept.filter((column) => column !== dropped);
  }
  return kept;
}

function naturalWidths({ columns, rows }: Table): number[] {
  return columns.map(({ heading, most = Infinity }, column) =>
    Math.min(most, Math.max(displayWidth(heading), ...rows.map((row) => displayWidth(row[column] ?? "")))),
  );
}

/** As many columns as fit in a line, by what they need at least, then the next line. */
function foldColumns(
  shown: readonly number[],
  leastOf: (column: number) => number,
  width: number,
): number[][] {
  const lines: number[][] = [];
  let used = 0;
  for (const column of shown) {
    const needed = leastOf(column);
    const line = lines.at(-1);
    if (line !== undefined && used + GAP.length + needed <= width) {
      line.push(column);
      used += GAP.length + needed;
    } else {
      used = (lines.length === 0 ? 0 : GAP.length) + needed;
      lines.push([column]);
    }
  }
  return lines;
}

function fitColumns(
  numbers: readonly number[],
  natural: readonly number[],
  leastOf: (column: number) => number,
  shrinks: readonly number[],
  room: number,
): Line["columns"] {
  const widths = new Map(numbers.map((number) => [number, natural[number] ?? 0]));
  let excess = GAP.length * (numbers.length - 1) - room;
  for (const width of widths.values()) excess += width;
  for (const column of shrinks) {
    const present = widths.get(column);
    if (present === undefined) continue;
    const given = Math.max(0, Math.min(excess, present - leastOf(column)));
    widths.set(column, present - given);
    excess -= given;
  }
  // One that is too wide alone is cut if it may shrink; an id or a path stays whole, to be copied.
  return Array.from(widths, ([number, width]) => ({
    number,
    width: shrinks.includes(number) ? Math.min(width, room) : width,
  }));
}
