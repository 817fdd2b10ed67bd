/**
 * Archiving, restoring, deleting. Each is a barrier: the session is landed and synced before its file changes its name,
 * and the names are synced before the answer. Each runs alone among the writes of its key, under its lease.
 */

import { LonghandError } from "../../errors.ts";
import { sessionExists } from "../../contract/session-exists.ts";
import { fileNameOf } from "../../format/key.ts";
import { isId } from "../../format/session-id.ts";
import {
  putAwayFilesOf,
  PUT_AWAY,
  type PutAwayStatus,
  type SessionFile,
} from "../files/find-session-file.ts";
import { idInName, putAwayName } from "../../format/layout.ts";
import { checkOnlyFile, checkOnlyFilesAnywhere, type OwnFile } from "../files/only-file.ts";
import { newestPutAway } from "../reading/list-sessions.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import type { HeldSession } from "./held-session.ts";

export interface PutAwayDeps {
  readonly heldSession: HeldSession;
  readonly sessions: OpenSessions;
  readonly place: ReadPlace;
}

export async function archiveSession(deps: PutAwayDeps): Promise<void> {
  await checkOnly(deps, [], false);
  if (!(await putAwayActive(deps, "archived"))) throw notFound(deps.heldSession.key, "to archive");
}

/** The newest archived one, else the newest in the trash; or the one with this id, wherever it is. */
export async function restoreSession(deps: PutAwayDeps, id: string | undefined): Promise<void> {
  const { key, log } = deps.heldSession;
  if (log !== undefined) throw sessionExists(key);
  const file = await findPutAway(deps, key, id);
  if (file === undefined)
    throw notFound(key, id === undefined ? "to restore" : `with the id ${id} to restore`);
  await deps.sessions.bringBack(deps.heldSession, file);
}

/** Nothing there is nothing to do. */
export async function deleteSession(deps: PutAwayDeps, forever: boolean): Promise<void> {
  const { key } = deps.heldSession;
  const { files, layout } = deps.place;
  // Looked for before anything is moved: where it cannot be seen what there is, nothing was done.
  const archived = await putAwayFilesOf(files, layout, "archived", key);
  const trashed = forever ? await putAwayFilesOf(files, layout, "trashed", key) : [];
  await checkOnly(deps, [...archived, ...trashed], forever);
  await putAwayActive(deps, "trashed");
  for (const file of archived) await deps.sessions.moveToTrash(file);
  if (!forever) return;
  for (const file of await putAwayFilesOf(files, layout, "trashed", key)) {
    const id = idInName(file);
    if (id !== undefined) await deps.sessions.removeForGood(key, id, file);
  }
}

/** Before anything is moved, all of it is looked at: a delete that is refused has done nothing. */
async function checkOnly(
  { heldSession, place }: PutAwayDeps,
  putAway: readonly SessionFile[],
  forever: boolean,
): Promise<void> {
  const { files, layout } = place;
  const { key, log } = heldSession;
  const own = putAway.map((file): OwnFile => ({ key, id: idInName(file) ?? "", path: file.path }));
  if (log !== undefined) own.push({ key, id: log.header.id, path: log.path });
  for (const each of own) await checkOnlyFile(files, layout, each);
  if (forever) await checkOnlyFilesAnywhere(files, layout, own);
}

async function putAwayActive(deps: PutAwayDeps, status: PutAwayStatus): Promise<boolean> {
  const { heldSession, sessions } = deps;
  const { key, log } = heldSession;
  if (log === undefined) return false;
  await sessions.sealing.settle(log);
  await sessions.takeAway(heldSession, status, putAwayName(fileNameOf(key), log.header.id));
  return true;
}

async function findPutAway(
  { place }: PutAwayDeps,
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
