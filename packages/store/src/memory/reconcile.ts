/**
 * Entries follow the history they came from: an undo of a turn withdraws what was learnt from it, a redo brings it back. Only the
 * current state of the session counts, so that the same call serves both, and calling it twice changes nothing.
 */

import { isLonghandError } from "../errors.ts";
import type { Session } from "../contract/types.ts";
import type { LoggedMessage } from "../context/turns.ts";
import type { MemoryLog, ScopeView } from "./memory-log.ts";
import { citedRange } from "./stored-entry.ts";
import type { MemoryEntry, Reconciled } from "./types.ts";

/** `from`: the first record that may have been taken out or brought back; entries from before it are left alone. */
export async function reconcile(
  log: Pick<MemoryLog, "undo" | "restore">,
  views: readonly ScopeView[],
  session: Session,
  from: number,
): Promise<Reconciled> {
  const id = (await session.state())?.id;
  const found: { withdrawn: MemoryEntry[]; restored: MemoryEntry[]; partial: MemoryEntry[] } = {
    ...{ withdrawn: [], restored: [], partial: [] },
  };
  for (const view of id === undefined ? [] : views) {
    const withdrawn: MemoryEntry[] = [];
    const restored: MemoryEntry[] = [];
    for (const entry of view.entries) {
      const cited = citedRange(entry.source);
      if (cited?.key !== session.key || cited.id !== id || cited.to < from) continue;
      const isWithdrawn = view.isWithdrawn(entry.id);
      if (entry.status === "undone" && !isWithdrawn) continue;
      const kept = await keptOf(session, cited, from);
      if (kept === undefined) continue;
      // A day's entry tells of every turn of its batch: it goes with the last of them.
      const isGone = entry.kind === "daily" ? kept.none : kept.someMissing;
      if (isGone && !isWithdrawn) withdrawn.push(entry);
      else if (!isGone && isWithdrawn) restored.push(entry);
      else if (!isGone && kept.someMissing) found.partial.push(entry);
    }
    await log.undo(view.scope, withdrawn.map(idOf), { withdrawn: true });
    await log.restore(view.scope, restored.map(idOf));
    found.withdrawn.push(...withdrawn);
    found.restored.push(...restored);
  }
  return found;
}

/** The first of these messages that was taken back; `undefined`: none was. */
export async function firstTakenBack(
  session: Session,
  messages: readonly LoggedMessage[],
): Promise<number | undefined> {
  const kept = new Set<number>();
  const [from, to] = [messages[0]?.seq ?? 1, messages.at(-1)?.seq ?? 0];
  for await (const { seq } of session.records({ from, to, kept: true })) kept.add(seq);
  return messages.find(({ seq }) => !kept.has(seq))?.seq;
}

interface Kept {
  /** No message of the range is left. */
  readonly none: boolean;
  /** A message from `from` on is not left. */
  readonly someMissing: boolean;
}

/** `undefined`: records of the range were dropped, and nothing can be said. */
async function keptOf(
  session: Session,
  range: { readonly from: number; readonly to: number },
  from: number,
): Promise<Kept | undefined> {
  const { to } = range;
  try {
    const kept = new Set<number>();
    for await (const { seq, op } of session.records({ from: range.from, to, kept: true }))
      if (op === undefined) kept.add(seq);
    let someMissing = false;
    for await (const { seq, op } of session.records({ from: Math.max(range.from, from), to }))
      if (op === undefined && !kept.has(seq)) someMissing = true;
    return { none: kept.size === 0, someMissing };
  } catch (error) {
    if (isLonghandError(error, "RECORD_DROPPED")) return undefined;
    throw error;
  }
}

function idOf({ id }: MemoryEntry): string {
  return id;
}
