/** The rows of the editor laid out from the beginning of the text each time: slow, and simple enough to be believed. For comparison. */
import { displayWidth } from "../../../src/terminal/display-width.ts";
import { escapeControls } from "../../../src/terminal/escape-controls.ts";
import type { DrawnEditor, EditorFrame } from "../../../src/chat/editor-layout.ts";

/** Where there is less than this left, there is no prompt. */
const LEAST_ROOM = 6;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function drawWhole(text: string, cursor: number, frame: EditorFrame): DrawnEditor {
  const prompt = displayWidth(frame.prompt) + LEAST_ROOM > frame.width ? "" : frame.prompt;
  const indent = " ".repeat(displayWidth(prompt));
  const room = Math.max(1, frame.width - indent.length - 1);
  const rows: string[] = [prompt];
  let used = 0;
  let place: DrawnEditor["cursor"] | undefined;
  const endRow = (): void => {
    rows.push(indent);
    used = 0;
  };
  for (const { segment, index } of graphemes.segment(text)) {
    // A character whose middle the cursor is in, while marks are still being typed to it, has it behind.
    if (index >= cursor) place ??= { row: rows.length - 1, column: indent.length + used };
    if (segment === "\n") {
      endRow();
      continue;
    }
    for (const shown of shownAs(segment, room)) {
      const width = displayWidth(shown);
      if (used + width > room) endRow();
      rows[rows.length - 1] = (rows.at(-1) ?? "") + shown;
      used += width;
    }
  }
  place ??= { row: rows.length - 1, column: indent.length + used };
  return window(rows, place, frame.maxRows);
}

function shownAs(segment: string, room: number): readonly string[] {
  const escaped = escapeControls(segment);
  if (escaped !== segment) return escaped.split("");
  return displayWidth(segment) > room ? ["…"] : [segment];
}

function window(rows: readonly string[], cursor: DrawnEditor["cursor"], maxRows: number): DrawnEditor {
  const most = Math.max(1, maxRows);
  if (rows.length <= most) return { rows, cursor };
  const first = Math.min(Math.max(0, cursor.row - most + 1), rows.length - most);
  return {
    rows: rows.slice(first, first + most),
    cursor: { row: cursor.row - first, column: cursor.column },
  };
}
