/** Compaction in the middle of a turn: before a request in which a part of the view would be missing. */

import { compactSession, type CompactOptions, type Compaction } from "@longhand/store/context";
import { pause } from "../kernel/pause.ts";
import { askModelOf } from "../models/ask-model.ts";
import type { TurnInHand } from "./turn-in-hand.ts";

/** Milliseconds; as often as this makes the two minutes that a compaction may take. */
const LOOK_AGAIN = 250;
const MOST_LOOKS = 480;

/**
 * True: the view is another one now. A model that fails is replaced by a summary without a model; the turn goes on in any
 * case. `options`: when it is done, besides the limits of the turn.
 */
export async function compactTurn(turn: TurnInHand, options: CompactOptions): Promise<boolean> {
  const { model, maxContextTokens, maxHistoryMessages } = turn.settings;
  const compact = async (): Promise<Compaction> =>
    await compactSession(turn.session, {
      ...(model.canSummarise === false
        ? {}
        : { ask: askModelOf(model, { contextTokens: maxContextTokens }) }),
      ...{ maxContextTokens, maxHistoryMessages, model: model.name, signal: turn.signal },
      ...options,
    });
  let compaction = await compact();
  // It is being compacted in the background: the result of that is what is wanted here.
  for (let look = 0; look < MOST_LOOKS && !compaction.done && compaction.reason === "busy"; look++) {
    await pause(LOOK_AGAIN, turn.signal);
    compaction = await compact();
  }
  // Another process has cut the view meanwhile: there is less to send, too.
  if (!compaction.done) return compaction.reason === "changed-meanwhile";
  turn.seq = Math.max(turn.seq, compaction.seq);
  turn.emit({ type: "compaction", seq: compaction.seq, messages: compaction.messages });
  return true;
}
