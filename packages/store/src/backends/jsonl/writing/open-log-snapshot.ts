/** A session that this instance has open, as it is now: what it has acknowledged, landed or not. */

import type { LogPart, OpenedPart } from "../../../log/log-part.ts";
import type { ReadableLog } from "../../../log/read-entries.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { Snapshot } from "../../../store/backend.ts";
import { openPart, renewLog, reportFor, snapshotOf, type ReadPlace } from "../reading/read-session.ts";
import type { HeldLog } from "./shared-log.ts";

/** `holdIfOpen` answers with the key's open session, if there still is one, and opens nothing. */
export function openLogSnapshot(
  place: ReadPlace,
  log: SessionLog,
  holdIfOpen: (key: string) => HeldLog | undefined,
): Snapshot {
  const { header, state, parts, damage } = log;
  const open = async (part: LogPart): Promise<OpenedPart | "replaced" | undefined> => {
    const held = part.sum === undefined ? holdIfOpen(header.key) : undefined;
    if (held?.log.header.id === header.id && held.log.header.file === part.file) {
      return { path: held.log.path, source: held.log.source(), close: async () => await held.release() };
    }
    // Put away, sealed or given up since: everything it had acknowledged is in its files.
    await held?.release();
    return await openPart(place, header, part, []);
  };
  const renew = async (): Promise<ReadableLog> => await renewLog(place, header, state.seq);
  const readable = { parts, onDamage: reportFor(place, header), openPart: open, renew };
  return snapshotOf(readable, header, state, damage.length, "active");
}
