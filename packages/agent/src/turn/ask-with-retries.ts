/** A call of the model with its tries: waits and asks again where that may help and nothing was shown yet. */

import { abortReason } from "../kernel/abort-reason.ts";
import { pause } from "../kernel/pause.ts";
import type { ModelRequest } from "../models/model.ts";
import { saysSomething } from "./says-something.ts";
import { emptyAnswer, modelFailure } from "./model-failure.ts";
import { PartialAnswer } from "./partial-answer.ts";
import { RetryPlan } from "./retry-plan.ts";
import { streamAnswer, type StreamedAnswer } from "./stream-answer.ts";
import type { TurnInHand } from "./turn-in-hand.ts";

/** What was shown is in `turn.partial`, also if this rejects, and no note of it is in flight if it resolves. */
export async function askWithRetries(turn: TurnInHand, request: ModelRequest): Promise<StreamedAnswer> {
  const { model, retry } = turn.settings;
  const plan = new RetryPlan(retry);
  const stop = new AbortController();
  const partial = new PartialAnswer(turn.session, (error) => stop.abort(error));
  turn.partial = partial;
  const abort = (): void => stop.abort(abortReason(turn.signal));
  turn.signal.addEventListener("abort", abort, { once: true });
  if (turn.signal.aborted) abort();
  try {
    for (;;) {
      try {
        const answer = await streamAnswer(turn, request, partial, stop.signal);
        if (answer.calls.length === 0 && !saysSomething(partial.text)) throw emptyAnswer(model.name);
        await partial.settle();
        partial.throwIfFailed();
        return answer;
      } catch (error) {
        // Cancelled, or nothing can be written any more.
        if (stop.signal.aborted) throw abortReason(stop.signal);
        const failure = modelFailure(model.name, error);
        const retryIn = plan.pauseAfter(failure, partial.wasShown);
        if (retryIn === undefined) throw failure;
        turn.emit({
          type: "error",
          code: failure.code,
          message: turn.settings.redact(failure.message),
          retryIn,
        });
        await pause(retryIn, stop.signal);
      }
    }
  } finally {
    turn.signal.removeEventListener("abort", abort);
  }
}
