/** Breaks text into lines of a terminal's width. Line ends and indentation of the text itself stay as they are. */

import { displayWidth, splitAtWidth } from "./display-width.ts";

/** `undefined`: no limit; only the text's own line ends break it. The text is without controls. */
export function wrapText(text: string, width: number | undefined): string[] {
  const lines = text.split("\n");
  return width === undefined ? lines : lines.flatMap((line) => wrapLine(line, Math.max(8, width)));
}

/** A command, or a path that is too long for a line, is broken by the terminal alone: then it can be copied whole. */
const COMMAND = /(?<![\w/-])(longhand|chmod|mv|sudo|kill) [-\w/~.'"$]/;

/** The same for what may have commands and paths in it: a line with one that would not stay whole is left as it is. */
export function wrapMessage(text: string, width: number | undefined): string[] {
  const isCopied = (line: string): boolean =>
    COMMAND.test(line) || line.split(" ").some((word) => displayWidth(word) > (width ?? Infinity));
  return text.split("\n").flatMap((line) => (isCopied(line) ? [line] : wrapText(line, width)));
}

function wrapLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const spaces = /^ */.exec(line)?.[0] ?? "";
  const indent = spaces.length <= width / 2 ? spaces : "";
  const rows: string[] = [];
  let row = indent;
  const endRow = (): void => {
    rows.push(row.trimEnd());
    row = indent;
  };
  for (const word of wordsOf(line.slice(spaces.length))) {
    if (displayWidth(row + word.trimEnd()) <= width) {
      row += word;
      continue;
    }
    if (row !== indent) endRow();
    let rest = word;
    while (displayWidth(indent + rest.trimEnd()) > width) {
      const [head, tail] = splitAtWidth(rest, width - indent.length);
      if (head === "") break;
      row += head;
      endRow();
      rest = tail;
    }
    row += rest;
  }
  if (row.trim() !== "") endRow();
  return rows;
}

/** Each with the white space after it. Scripts without spaces may break after any character. */
function wordsOf(line: string): string[] {
  return (
    line.match(
      /[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef] *|[^ \u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]+ *| +/gu,
    ) ?? []
  );
}
