/** Undo: the last turn is taken out of the view as a whole, with what was said to steer it. It stays in the log. */

import type { Session } from "@longhand/store";
import { LONGEST_LOCK_WAIT } from "./longest-lock-wait.ts";
import { closeOpenTurn } from "./recover-turn.ts";
import { TURN_NOTE, turnMark } from "./turn-log.ts";

export interface RewoundTurn {
  /** `undefined`: no turn of ours, but a user's message with what follows it. */
  readonly turn: string | undefined;
  /** Of the record that takes it back. */
  readonly seq: number;
  /** The first record that was taken out: for `memory.reconcile`. */
  readonly from: number;
}

/** With `turn`: only if that is the last one. `undefined`: there was nothing to take back. */
export async function rewindTurn(session: Session, turn?: string): Promise<RewoundTurn | undefined> {
  const lock = await session.lock({ wait: LONGEST_LOCK_WAIT });
  try {
    await closeOpenTurn(session, { agent: "", events: () => undefined });
    const last = await lastTurn(session);
    if (last === undefined || (turn !== undefined && last.turn !== turn)) return undefined;
    const { seq } = await session.rewind({ to: last.before });
    return { turn: last.turn, seq, from: last.before + 1 };
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

async function lastTurn(
  session: Session,
): Promise<{ readonly turn: string | undefined; readonly before: number } | undefined> {
  let firstLive: number | undefined;
  for await (const { seq } of session.records({ live: true, last: 1 })) firstLive = seq;
  if (firstLive === undefined) return undefined;
  // Turns never interleave: the newest mark before a message says whether it is of a turn, and of which.
  for await (const record of session.records({ to: firstLive, reverse: true })) {
    if (record.op !== "note" || record.kind !== TURN_NOTE) continue;
    const mark = turnMark(record.data);
    if (mark?.state === "open") return { turn: mark.turn, before: record.seq };
    if (mark?.state === "ended") break;
  }
  for await (const record of session.records({ live: true, reverse: true })) {
    if (record.op === undefined && record.message.role === "user")
      return { turn: undefined, before: record.seq - 1 };
  }
  return undefined;
}
