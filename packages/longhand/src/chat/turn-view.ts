/**
 * A turn as it happens, as lines: the answer, the reasoning dim, each tool call with its result, notes. Lines that are finished
 * are given once; what may still change is in `live`. Calls that run at the same time are told one after the other, each
 * together with its result. Pure, but for what it remembers of the turn.
 */

import type { AgentEvent } from "@longhand/agent";
import { escapeControls } from "../terminal/escape-controls.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { callLine, type LineStyle, resultLine } from "./tool-lines.ts";
import { type NotePlace, TurnNotes } from "./turn-notes.ts";

type Part = "nothing" | "answer" | "reasoning" | "tools";

interface RunningCall {
  readonly name: string;
  readonly arguments: unknown;
}

export class TurnView {
  readonly #style: LineStyle;
  readonly #markdown: MarkdownStream;
  readonly #notes: TurnNotes;
  readonly #calls = new Map<string, RunningCall>();
  #reasoning = "";
  #part: Part = "nothing";

  constructor(style: LineStyle, place: NotePlace) {
    this.#style = style;
    this.#notes = new TurnNotes(style, place);
    this.#markdown = new MarkdownStream(style);
  }

  take(event: AgentEvent): string[] {
    switch (event.type) {
      case "text-delta":
        return [...this.#begin("answer"), ...this.#markdown.push(event.text)];
      case "reasoning-delta":
        return [...this.#begin("reasoning"), ...this.#reason(event.text)];
      case "tool-call":
        this.#calls.set(event.id, event);
        return this.#begin("tools");
      case "tool-result": {
        const call = this.#calls.get(event.id);
        this.#calls.delete(event.id);
        return [
          ...this.#begin("tools"),
          callLine(event.name, call?.arguments ?? {}, this.#style),
          resultLine(event.content, event.isError, this.#style),
        ];
      }
      case "error":
      case "compaction":
        return [...this.#endPart(), ...this.#notes.take(event)];
      case "turn-end":
        this.#calls.clear();
        return [...this.#endPart(), ...this.#notes.take(event)];
      case "turn-start":
      case "usage":
        return this.#notes.take(event);
    }
  }

  live(): string[] {
    const running = [...this.#calls.values()].map(
      (call) => `${callLine(call.name, call.arguments, { ...this.#style, width: () => this.#narrower() })} …`,
    );
    if (this.#part === "answer") return [...this.#markdown.pending(), ...running];
    if (this.#part === "reasoning") return [...this.#dimmed(this.#reasoning), ...running];
    return running;
  }

  #narrower(): number | undefined {
    const width = this.#style.width();
    return width === undefined ? undefined : width - 2;
  }

  /** A blank line between an answer and what is no answer. */
  #begin(part: Part): string[] {
    if (this.#part === part) return [];
    const before = this.#part;
    const lines = this.#endPart();
    this.#part = part;
    return before === "nothing" ? lines : [...lines, ""];
  }

  #endPart(): string[] {
    const part = this.#part;
    this.#part = "nothing";
    if (part === "answer") return this.#markdown.end();
    if (part !== "reasoning") return [];
    const rest = this.#reasoning;
    this.#reasoning = "";
    return rest === "" ? [] : this.#dimmed(rest);
  }

  #reason(text: string): string[] {
    const parts = (this.#reasoning + text).split("\n");
    this.#reasoning = parts.pop() ?? "";
    return parts.flatMap((line) => this.#dimmed(line));
  }

  #dimmed(line: string): string[] {
    const width = this.#style.width();
    const shown = escapeControls(line.replace(/\r$/, "").toWellFormed());
    const lines = wrapText(shown, width === undefined ? undefined : width - 2);
    return lines.map((each) => (each === "" ? "" : `  ${this.#style.colors.dim(each)}`));
  }
}
