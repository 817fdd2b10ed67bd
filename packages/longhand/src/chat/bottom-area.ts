/** What is at the bottom of the screen: what is still being written, what waits, the status, the input. Pure. */

import { fitToWidth } from "../terminal/display-width.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import type { Colors } from "../terminal/output.ts";
import type { EditorLayout } from "./editor-layout.ts";
import type { EditorText } from "./editor-text.ts";
import type { BottomArea } from "./screen.ts";
import { type Status, statusLine } from "./status-line.ts";

export interface Bottom {
  /** Of the turn that runs. */
  readonly live: readonly string[];
  /** Messages that wait for their turn. */
  readonly waiting: readonly string[];
  readonly status: Status;
  readonly prompt: string;
  readonly editor: EditorText;
  readonly layout: EditorLayout;
}

const SHOWN_WAITING = 3;

export function drawBottom(bottom: Bottom, width: number, height: number, colors: Colors): BottomArea {
  const { rows, cursor } = bottom.layout.draw(bottom.editor, {
    prompt: bottom.prompt,
    width,
    maxRows: Math.max(1, Math.floor(height / 2) - 1),
  });
  const status = [
    ...waitingLines(bottom.waiting, width, colors),
    statusLine(bottom.status, width - 1, colors),
  ];
  // The newest of what is being written is seen; the rest of it comes above when it is finished.
  const fixed = last(status, height - rows.length - 1);
  const above = [...last(bottom.live, height - rows.length - fixed.length - 1), ...fixed];
  return {
    lines: [...above, ...rows],
    cursor: { row: above.length + cursor.row, column: cursor.column },
  };
}

function last(lines: readonly string[], count: number): readonly string[] {
  return count <= 0 ? [] : lines.slice(-count);
}

function waitingLines(waiting: readonly string[], width: number, colors: Colors): string[] {
  const shown = waiting
    .slice(0, SHOWN_WAITING)
    .map((text) => colors.dim(fitToWidth(`waiting: ${onOneLine(text.slice(0, 1000))}`, width - 1)));
  const more = waiting.length - SHOWN_WAITING;
  return more > 0 ? [...shown, colors.dim(fitToWidth(`… and ${more} more`, width - 1))] : shown;
}
