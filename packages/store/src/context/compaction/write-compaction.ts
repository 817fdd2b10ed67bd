/** Writes a compaction that was decided on an older state of the session, if what it cuts is still as it was then. */

import { isLonghandError } from "../../errors.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import type { Session } from "../../contract/types.ts";
import { changesView } from "../changes-view.ts";
import { COMPACTION, currentCompaction, type CompactionNote } from "./current-compaction.ts";

/** Where others write without a pause, the next turn is time enough. */
const MOST_TRIES = 20;

/** The seq of the record; `undefined`: the view was changed since `base`, and nothing was written. */
export async function writeCompaction(
  session: Session,
  base: Pick<SessionInfo, "id" | "seq">,
  cut: { readonly summary: string; readonly keepFrom: number },
  about: Omit<CompactionNote, "previous">,
): Promise<number | undefined> {
  const previous = (await currentCompaction(session))?.noteSeq;
  const data: CompactionNote = { ...about, ...(previous === undefined ? {} : { previous }) };
  for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
    const seen = await unchangedUpTo(session, base);
    if (seen === undefined) return undefined;
    try {
      // The record comes right behind its note: that is how they belong together.
      const noted = await session.note(COMPACTION, data, { expectedSeq: seen });
      return (await session.compact(cut, { expectedSeq: noted.seq })).seq;
    } catch (error) {
      // Somebody has written in between: look again at what.
      if (!isLonghandError(error, "SEQ_CONFLICT")) throw error;
    }
  }
  return undefined;
}

/** The newest seq; `undefined`: something since `base` has changed the view, or it is another session by now. */
async function unchangedUpTo(
  session: Session,
  base: Pick<SessionInfo, "id" | "seq">,
): Promise<number | undefined> {
  const { id, seq } = (await session.state()) ?? { id: undefined, seq: 0 };
  if (id !== base.id || seq < base.seq) return undefined;
  if (seq === base.seq) return seq;
  for await (const record of session.records({ from: base.seq + 1, to: seq }))
    if (changesView(record)) return undefined;
  return seq;
}
