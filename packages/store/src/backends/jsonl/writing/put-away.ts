/**
 * Archiving, restoring, deleting. Each is a barrier: the session is landed and synced before its file changes its name,
 * and the names are synced before the answer. Each runs alone among the writes of its key, under its lease.
 */

import { LonghandError } from "../../../errors.ts";
import { sessionExists } from "../../session-exists.ts";
import { fileNameOf } from "../../../record/key.ts";
import { isId } from "../../../record/session-id.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import {
  putAwayFilesOf,
  PUT_AWAY,
  type PutAwayStatus,
  type SessionFile,
} from "../files/find-session-file.ts";
import { idInName, putAwayName } from "../files/layout.ts";
import { checkOnlyFile, checkOnlyFilesAnywhere, type OwnFile } from "../files/only-file.ts";
import { newestPutAway } from "../reading/list-sessions.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import type { Tenure } from "./tenure.ts";

export interface PutAwaySurroundings {
  readonly tenure: Tenure;
  readonly sessions: OpenSessions;
  readonly place: ReadPlace;
  /** Lands and syncs, or rejects. */
  settle(log: SessionLog): Promise<void>;
}

export async function archiveSession(around: PutAwaySurroundings): Promise<void> {
  await checkOnly(around, [], false);
  if (!(await putAwayActive(around, "archived"))) throw notFound(around.tenure.key, "to archive");
}

/** The newest archived one, else the newest in the trash; or the one with this id, wherever it is. */
export async function restoreSession(around: PutAwaySurroundings, id: string | undefined): Promise<void> {
  const { key, log } = around.tenure;
  if (log !== undefined) throw sessionExists(key);
  const file = await findPutAway(around, key, id);
  if (file === undefined)
    throw notFound(key, id === undefined ? "to restore" : `with the id ${id} to restore`);
  await around.sessions.bringBack(around.tenure, file);
}

/** Nothing there is nothing to do. */
export async function deleteSession(around: PutAwaySurroundings, forever: boolean): Promise<void> {
  const { key } = around.tenure;
  const { files, layout } = around.place;
  // Looked for before anything is moved: where it cannot be seen what there is, nothing was done.
  const archived = await putAwayFilesOf(files, layout, "archived", key);
  const trashed = forever ? await putAwayFilesOf(files, layout, "trashed", key) : [];
  await checkOnly(around, [...archived, ...trashed], forever);
  await putAwayActive(around, "trashed");
  for (const file of archived) await around.sessions.moveToTrash(file);
  if (!forever) return;
  for (const file of await putAwayFilesOf(files, layout, "trashed", key)) {
    const id = idInName(file);
    if (id !== undefined) await around.sessions.removeForGood(key, id, file);
  }
}

/** Before anything is moved, all of it is looked at: a delete that is refused has done nothing. */
async function checkOnly(
  { tenure, place }: PutAwaySurroundings,
  putAway: readonly SessionFile[],
  forever: boolean,
): Promise<void> {
  const { files, layout } = place;
  const { key, log } = tenure;
  const own = putAway.map((file): OwnFile => ({ key, id: idInName(file) ?? "", path: file.path }));
  if (log !== undefined) own.push({ key, id: log.header.id, path: log.path });
  for (const each of own) await checkOnlyFile(files, layout, each);
  if (forever) await checkOnlyFilesAnywhere(files, layout, own);
}

async function putAwayActive(around: PutAwaySurroundings, status: PutAwayStatus): Promise<boolean> {
  const { tenure, sessions } = around;
  const { key, log } = tenure;
  if (log === undefined) return false;
  await around.settle(log);
  await sessions.takeAway(tenure, status, putAwayName(fileNameOf(key), log.header.id));
  return true;
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
    const match = candidates.find(({ name }) => isId(id) && name === putAwayName(fileNameOf(key), id));
    if (match !== undefined) return match;
  }
  return undefined;
}

function notFound(key: string, what: string): LonghandError {
  return new LonghandError("SESSION_NOT_FOUND", `there is no session ${JSON.stringify(key)} ${what}`, {
    key,
  });
}
