/** What is said about a turn besides its answer: failures, retries, compactions, ends that are no answers. Pure. */

import type { AgentEvent, TurnOutcome } from "@longhand/agent";
import { escapeControls } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { LineStyle } from "./tool-lines.ts";

export function noteLines(event: AgentEvent, style: LineStyle): string[] {
  const { colors } = style;
  switch (event.type) {
    case "error": {
      const again = event.retryIn === undefined ? "" : `; trying again in ${formatWait(event.retryIn)}`;
      const paint = event.retryIn === undefined ? colors.red : colors.yellow;
      return wrapped(`✗ ${event.message} (${event.code})${again}`, paint, style);
    }
    case "compaction": {
      const which = countOf(event.messages, "message is", "messages are");
      return wrapped(
        `· the oldest ${which} a summary for the model now; nothing is deleted`,
        colors.dim,
        style,
      );
    }
    case "turn-end": {
      const note = OUTCOMES[event.outcome];
      return note === undefined ? [] : wrapped(`· ${note}`, colors.yellow, style);
    }
    case "turn-start":
    case "text-delta":
    case "reasoning-delta":
    case "tool-call":
    case "tool-result":
    case "usage":
      return [];
  }
}

/** Never "0 s": it is still to come. */
export function formatWait(milliseconds: number): string {
  return `${Math.max(1, Math.ceil(milliseconds / 1000))} s`;
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

function wrapped(text: string, paint: (text: string) => string, { width }: LineStyle): string[] {
  return wrapText(escapeControls(text), width()).map((line) => paint(line));
}
