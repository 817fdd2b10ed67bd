/** One try to get an answer: shows it as it comes, and hands it over when it is whole. */

import { eachUntilAborted } from "../kernel/each-until-aborted.ts";
import { idleLimit } from "../kernel/idle-limit.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest, ReportedUsage } from "../models/model.ts";
import { cutOff, stalled } from "./model-failure.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import type { TurnInHand } from "./turn-in-hand.ts";

/** As the model wrote it, checked by nobody. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Why it is not run, for the model. */
  readonly refusal: string | undefined;
}

export interface StreamedAnswer {
  readonly calls: readonly AskedCall[];
  readonly reason: FinishReason;
  readonly usage: ReportedUsage;
}

/** A model that does not end must not fill the disk, nor make a message that is too large to be kept. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const NO_USAGE: ReportedUsage = { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined };

function show(
  turn: TurnInHand,
  partial: PartialAnswer,
  { type, text }: { readonly type: "text" | "reasoning"; readonly text: string },
): void {
  partial.add(type, text);
  turn.emit({ type: `${type}-delta`, text });
}

/** Text and reasoning go to `partial`. Throws what the model throws, or that it was cut off: its calls are then nobody's. */
export async function streamAnswer(
  turn: TurnInHand,
  request: ModelRequest,
  partial: PartialAnswer,
  signal: AbortSignal,
): Promise<StreamedAnswer> {
  const { model, retry } = turn.settings;
  const calls: AskedCall[] = [];
  let room = MOST_CHARACTERS;
  for await (const event of modelEvents(model, request, retry.idle, signal)) {
    switch (event.type) {
      case "text":
      case "reasoning":
        if (event.text === "") break;
        show(turn, partial, { type: event.type, text: event.text.slice(0, room).toWellFormed() });
        room -= event.text.length;
        break;
      case "tool-call":
        room -= event.arguments.length + event.name.length + event.id.length;
        if (room > 0) {
          const { id, name, refusal } = event;
          calls.push({ id, name, arguments: event.arguments, refusal });
        }
        break;
      case "finish":
        return { calls, reason: event.reason, usage: event.usage };
    }
    // Of an answer that was cut off no call is run.
    if (room <= 0) return { calls: [], reason: "length", usage: NO_USAGE };
  }
  throw cutOff(model.name);
}

/** Ends soon after the signal or a stall, whatever the model does; and the model is told that nobody listens any more. */
async function* modelEvents(
  model: Model,
  request: ModelRequest,
  idle: number,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const attempt = new AbortController();
  const abort = (): void => attempt.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    const events = eachUntilAborted(model.stream(request, attempt.signal), attempt.signal);
    yield* idleLimit(events, idle, () => stalled(model.name, idle));
  } finally {
    signal.removeEventListener("abort", abort);
    attempt.abort(new Error("nobody waits for this answer any more"));
  }
}
