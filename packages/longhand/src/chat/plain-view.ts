/**
 * A turn where nothing is drawn: one message from the command line, or a chat over a pipe. Where a person looks on, all of it is
 * printed as it happens. Where a program reads, the answer alone goes to standard output, as the model wrote it; everything else
 * goes to standard error. As JSON, each event is a line.
 */

import type { AgentEvent } from "@longhand/agent";
import { escapeControls } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { type Output, readableWidth } from "../terminal/output.ts";
import { noteLines } from "./note-lines.ts";
import { callLine, type LineStyle, resultLine } from "./tool-lines.ts";
import { TurnView } from "./turn-view.ts";

export class PlainView {
  readonly #output: Output;
  readonly #json: boolean;
  readonly #view: TurnView;
  readonly #besides: LineStyle;
  /** The end of a text that may be the half of something: of a line end, of a character. */
  #held = "";
  #isInLine = false;

  constructor(output: Output, json: boolean) {
    this.#output = output;
    this.#json = json;
    this.#view = new TurnView({ colors: output.colors, width: () => readableWidth(output) });
    this.#besides = { colors: output.colors, width: () => output.errorWidth };
  }

  take(event: AgentEvent): void {
    if (this.#json) this.#output.write(jsonLine(event));
    else if (this.#output.isTerminal) {
      for (const line of this.#view.take(event)) this.#output.write(`${line}\n`);
    } else this.#tell(event);
  }

  #tell(event: AgentEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#text(event.text);
        return;
      case "tool-call":
        this.#endLine();
        this.#note([callLine(event.name, event.arguments, this.#besides)]);
        return;
      case "tool-result":
        this.#note([resultLine(event.content, event.isError, this.#besides)]);
        return;
      case "error":
      case "compaction":
      case "turn-end":
        this.#endLine();
        this.#note(noteLines(event, this.#besides));
        return;
      case "turn-start":
      case "reasoning-delta":
      case "usage":
        return;
    }
  }

  #text(delta: string): void {
    const text = this.#held + delta;
    const [held = ""] = /[\r\ud800-\udbff]$/.exec(text) ?? [];
    this.#held = held;
    this.#write(text.slice(0, text.length - held.length));
  }

  #endLine(): void {
    // A half of a character whose other half never came.
    this.#write(this.#held.toWellFormed());
    this.#held = "";
    if (this.#isInLine) this.#output.write("\n");
    this.#isInLine = false;
  }

  /** A tab is no harm in a file, and means something in code. */
  #write(text: string): void {
    if (text === "") return;
    this.#output.write(text.split("\t").map(escapeControls).join("\t"));
    this.#isInLine = !text.endsWith("\n");
  }

  #note(lines: readonly string[]): void {
    for (const line of lines) this.#output.writeError(`${line}\n`);
  }
}
