/**
 * Breaks lines of two columns, a term and what it means, between words: help, and lists of facts. What is explained hangs below its own column, or
 * where that is too narrow below the term. The text is without controls.
 */

import { displayWidth } from "./display-width.ts";
import { wrapText } from "./wrap-text.ts";

const LEAST_DESCRIPTION_COLUMNS = 24;
const TWO_COLUMNS = /^( *)(\S.*?)( {2,})(\S.*)$/u;

/** `undefined`: no limit. */
export function wrapColumns(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= width ? [line] : wrapLine(line, width)))
    .join("\n");
}

function wrapLine(line: string, width: number): string[] {
  const [, indent, term, gap, description] = TWO_COLUMNS.exec(line) ?? [];
  if (indent === undefined || term === undefined || gap === undefined || description === undefined)
    return wrapText(line, width);
  const start = indent + term + gap;
  const column = displayWidth(start);
  if (width - column >= LEAST_DESCRIPTION_COLUMNS) {
    const [first = "", ...rest] = wrapText(description, width - column);
    return [start + first, ...rest.map((row) => " ".repeat(column) + row)];
  }
  const below = `${indent}    `;
  // A command stays in one piece: it is there to be copied.
  return [indent + term, ...wrapText(description, width - below.length).map((row) => below + row)];
}
