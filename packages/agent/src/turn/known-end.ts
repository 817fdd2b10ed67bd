/**
 * Sessions whose newest record is the end of a turn that this process has written. As long as that is the newest record no turn is open
 * there, which the log need not be read for: most turns follow one that ended.
 */

import type { Session, SessionInfo } from "@longhand/store";

type Newest = Pick<SessionInfo, "id" | "seq" | "updated">;

const ends = new WeakMap<Session, Newest>();

/** `seq`: of the note that has ended the turn. For those who hold the lock. */
export async function noteEnd(session: Session, seq: number): Promise<void> {
  // Where that fails it is not known, and the next turn reads the log.
  const info = await session.state().catch(() => undefined);
  if (info?.seq === seq) ends.set(session, { id: info.id, seq, updated: info.updated });
}

/** False also where that is not known. */
export async function isKnownToHaveEnded(session: Session): Promise<boolean> {
  const end = ends.get(session);
  if (end === undefined) return false;
  const info = await session.state();
  // The time too: a file that was put back from a backup may have come to the same seq again.
  return info?.id === end.id && info.seq === end.seq && info.updated === end.updated;
}
