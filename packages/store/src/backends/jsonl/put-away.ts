/**
 * Archiving, restoring, deleting. Each is a barrier: the session is landed and synced before its file changes its name,
 * and the names are synced before the answer. Each runs alone among the writes of its key.
 */

import { LonghandError } from "../../errors.ts";
import { fileNameOf } from "../../record/key.ts";
import type { SessionLog } from "../../log/session-log.ts";
import { putAwayFilesOf, PUT_AWAY, type PutAwayStatus, type SessionFile } from "./find-session-file.ts";
import { putAwayName } from "./layout.ts";
import { newestPutAway } from "./list-sessions.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { ReadPlace } from "./read-session.ts";

export interface PutAwaySurroundings {
  readonly sessions: OpenSessions;
  readonly place: ReadPlace;
  /** Lands and syncs, or rejects. */
  settle(log: SessionLog): Promise<void>;
  /** Afterwards no journal names a session that was settled before. */
  emptyJournal(): Promise<void>;
}

export async function archiveSession(around: PutAwaySurroundings, key: string): Promise<void> {
  if (!(await putAwayActive(around, key, "archived"))) throw notFound(key, "to archive");
}

/** The newest archived one, else the newest in the trash; or the one with this id, wherever it is. */
export async function restoreSession(
  around: PutAwaySurroundings,
  key: string,
  id: string | undefined,
): Promise<void> {
  const active = await around.sessions.hold(key);
  if (active !== undefined) {
    await active.release();
    throw new LonghandError(
      "SESSION_EXISTS",
      `${JSON.stringify(key)} has an active session; archive or delete that one before you restore another`,
      { key },
    );
  }
  const file = await findPutAway(around, key, id);
  if (file === undefined)
    throw notFound(key, id === undefined ? "to restore" : `with the id ${id} to restore`);
  await around.sessions.bringBack(key, file);
}

/** Nothing there is nothing to do. */
export async function deleteSession(
  around: PutAwaySurroundings,
  key: string,
  forever: boolean,
): Promise<void> {
  await putAwayActive(around, key, "trashed");
  const { files, layout } = around.place;
  for (const file of await putAwayFilesOf(files, layout, "archived", key)) {
    await around.sessions.moveToTrash(file);
  }
  if (!forever) return;
  const trashed = await putAwayFilesOf(files, layout, "trashed", key);
  if (trashed.length === 0) return;
  // A journal record without its file would look like damage to whoever replays it.
  await around.emptyJournal();
  await around.sessions.removeFiles(trashed);
}

async function putAwayActive(
  around: PutAwaySurroundings,
  key: string,
  status: PutAwayStatus,
): Promise<boolean> {
  const held = await around.sessions.hold(key);
  if (held === undefined) return false;
  try {
    await around.settle(held.log);
    await around.sessions.takeAway(key, status, putAwayName(fileNameOf(key), held.log.header.id));
    return true;
  } finally {
    await held.release();
  }
}

async function findPutAway(
  { place }: PutAwaySurroundings,
  key: string,
  id: string | undefined,
): Promise<SessionFile | undefined> {
  for (const status of PUT_AWAY) {
    if (id === undefined) {
      const newest = await newestPutAway(place, status, key);
      if (newest !== undefined) return newest.file;
      continue;
    }
    const candidates = await putAwayFilesOf(place.files, place.layout, status, key);
    const match = candidates.find(({ name }) => name === putAwayName(fileNameOf(key), id));
    if (match !== undefined) return match;
  }
  return undefined;
}

function notFound(key: string, what: string): LonghandError {
  return new LonghandError("SESSION_NOT_FOUND", `there is no session ${JSON.stringify(key)} ${what}`, {
    key,
  });
}
