/**
 * A turn where nothing is drawn: one message from the command line, or a chat over a pipe. Where a person looks on, all of it is
 * printed as it happens. Where a program reads, the answer alone goes to standard output, as the model wrote it; everything else
 * goes to standard error. As JSON, each event is a line.
 */

import { type AgentEvent, OFFLINE_NOTICE } from "@longhand/agent";
import { escapeControls } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { type Output, readableWidth } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { LeadingAside, type Parted } from "./leading-aside.ts";
import { callLine, type LineStyle, resultLine } from "./tool-lines.ts";
import { TurnNotes } from "./turn-notes.ts";
import { TurnView } from "./turn-view.ts";

export interface PlainViewOptions {
  readonly json: boolean;
  /** What is said next may be a command of the chat. */
  readonly hasCommands: boolean;
}

export class PlainView {
  readonly #output: Output;
  readonly #json: boolean;
  readonly #view: TurnView;
  readonly #besides: LineStyle;
  readonly #notes: TurnNotes;
  /** The end of a text that may be the half of something: of a line end, of a character. */
  #held = "";
  #isInLine = false;
  /** That it is no model that answers is no part of an answer that somebody pipes. */
  #aside = new LeadingAside(OFFLINE_NOTICE);

  constructor(output: Output, { json, hasCommands }: PlainViewOptions) {
    this.#output = output;
    this.#json = json;
    const place = { isDrawn: false, hasCommands };
    this.#view = new TurnView({ colors: output.colors, width: () => readableWidth(output) }, place);
    this.#besides = { colors: output.colors, width: () => output.errorWidth };
    this.#notes = new TurnNotes(this.#besides, place);
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
        this.#text(this.#aside.push(event.text));
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
        this.#note(this.#notes.take(event));
        return;
      case "turn-start":
        this.#aside = new LeadingAside(OFFLINE_NOTICE);
        this.#note(this.#notes.take(event));
        return;
      case "usage":
        this.#note(this.#notes.take(event));
        return;
      case "reasoning-delta":
        return;
    }
  }

  #text(parted: Parted): void {
    if (parted.isAside) this.#note(wrapText(OFFLINE_NOTICE, this.#output.errorWidth));
    const text = this.#held + parted.text;
    const [held = ""] = /[\r\ud800-\udbff]$/.exec(text) ?? [];
    this.#held = held;
    this.#write(text.slice(0, text.length - held.length));
  }

  #endLine(): void {
    this.#text(this.#aside.end());
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
