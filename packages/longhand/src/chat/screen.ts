/**
 * The one writer to the terminal while a chat runs. Finished lines go up and are the terminal's from then on; below them an
 * area is drawn anew whenever something changes: what is still being written, the status, the input. Since nobody else writes,
 * typing and answering at the same time cannot garble each other.
 */

import type { ChatTerminal } from "./chat-terminal.ts";
import { visibleWidth } from "./wrap-spans.ts";

/** No line is wider than the width it was drawn for. */
export interface BottomArea {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

interface DrawnArea extends BottomArea {
  readonly width: number;
}

export type DrawBottom = (width: number, height: number) => BottomArea;

const ERASE_BELOW = "\u001b[J";
const CLEAR_ALL = "\u001b[H\u001b[2J";

export class Screen {
  readonly #terminal: ChatTerminal;
  readonly #draw: DrawBottom;
  #printed: string[] = [];
  #drawn: DrawnArea | undefined;
  #timer: NodeJS.Immediate | undefined;
  #isOpen = true;

  constructor(terminal: ChatTerminal, draw: DrawBottom) {
    this.#terminal = terminal;
    this.#draw = draw;
  }

  /** Lines without controls but those of colours. */
  print(lines: readonly string[]): void {
    this.#printed.push(...lines);
    this.changed();
  }

  /** Draws soon, and once for all that changes until then. */
  changed(): void {
    if (this.#isOpen) this.#timer ??= setImmediate(() => this.#flush());
  }

  /** Ctrl-L. What was printed before stays in the terminal's scroll-back only. */
  clear(): void {
    this.#drawn = undefined;
    this.#terminal.write(CLEAR_ALL);
    this.changed();
  }

  /** Takes the area away, so that somebody else can write; the next change draws it again. */
  putAside(): void {
    clearImmediate(this.#timer);
    this.#timer = undefined;
    this.#terminal.write(this.#erase() + this.#takePrinted());
    this.#drawn = undefined;
  }

  close(): void {
    this.putAside();
    this.#isOpen = false;
  }

  #flush(): void {
    this.#timer = undefined;
    const { width, height } = this.#terminal;
    const erased = this.#erase();
    const area = this.#draw(width, height);
    const { lines, cursor } = area;
    const upwards = lines.length - 1 - cursor.row;
    // In one write, so that nothing half drawn is ever seen.
    this.#terminal.write(
      erased +
        this.#takePrinted() +
        lines.join("\r\n") +
        (upwards > 0 ? `\u001b[${upwards}A` : "") +
        "\r" +
        (cursor.column > 0 ? `\u001b[${cursor.column}C` : ""),
    );
    this.#drawn = { ...area, width };
  }

  #takePrinted(): string {
    const lines = this.#printed;
    this.#printed = [];
    return lines.map((line) => `${line}\r\n`).join("");
  }

  /** Goes to where the area begins and clears from there. */
  #erase(): string {
    if (this.#drawn === undefined) return "";
    const up = Math.min(this.#rowsAboveCursor(this.#drawn), this.#terminal.height - 1);
    return `${up > 0 ? `\u001b[${up}A` : ""}\r${ERASE_BELOW}`;
  }

  /** A terminal that was made narrower has broken the lines that did not fit any more into several rows. */
  #rowsAboveCursor({ lines, cursor, width: before }: DrawnArea): number {
    const { width } = this.#terminal;
    if (width >= before) return cursor.row;
    const rowsOf = (line: string): number => Math.max(1, Math.ceil(visibleWidth(line) / width));
    const above = lines.slice(0, cursor.row).reduce((sum, line) => sum + rowsOf(line), 0);
    return above + Math.floor(cursor.column / width);
  }
}
