/** Redo: the view as it was before the last undo, as long as nothing was said or cut since. */

import type { Session } from "@longhand/store";
import { LONGEST_LOCK_WAIT } from "./longest-lock-wait.ts";

export interface RedoneTurn {
  /** Of the record that had undone it. */
  readonly undo: number;
  /** Of the record that brings it back. */
  readonly seq: number;
  /** The first record that may be back: for `memory.reconcile`. */
  readonly from: number;
}

/** `undefined`: there is nothing to redo. */
export async function redoTurn(session: Session): Promise<RedoneTurn | undefined> {
  const lock = await session.lock({ wait: LONGEST_LOCK_WAIT });
  try {
    const undo = await lastUndo(session);
    if (undo === undefined) return undefined;
    const { seq } = await session.rewind({ to: undo.seq - 1 });
    return { undo: undo.seq, seq, from: undo.to + 1 };
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

interface Rewind {
  readonly seq: number;
  readonly to: number;
}

/** Of the rewinds at the end of the log, the last one that no later one has taken back. Notes between them change nothing. */
async function lastUndo(session: Session): Promise<Rewind | undefined> {
  const rewinds: Rewind[] = [];
  for await (const record of session.records({ reverse: true })) {
    if (record.op === "note" || record.op === "meta") continue;
    if (record.op !== "rewind") break;
    rewinds.push(record);
  }
  const undos: Rewind[] = [];
  for (const rewind of rewinds.reverse()) {
    // A redo goes to the record before an undo; an undo never does, since it takes at least one message away.
    if (rewind.to === (undos.at(-1)?.seq ?? 0) - 1) undos.pop();
    else undos.push(rewind);
  }
  return undos.at(-1);
}
