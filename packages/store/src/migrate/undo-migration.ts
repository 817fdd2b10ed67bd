/**
 * Takes a migration back: the originals get their names again, byte for byte, and the sessions made of them go. Only for sessions
 * that were not written to since, and only if the originals are what was migrated. The caller keeps other migrations out.
 *
 * An original has its name before its session goes, and where both have one name, the original replaces the session in one rename:
 * at every moment one of the two is there, and an undo that was interrupted can be run again.
 */

import { aliasFileName } from "../format/layout.ts";
import { isLonghandError } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import { isSameFile } from "../host/is-same-file.ts";
import { readSmallFile, removeIfThere } from "../host/small-files.ts";
import { MAX_ALIAS_BYTES, readAlias } from "./aliases.ts";
import { forgetLookedAt } from "./looked-at.ts";
import { readMigrated, type MigratedSession } from "./migrated-session.ts";
import { dirname, join } from "node:path";
import type { MigrationPlaces, WithKey } from "./migration-places.ts";
import { planUndo, type FoundOriginal, type NotUndone, type UndoableSession } from "./plan-undo.ts";

export interface UndoneMigration {
  readonly directory: string;
  /** What was undone, or would be: the session that went, and the names of the originals that came back. */
  readonly undone: readonly UndoneSession[];
  readonly notUndone: readonly NotUndone[];
}

export interface UndoneSession {
  readonly key: string;
  readonly id: string;
  readonly originals: readonly string[];
}

/** Changes nothing. */
export async function previewUndo(files: FileSystem, places: MigrationPlaces): Promise<UndoneMigration> {
  const { undoable, notUndone } = await planUndo(files, places);
  return { directory: places.directory, undone: undoable.map(toUndone), notUndone };
}

export async function undoMigration(
  files: FileSystem,
  places: MigrationPlaces,
  withKey: WithKey,
): Promise<UndoneMigration> {
  const plan = await planUndo(files, places);
  const undone: UndoneSession[] = [];
  const notUndone: NotUndone[] = [...plan.notUndone];
  // What an earlier look at the names has found out is no longer true.
  await forgetLookedAt(files, places);
  let waiting = plan.undoable;
  for (;;) {
    const blocked: UndoableSession[] = [];
    for (const each of waiting) {
      if ((await takenName(files, places, each)) !== undefined) blocked.push(each);
      else {
        const reason = await undoOne(files, places, each, withKey);
        if (reason === undefined) undone.push(toUndone(each));
        else notUndone.push(toNotUndone(each, reason));
      }
    }
    // A session that goes may free the name of another one's original.
    if (blocked.length === 0 || blocked.length === waiting.length) {
      for (const each of blocked) {
        const name = (await takenName(files, places, each)) ?? "its name";
        notUndone.push(toNotUndone(each, `${name} is there already; move it away`));
      }
      // Another process may have looked meanwhile.
      await forgetLookedAt(files, places);
      return { directory: places.directory, undone, notUndone };
    }
    waiting = blocked;
  }
}

/** `undefined`: it is undone; else why not. */
async function undoOne(
  files: FileSystem,
  places: MigrationPlaces,
  { session, originals }: UndoableSession,
  withKey: WithKey,
): Promise<string | undefined> {
  let reason: string | undefined;
  try {
    await withKey(session.key, async () => {
      // Under its lease: no other process writes to it after this.
      const now = await readMigrated(files, session.path);
      if (now?.id !== session.id || !now.isUnchanged) reason = "it was written to since it was migrated";
      else await bringBack(files, places, session, originals);
    });
  } catch (error) {
    if (!isLonghandError(error, "SESSION_LOCKED")) throw error;
    reason = error.message;
  }
  return reason;
}

async function bringBack(
  files: FileSystem,
  places: MigrationPlaces,
  session: MigratedSession,
  originals: readonly FoundOriginal[],
): Promise<void> {
  const { directory } = places;
  const inItsPlace = originals.find(({ name }) => join(directory, name) === session.path);
  const others = originals.filter((each) => each !== inItsPlace && each.now !== each.name);
  for (const { name, now } of others) {
    const from = join(directory, now);
    const to = join(directory, name);
    // Not over anything. Interrupted behind this, both names are the same file.
    if (!isSameFile(await files.stat(from), await files.stat(to))) await files.link(from, to);
  }
  // Before the other name goes: a power loss may keep the later of two changes and lose the earlier.
  await files.syncDirectory(directory);
  for (const { now } of others) await files.unlink(join(directory, now));
  await files.syncDirectory(directory);
  await removeAliases(files, places, session);
  if (inItsPlace === undefined) await files.unlink(session.path);
  else await files.rename(join(directory, inItsPlace.now), session.path);
  await files.syncDirectory(dirname(session.path));
}

async function removeAliases(
  files: FileSystem,
  { aliases: directory }: MigrationPlaces,
  { key, aliases }: MigratedSession,
): Promise<void> {
  for (const alias of aliases) {
    const name = aliasFileName(alias);
    const text = await readSmallFile(files, join(directory, name), MAX_ALIAS_BYTES);
    if (text === undefined || readAlias(text, name)?.key !== key) continue;
    await removeIfThere(files, join(directory, name));
    await files.syncDirectory(directory);
  }
}

/** The name of an original that something else has now. */
async function takenName(
  files: FileSystem,
  { directory }: MigrationPlaces,
  { session, originals }: UndoableSession,
): Promise<string | undefined> {
  for (const { name, now } of originals) {
    const path = join(directory, name);
    if (name === now || path === session.path) continue;
    const there = await files.stat(path);
    if (there !== undefined && !isSameFile(there, await files.stat(join(directory, now)))) return name;
  }
  return undefined;
}

function toUndone({ session: { key, id }, originals }: UndoableSession): UndoneSession {
  return { key, id, originals: originals.map(({ name }) => name) };
}

function toNotUndone({ session: { key, id }, originals }: UndoableSession, reason: string): NotUndone {
  return { key, id, originals: originals.map(({ now }) => now), reason };
}
