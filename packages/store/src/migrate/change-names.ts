/**
 * The names of a committed migration, forwards and back. Going back may be interrupted anywhere and begun again. A directory is
 * synced between two steps of which the second relies on the first: a new session may get the very name that its original has
 * just lost.
 *
 * Nothing that is there is written over, neither a file of the same name that came meanwhile nor a session.
 */

import type { FileStat, FileSystem } from "../host/host.ts";
import { errorCode } from "../host/io-error.ts";
import { makeDirectory } from "../host/make-directories.ts";
import { fileNameOf } from "../format/key.ts";
import type { Manifest, Move, NewSession } from "./manifest.ts";
import { readMigrated } from "./migrated-session.ts";
import { stagedPath, type MigrationPlaces, type WithKey } from "./migration-places.ts";
import { changedMeanwhile } from "./stage-session.ts";

export async function moveForward(
  files: FileSystem,
  places: MigrationPlaces,
  { moves, sessions }: Manifest,
): Promise<void> {
  for (const move of moves) {
    const { from, to } = pathsOf(places, move);
    const stat = await files.stat(from);
    if (isOriginal(stat, move) && (await files.stat(to)) === undefined) await files.rename(from, to);
    else throw changedMeanwhile(from);
  }
  await files.syncDirectory(places.directory);
  if (sessions.some(({ status }) => status === "archived")) await makeDirectory(files, places.archive);
  for (const session of sessions) await linkSession(files, places, session);
  await syncTargets(files, places);
}

/**
 * The originals have their names again, and no new session has one: except for a session that was written to since, or whose
 * originals are not there any more. That one stays, with its originals as they are called now.
 */
export async function moveBack(
  files: FileSystem,
  places: MigrationPlaces,
  { moves, sessions }: Manifest,
  withKey: WithKey,
): Promise<void> {
  const kept = new Set<string>();
  for (const session of sessions) {
    const staged = await files.stat(stagedPath(places, session.id));
    for (const path of targetsOf(places, session)) {
      if (!isSame(await files.stat(path), staged)) continue;
      await withKey(session.key, async () => {
        const mayGo =
          (await areThere(files, places, session, moves)) &&
          (await readMigrated(files, path))?.isUnchanged === true;
        if (mayGo) await files.unlink(path);
        else for (const name of session.originals) kept.add(name);
      });
    }
  }
  await syncTargets(files, places);
  for (const move of moves) {
    if (kept.has(move.from)) continue;
    const { from, to } = pathsOf(places, move);
    const isFree = (await files.stat(from)) === undefined;
    if (isFree && isOriginal(await files.stat(to), move)) await files.rename(to, from);
  }
  await files.syncDirectory(places.directory);
}

/** Each original of the session, by its old name or its new one. */
async function areThere(
  files: FileSystem,
  places: MigrationPlaces,
  { originals }: NewSession,
  moves: readonly Move[],
): Promise<boolean> {
  for (const name of originals) {
    const move = moves.find(({ from }) => from === name);
    if (move === undefined) return false;
    const { from, to } = pathsOf(places, move);
    if (!isOriginal(await files.stat(from), move) && !isOriginal(await files.stat(to), move)) return false;
  }
  return true;
}

async function linkSession(files: FileSystem, places: MigrationPlaces, session: NewSession): Promise<void> {
  const staged = stagedPath(places, session.id);
  const [target, archived] = targetsOf(places, session);
  try {
    await files.link(staged, target);
  } catch (error) {
    if (errorCode(error) !== "EEXIST" || target === archived) throw error;
    // Somebody has put a file there meanwhile. It is theirs; the session is kept beside it.
    await makeDirectory(files, places.archive);
    await files.link(staged, archived);
  }
}

/** Where it belongs, and where it goes if that is taken. */
function targetsOf(
  places: MigrationPlaces,
  { id, key, status }: NewSession,
): readonly [target: string, archived: string] {
  const archived = `${places.archive}/${places.putAwayName(fileNameOf(key), id)}`;
  return [status === "active" ? `${places.directory}/${fileNameOf(key)}` : archived, archived];
}

async function syncTargets(files: FileSystem, places: MigrationPlaces): Promise<void> {
  await files.syncDirectory(places.directory);
  if ((await files.stat(places.archive)) !== undefined) await files.syncDirectory(places.archive);
}

function pathsOf({ directory }: MigrationPlaces, { from, to }: Move): { from: string; to: string } {
  return { from: `${directory}/${from}`, to: `${directory}/${to}` };
}

function isOriginal(stat: FileStat | undefined, { size, modified }: Move): boolean {
  return stat?.kind === "file" && stat.size === size && stat.modified === modified;
}

function isSame(one: FileStat | undefined, other: FileStat | undefined): boolean {
  return one !== undefined && one.inode === other?.inode && one.device === other.device;
}
