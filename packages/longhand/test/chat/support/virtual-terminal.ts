/** A terminal in memory that understands what a chat writes, and nothing more: what it does not know is an error. */

import picocolors from "picocolors";
import { displayWidth } from "../../../src/terminal/display-width.ts";
import type { ChatTerminal, TerminalListener } from "../../../src/chat/chat-terminal.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export class VirtualTerminal implements ChatTerminal {
  readonly colors = picocolors.createColors(false);
  width: number;
  height: number;
  written = "";
  isOpen = false;
  suspensions = 0;
  /** Rows of cells; a wide character has an empty cell behind it. */
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  #listener: TerminalListener | undefined;

  constructor(width = 60, height = 16) {
    this.width = width;
    this.height = height;
  }

  now(): Date {
    return new Date("2026-11-15T12:00:00.000Z");
  }

  open(listener: TerminalListener): () => void {
    this.#listener = listener;
    this.isOpen = true;
    return () => {
      this.isOpen = false;
      this.#listener = undefined;
    };
  }

  async suspend(): Promise<void> {
    this.suspensions++;
    await Promise.resolve();
  }

  type(text: string): void {
    this.#listener?.bytes(Buffer.from(text));
  }

  hangUp(): void {
    this.#listener?.ended();
  }

  resize(width: number, height: number): void {
    if (width < this.width) this.#reflow(width);
    this.width = width;
    this.height = height;
    this.#listener?.resized();
  }

  /** Everything, with what has scrolled away. */
  get lines(): string[] {
    return this.#rows.map((row) => row.join("").trimEnd());
  }

  get text(): string {
    return this.lines.join("\n");
  }

  get cursor(): { readonly line: string; readonly column: number } {
    return { line: this.lines[this.#row] ?? "", column: this.#column };
  }

  write(text: string): void {
    this.written += text;
    for (let rest = text; rest !== "";) {
      const sequence = /^\u001b\[([0-9;?]*)([A-Za-z])/.exec(rest);
      if (sequence !== null) {
        this.#control(Number(sequence[1] === "" ? "1" : sequence[1]), sequence[2] ?? "");
        rest = rest.slice(sequence[0].length);
        continue;
      }
      const [plain = ""] = /^[^\u0000-\u001f]+|^[\r\n]/.exec(rest) ?? [];
      if (plain === "") throw new Error(`the terminal does not know ${JSON.stringify(rest.slice(0, 10))}`);
      if (plain === "\r") this.#column = 0;
      else if (plain === "\n") this.#newLine();
      else for (const { segment } of graphemes.segment(plain)) this.#put(segment);
      rest = rest.slice(plain.length);
    }
  }

  #control(count: number, final: string): void {
    if (final === "A") {
      const top = Math.max(0, this.#rows.length - this.height);
      if (this.#row - count < top) throw new Error("the cursor was moved above the screen");
      this.#row -= count;
    } else if (final === "C") this.#column += count;
    else if (final === "J") {
      this.#rows = this.#rows.slice(0, this.#row + 1);
      this.#rows[this.#row] = (this.#rows[this.#row] ?? []).slice(0, this.#column);
    } else throw new Error(`the terminal does not know the sequence ${final}`);
  }

  #newLine(): void {
    this.#row++;
    if (this.#row === this.#rows.length) this.#rows.push([]);
  }

  #put(segment: string): void {
    const width = displayWidth(segment);
    if (this.#column + width > this.width) {
      this.#newLine();
      this.#column = 0;
    }
    const row = (this.#rows[this.#row] ??= []);
    while (row.length < this.#column) row.push(" ");
    row[this.#column] = segment;
    if (width === 2) row[this.#column + 1] = "";
    this.#column += width;
  }

  /** As most terminals do it: what does not fit any more goes on in the next row, and the cursor stays where it was in the text. */
  #reflow(width: number): void {
    const rows: string[][] = [];
    let cursorRow = 0;
    let cursorColumn = 0;
    for (const [index, row] of this.#rows.entries()) {
      if (index === this.#row) {
        cursorRow = rows.length + Math.floor(this.#column / width);
        cursorColumn = this.#column % width;
      }
      rows.push(row.slice(0, width));
      for (let place = width; place < row.length; place += width) rows.push(row.slice(place, place + width));
    }
    this.#rows = rows;
    while (this.#rows.length <= cursorRow) this.#rows.push([]);
    this.#row = cursorRow;
    this.#column = cursorColumn;
  }
}
