/**
 * A fork has the turns of the session that it was forked from, and what was remembered of them is not remembered a second time. A
 * session does not say where it comes from. But a fork begins with the very same records, at the same times: so it is compared with
 * those sessions, consolidated into the same scope, whose first record has the time of its own; and one of the two must have been
 * made after that record, as a fork is. Who is in doubt repeats a turn: none is left out.
 */

import { isLonghandError } from "../errors.ts";
import type { SessionRecord } from "../format/session-record.ts";
import type { Session, Store } from "../contract/types.ts";
import type { Progress, ScopeView } from "./memory-log.ts";

/** When its first record was written that is still kept; `undefined`: there is none. */
export async function beginningOf(session: Session): Promise<string | undefined> {
  for await (const { at } of session.records()) return at;
  return undefined;
}

/** Those with more consolidated than `after`. */
export function relativesOf(
  view: ScopeView,
  { id, began, after }: { readonly id: string; readonly began: string | undefined; readonly after: number },
): readonly Progress[] {
  return view.sessions.filter(
    (each) => each.id !== id && began !== undefined && each.began === began && each.to > after,
  );
}

/** Whether both say the same of the same sessions. */
export function isSame(relatives: readonly Progress[], others: readonly Progress[]): boolean {
  return (
    relatives.length === others.length &&
    relatives.every((each) => others.some(({ id, to }) => id === each.id && to === each.to))
  );
}

/** Up to which seq, `after` at least, what the session shares with its relatives is consolidated. */
export async function sharedTo(
  session: Session,
  sessions: Pick<Store, "session">,
  relatives: readonly Progress[],
  after: number,
): Promise<number> {
  let furthest = after;
  const created = (await session.state())?.created ?? "";
  for (const { key, id, to, began = "" } of relatives) {
    const other = sessions.session(key);
    const state = await other.state();
    // Removed, or begun anew: then nothing can be compared.
    if (state?.id !== id) continue;
    if (created <= began && state.created <= began) continue;
    const same = await sameTo(session, other, after + 1, to);
    furthest = Math.max(furthest, same === to ? same : await wholeTurnsTo(session, same));
  }
  return furthest;
}

/** The last seq up to which both have the same records. */
async function sameTo(session: Session, other: Session, from: number, to: number): Promise<number> {
  let same = from - 1;
  const others = other.records({ from, to })[Symbol.asyncIterator]();
  try {
    for await (const record of session.records({ from, to })) {
      const next = await others.next();
      if (next.done === true || JSON.stringify(next.value) !== JSON.stringify(record)) break;
      same = record.seq;
    }
  } catch (error) {
    // What was dropped cannot be compared.
    if (!isLonghandError(error, "RECORD_DROPPED")) throw error;
  } finally {
    await others.return?.();
  }
  return same;
}

/** A turn that goes on otherwise behind this seq is another turn, with its first words. */
async function wholeTurnsTo(session: Session, to: number): Promise<number> {
  const next = await firstRole(session.records({ from: to + 1, kept: true }));
  if (next === undefined || next.role === "user") return to;
  const first = to === 0 ? undefined : await firstRole(session.records({ to, reverse: true }), "user");
  return first === undefined ? to : first.seq - 1;
}

async function firstRole(
  records: AsyncIterable<SessionRecord>,
  wanted?: "user",
): Promise<{ readonly seq: number; readonly role: string } | undefined> {
  for await (const record of records) {
    if (record.op !== undefined) continue;
    const { seq, message } = record;
    if (wanted === undefined || message.role === wanted) return { seq, role: message.role };
  }
  return undefined;
}
