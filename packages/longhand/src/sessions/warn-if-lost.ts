import type { Session } from "@longhand/store";
import { escapeKey } from "../terminal/escape-controls.ts";
import { isLost } from "./records-with-gaps.ts";
import { type StoreSurroundings, warner } from "./with-store.ts";

/**
 * A session as it was after a record that is lost is what the records before it tell. That is what is wanted most often,
 * and can be taken back, so it is no reason to refuse; but whoever asks shall know.
 */
export async function warnIfLost(session: Session, seq: number, given: StoreSurroundings): Promise<void> {
  const { key } = session;
  const newest = (await session.state())?.seq ?? 0;
  if (seq > newest || !(await isLost(session, seq))) return;
  const message = `record ${seq} of ${escapeKey(key)} is lost or damaged: what it did is not known, and the records before it decide`;
  warner(given)("RECORD_LOST", message, { key, seq });
}
