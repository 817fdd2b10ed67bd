/**
 * The last line of a page. An editor that saves in place empties the file first, and who reads it then sees the beginning
 * only: without this line nothing that is missing counts as removed.
 */

export const END_OF_PAGE = "<!-- longhand: end of page -->";

/** "continued": something was written behind it. */
export type PageEnd = "marked" | "continued" | "missing";

/** The last one is ours: whoever wrote such a line before it keeps it. */
export function withoutEnd(lines: readonly string[]): {
  readonly lines: readonly string[];
  readonly end: PageEnd;
} {
  const index = lines.findLastIndex((line) => line.trim() === END_OF_PAGE);
  if (index === -1) return { lines, end: "missing" };
  const isLast = lines.slice(index + 1).every((line) => line.trim() === "");
  return { lines: lines.toSpliced(index, 1), end: isLast ? "marked" : "continued" };
}
