/**
 * What is said about a turn besides its answer: failures, retries, compactions, ends that are no answers. The reason of a failure is
 * said once; that it is tried again because of it is a short line, or none where the status line shows it.
 */

import type { AgentEvent, TurnOutcome } from "@longhand/agent";
import { escapeControls } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { formatWait } from "./format-wait.ts";
import type { LineStyle } from "./tool-lines.ts";

export interface NotePlace {
  /** A status line counts the seconds until the next try. */
  readonly isDrawn: boolean;
  /** What is typed next may be a command. */
  readonly hasCommands: boolean;
}

type ErrorEvent = Extract<AgentEvent, { type: "error" }>;

export class TurnNotes {
  readonly #style: LineStyle;
  readonly #place: NotePlace;
  /** The reason that was said last in this call of the model, and how often it came. */
  #told = "";
  #times = 0;

  constructor(style: LineStyle, place: NotePlace) {
    this.#style = style;
    this.#place = place;
  }

  /** Of every event of the turn. */
  take(event: AgentEvent): string[] {
    const { yellow, dim } = this.#style.colors;
    switch (event.type) {
      case "error":
        return this.#failure(event);
      case "compaction": {
        const which = countOf(event.messages, "message is", "messages are");
        return this.#wrapped(`· the oldest ${which} a summary for the model now; nothing is deleted`, dim);
      }
      case "turn-end": {
        this.#forget();
        const note = this.#outcome(event.outcome);
        return note === undefined ? [] : this.#wrapped(`· ${note}`, yellow);
      }
      case "turn-start":
      case "usage":
        this.#forget();
        return [];
      case "text-delta":
      case "reasoning-delta":
      case "tool-call":
      case "tool-result":
        return [];
    }
  }

  #failure({ message, code, retryIn }: ErrorEvent): string[] {
    const { red, yellow } = this.#style.colors;
    const reason = `${message.replace(/\.$/, "")} (${code})`;
    this.#times = reason === this.#told ? this.#times + 1 : 1;
    this.#told = reason;
    if (retryIn === undefined) {
      const again = this.#times === 1 ? reason : `given up after ${this.#times} tries (${code})`;
      return this.#wrapped(`✗ ${again}`, red);
    }
    return [
      ...(this.#times === 1 ? this.#wrapped(`✗ ${reason}`, yellow) : []),
      ...(this.#place.isDrawn ? [] : this.#wrapped(`· trying again in ${formatWait(retryIn)}`, yellow)),
    ];
  }

  #forget(): void {
    this.#told = "";
    this.#times = 0;
  }

  #outcome(outcome: TurnOutcome): string | undefined {
    if (outcome === "failed" && !this.#place.hasCommands) return "no answer; your message is kept";
    return OUTCOMES[outcome];
  }

  #wrapped(text: string, paint: (text: string) => string): string[] {
    return wrapText(escapeControls(text), this.#style.width()).map((line) => paint(line));
  }
}

/** `undefined`: nothing needs to be said. */
const OUTCOMES: Readonly<Record<TurnOutcome, string | undefined>> = {
  answered: undefined,
  cancelled: "cancelled; what was said until then is kept",
  failed: "no answer; your message is kept, and saying anything tries again; /undo takes it back",
  "step-limit": "stopped: too many steps in one turn; say “go on” to let it",
  "same-call": "stopped: the same tool call again and again; say how to do it otherwise",
  interrupted: "this turn was interrupted, and is closed now; what was said until then is kept",
};
