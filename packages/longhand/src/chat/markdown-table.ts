/**
 * A table as Markdown writes it. Where its columns fit beside each other they are aligned; where they do not, each row becomes
 * lines of "heading: cell", so that nothing is cut away. Pure.
 */

import { displayWidth } from "../terminal/display-width.ts";
import type { Colors } from "../terminal/output.ts";
import { inlineSpans, type Span } from "./inline-spans.ts";
import { paintSpans, wrapSpans } from "./wrap-spans.ts";

const GAP = "  ";
const DELIMITER = /^:?-+:?$/;

export function isTableRow(line: string): boolean {
  return /^\s*\|.*\S/u.test(line);
}

/** `undefined`: these rows are no table, since the second one does not say so. */
export function renderMarkdownTable(
  lines: readonly string[],
  width: number | undefined,
  colors: Colors,
): string[] | undefined {
  const [headings = [], delimiters = [], ...rows] = lines.map(cellsOf);
  if (delimiters.length === 0 || !delimiters.every((cell) => DELIMITER.test(cell))) return undefined;
  const count = Math.max(headings.length, ...rows.map((row) => row.length));
  const table = [headings, ...rows].map((row, index) =>
    Array.from({ length: count }, (_, column) => spansOf(row[column] ?? "", index === 0, colors)),
  );
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...table.map((row) => widthOf(row[column] ?? []))),
  );
  const whole = widths.reduce((sum, each) => sum + each, GAP.length * (count - 1));
  if (width !== undefined && whole > width) return stacked(table, width, colors);
  const isRight = (column: number): boolean => /^-+:$/.test(delimiters[column] ?? "");
  const drawn = table.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0, isRight(column), colors))
      .join(GAP)
      .trimEnd(),
  );
  const rule = colors.dim(widths.map((each) => "─".repeat(each)).join(GAP));
  return [drawn[0] ?? "", rule, ...drawn.slice(1)];
}

function stacked(table: readonly Span[][][], width: number, colors: Colors): string[] {
  const [headings = [], ...rows] = table;
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [colors.dim("─".repeat(Math.min(width, 20)))]),
    ...row.flatMap((cell, column) => {
      if (widthOf(cell) === 0) return [];
      const heading = headings[column] ?? [];
      const before = widthOf(heading) === 0 ? [] : [...heading, { text: ": ", style: {} }];
      return wrapSpans([...before, ...cell], width, colors, { first: "", others: "" });
    }),
  ]);
}

function padded(cell: readonly Span[], width: number, isRight: boolean, colors: Colors): string {
  const padding = " ".repeat(Math.max(0, width - widthOf(cell)));
  const painted = paintSpans(cell, colors);
  return isRight ? padding + painted : painted + padding;
}

function spansOf(cell: string, isHeading: boolean, colors: Colors): Span[] {
  const style = isHeading ? ({ bold: true } as const) : {};
  return colors.isColorSupported ? inlineSpans(cell, style) : [{ text: cell, style }];
}

function widthOf(cell: readonly Span[]): number {
  return cell.reduce((sum, { text }) => sum + displayWidth(text), 0);
}

/** A bar behind a backslash, or in code, does not end a cell. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  const cells = [""];
  for (const [part] of inner.matchAll(/\\\||`[^`]*`|\||[^|\\`]+|./gsu)) {
    if (part === "|") cells.push("");
    else cells[cells.length - 1] = (cells.at(-1) ?? "") + (part === "\\|" ? "|" : part);
  }
  return cells.map((cell) => cell.trim());
}
