/** The frequent rewind, over the last few messages: decided from the end of the log, however long it is. */

import type { Body } from "../format/entry.ts";
import { isLive, type SessionState } from "../format/fold.ts";
import type { EntryReader } from "./backend.ts";
import { eachEntry } from "./entry-blocks.ts";

/** More than this is not read only to spare a look at the state further back. */
const FEW_RECORDS = 500;

/**
 * A rewind over a few messages, and nothing that has changed the view otherwise: the view after it is the present one
 * without them. `undefined`: the state as it was has to be asked for.
 */
export async function rewindOverMessages(
  cut: { messages: number } | { to: number },
  state: SessionState,
  log: EntryReader,
): Promise<{ readonly to: number; readonly count: number } | undefined> {
  const wanted = "to" in cut ? Infinity : Math.min(cut.messages, state.count);
  const from = "to" in cut ? cut.to + 1 : Math.max(1, log.firstSeq, state.seq + 1 - FEW_RECORDS);
  if (wanted === 0 || state.seq - from >= FEW_RECORDS) return undefined;
  if (from < log.firstSeq || state.keepFrom < log.firstSeq) return undefined;
  let to = state.seq;
  let count = state.count;
  for await (const { seq, body } of eachEntry(log.entries({ from, to, reverse: true }))) {
    // Where a record is missing, it cannot be told what it was.
    if (seq !== to || !LEAVES_VIEW.has(body.op)) return undefined;
    to = seq - 1;
    if (body.op === "message" && isLive(state, seq)) count--;
    if (state.count - count === wanted) return { to, count };
  }
  return "to" in cut && to === cut.to ? { to, count } : undefined;
}

const LEAVES_VIEW: ReadonlySet<Body["op"]> = new Set(["message", "note", "meta", "unknown"]);
