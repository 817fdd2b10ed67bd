/** Lets the memory follow an undo that a command has made in a session. A memory that cannot be opened does not undo the undo. */

import type { Session } from "@longhand/store";
import type { Reconciled } from "@longhand/store/memory";
import { type MemorySurroundings, withMemory } from "./with-memory.ts";
import { warner } from "./with-store.ts";

const NOTHING: Reconciled = { withdrawn: [], restored: [], partial: [] };

/** `from`: the first record that was taken out or brought back. */
export async function reconcileMemory(
  given: MemorySurroundings,
  session: Session,
  from: number,
): Promise<Reconciled> {
  try {
    return (await withMemory(given, async (memory) => await memory.reconcile(session, { from }))) ?? NOTHING;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the undo is done, but what the memory learnt from it could not be withdrawn: ${reason}; see: ${given.toPaste("memory list")}`;
    warner(given)("MEMORY_NOT_UPDATED", message, { key: session.key });
    given.markFailed();
    return NOTHING;
  }
}
