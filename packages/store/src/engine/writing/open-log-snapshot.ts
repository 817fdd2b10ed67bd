/** A session that this instance has open, as it is now: what it has acknowledged, landed or not. */

import type { LogPart, OpenedPart } from "../../session/log-part.ts";
import type { ReadableLog } from "../../session/read-entries.ts";
import type { SessionLog } from "../../session/session-log.ts";
import type { Snapshot } from "../../contract/backend.ts";
import { openPart, renewLog, reportFor, snapshotOf, type ReadPlace } from "../reading/read-session.ts";
import type { HeldLog } from "./shared-log.ts";

export interface OpenLogDeps {
  /** The key's open session, if there still is one; opens nothing. */
  readonly holdIfOpen: (key: string) => HeldLog | undefined;
  /** For files that another session has written: its writer may have died since. */
  readonly placeOfShared: () => Promise<ReadPlace>;
}

export function openLogSnapshot(
  place: ReadPlace,
  log: SessionLog,
  { holdIfOpen, placeOfShared }: OpenLogDeps,
): Snapshot {
  const { header, state, parts, damage } = log;
  const open = async (part: LogPart): Promise<OpenedPart | "replaced" | undefined> => {
    const held = part.sum === undefined ? holdIfOpen(header.key) : undefined;
    if (held?.log.header.id === header.id && held.log.header.file === part.file) {
      return { path: held.log.path, source: held.log.source(), close: async () => await held.release() };
    }
    // Put away, sealed or given up since: everything it had acknowledged is in its files.
    await held?.release();
    const from = part.writtenBy === header.id ? place : await placeOfShared();
    return await openPart(from, header, part, []);
  };
  const renew = async (): Promise<ReadableLog> => await renewLog(await placeOfShared(), header, state.seq);
  const readable = { parts, onDamage: reportFor(place, header), openPart: open, renew };
  return snapshotOf(readable, header, state, damage.length, "active");
}
