/**
 * The first record whose message a `rewind({ to })` may take out or bring back: an undo takes out what lies behind `to`, a redo
 * brings back what the rewinds behind `to` had taken out. Call it before the rewind. For `memory.reconcile`.
 */

import type { Session } from "@longhand/store";

export async function firstAffected(session: Session, to: number): Promise<number> {
  let first = to + 1;
  try {
    for await (const record of session.records({ from: to + 1 })) {
      if (record.op === "rewind") first = Math.min(first, record.to + 1);
      // A replaced history has nothing of the one before.
      if (record.op === "reset") return 1;
    }
  } catch (error) {
    const { isLonghandError } = await import("@longhand/store");
    // Records were dropped: whatever they had done, every entry is looked at.
    if (!isLonghandError(error, "RECORD_DROPPED")) throw error;
    return 1;
  }
  return first;
}
