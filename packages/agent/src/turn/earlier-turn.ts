/** Saying something twice: what was kept under the same id before is not kept again, nor answered again. */

import { isLonghandError, type Message, type Session } from "@longhand/store";
import { lastAnswer } from "./recover-turn.ts";
import { TURN_NOTE, turnMark } from "./turn-log.ts";
import type { TurnResult } from "./types.ts";

/**
 * The turn that these words belong to already, whatever became of it. Rejects with what is wrong with the message or its id, so
 * that this is known before anything is written. For those who hold the lock, after a turn that was open has been closed.
 */
export async function earlierTurn(
  session: Session,
  message: Message,
  id: string | undefined,
): Promise<TurnResult | undefined> {
  const kept = await seqIfKept(session, message, id);
  if (kept === undefined) return undefined;
  const messages: Message[] = [];
  for await (const record of session.records({ from: kept })) {
    if (record.op === undefined) messages.push(record.message);
    if (record.op !== "note" || record.kind !== TURN_NOTE) continue;
    const mark = turnMark(record.data);
    // Somebody else has kept these words, and no turn of ours has answered them.
    if (mark?.state === "open") return undefined;
    if (mark?.state !== "ended") continue;
    const { turn, outcome, error } = mark;
    const text = lastAnswer(messages);
    return { turn, outcome, text, seq: record.seq, ...(error === undefined ? {} : { error }) };
  }
  return undefined;
}

/** An append that cannot succeed, for the checks that come before that: the message's, then the id's, then the seq's. */
async function seqIfKept(
  session: Session,
  message: Message,
  id: string | undefined,
): Promise<number | undefined> {
  const seq = (await session.state())?.seq ?? 0;
  const expectedSeq = seq === 0 ? 1 : 0;
  try {
    return (await session.append(message, { expectedSeq, ...(id === undefined ? {} : { id }) })).seq;
  } catch (error) {
    if (isLonghandError(error, "SEQ_CONFLICT")) return undefined;
    throw error;
  }
}
