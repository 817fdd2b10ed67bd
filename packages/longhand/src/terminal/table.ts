/** A table as wide as the terminal at most; for a pipe, cells with tabs between them. Cells are printed as they are: escape what comes from outside. */

import { displayWidth, fitToWidth, padToWidth } from "./display-width.ts";

export interface Column {
  readonly heading: string;
  readonly align?: "left" | "right";
  /** What it may shrink to when the table is too wide; the column that gives way first stands first in `shrinks`. */
  readonly least?: number;
  /** It is never wider than that on a terminal. */
  readonly most?: number;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Columns by number, the first to give way first. */
  readonly shrinks: readonly number[];
}

const GAP = "  ";
const TAB = "\t";

/** `style` colours a padded cell; row -1 is the heading. Without a width nothing is cut or padded. */
export function renderTable(
  table: Table,
  width: number | undefined,
  style: (cell: string, row: number, column: number) => string,
): string[] {
  const widths = width === undefined ? undefined : columnWidths(table, width);
  const line = (cells: readonly string[], row: number): string =>
    table.columns
      .map(({ align }, column) => {
        if (widths === undefined) return style(cells[column] ?? "", row, column);
        const space = widths[column] ?? 0;
        const cell = padToWidth(fitToWidth(cells[column] ?? "", space), space, align);
        const isLast = column === table.columns.length - 1;
        return style(isLast && align !== "right" ? cell.trimEnd() : cell, row, column);
      })
      .join(widths === undefined ? TAB : GAP);
  return [
    line(
      table.columns.map(({ heading }) => heading),
      -1,
    ),
    ...table.rows.map(line),
  ];
}

function columnWidths({ columns, rows, shrinks }: Table, width: number): number[] {
  const widths = columns.map(({ heading, most = Infinity }, column) =>
    Math.min(most, Math.max(displayWidth(heading), ...rows.map((row) => displayWidth(row[column] ?? "")))),
  );
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1);
  let excess = total - width;
  for (const column of shrinks) {
    const present = widths[column] ?? 0;
    const least = Math.min(present, columns[column]?.least ?? present);
    const given = Math.max(0, Math.min(excess, present - least));
    widths[column] = present - given;
    excess -= given;
  }
  return widths;
}
