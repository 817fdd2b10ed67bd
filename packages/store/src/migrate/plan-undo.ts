/** What of a directory's migrations can be taken back: sessions that were not written to, and originals that are what they were. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { FileSystem } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { useFile } from "../host/use-file.ts";
import { isMigratedName } from "./decode-manifest.ts";
import { LINES_SUFFIX } from "./foreign-names.ts";
import { isMigratedId } from "./migrated-id.ts";
import { readMigrated, type MigratedOriginal, type MigratedSession } from "./migrated-session.ts";
import type { MigrationPlaces } from "./migration-places.ts";
import { readDocument } from "./read-document.ts";

export interface UndoPlan {
  readonly undoable: readonly UndoableSession[];
  readonly notUndone: readonly NotUndone[];
}

export interface UndoableSession {
  readonly session: MigratedSession;
  readonly originals: readonly FoundOriginal[];
}

export interface FoundOriginal {
  /** What it was called, and will be again. */
  readonly name: string;
  /** What it is called now: the same, if an undo was interrupted. */
  readonly now: string;
}

export interface NotUndone {
  /** Absent: no session here came from these files. */
  readonly key?: string;
  readonly id?: string;
  /** Names in the directory. */
  readonly originals: readonly string[];
  readonly reason: string;
}

/** Reads only. */
export async function planUndo(files: FileSystem, places: MigrationPlaces): Promise<UndoPlan> {
  const names = await namesIn(files, places.directory);
  const migrated = names.filter((name) => /\.migrated(?:\.[0-9]+)?$/.test(name));
  const undoable: UndoableSession[] = [];
  const notUndone: NotUndone[] = [];
  const claimed = new Set<string>();
  for (const session of await migratedSessions(files, places)) {
    const { key, id } = session;
    const originals: FoundOriginal[] = [];
    const missing: string[] = [];
    for (const original of session.originals) {
      const now = await locate(files, places.directory, original, migrated);
      if (now === undefined) missing.push(original.name);
      else originals.push({ name: original.name, now });
    }
    if (missing.length === 0 && !(await isMadeOf(files, places.directory, session, originals))) continue;
    for (const { now } of originals) claimed.add(now);
    const found = originals.map(({ now }) => now);
    const [lost] = missing;
    if (!session.isUnchanged)
      notUndone.push({ key, id, originals: found, reason: "it was written to since it was migrated" });
    else if (lost !== undefined)
      notUndone.push({ key, id, originals: found, reason: `${lost}.migrated is not there, or was changed` });
    else undoable.push({ session, originals });
  }
  const rest = migrated.filter((name) => !claimed.has(name));
  if (rest.length > 0)
    notUndone.push({ originals: rest, reason: "no session here came from it; it may be in the trash" });
  return { undoable, notUndone };
}

/**
 * Any session can have a note that says it was migrated: one that was imported, or a forged one. Only an id that follows from the
 * originals, or that stands in the original (of our own json backend), proves that a migration made it.
 */
async function isMadeOf(
  files: FileSystem,
  directory: string,
  { id, key, originals }: MigratedSession,
  found: readonly FoundOriginal[],
): Promise<boolean> {
  if (isMigratedId(id, key, originals)) return true;
  const [only, another] = found;
  if (only === undefined || another !== undefined || !only.name.endsWith(".json")) return false;
  const { content } = await readDocument(files, join(directory, only.now), only.name);
  return content.kind === "session" && content.id === id;
}

async function migratedSessions(files: FileSystem, places: MigrationPlaces): Promise<MigratedSession[]> {
  const sessions: MigratedSession[] = [];
  for (const directory of [places.directory, places.archive]) {
    for (const name of (await namesIn(files, directory)).sort()) {
      if (!name.endsWith(LINES_SUFFIX) || name.startsWith(".")) continue;
      const session = await readMigrated(files, join(directory, name));
      if (session !== undefined) sessions.push(session);
    }
  }
  return sessions;
}

/** The file that has the bytes of the original: under one of the names that a migration gives, or its own again. */
async function locate(
  files: FileSystem,
  directory: string,
  { name, bytes, sha256 }: MigratedOriginal,
  migrated: readonly string[],
): Promise<string | undefined> {
  for (const candidate of [...migrated.filter((each) => isMigratedName(each, name)), name]) {
    const path = join(directory, candidate);
    const stat = await files.stat(path);
    if (stat?.kind === "file" && stat.size === bytes && (await sha256Of(files, path)) === sha256)
      return candidate;
  }
  return undefined;
}

const BUFFER_BYTES = 1024 * 1024;

async function sha256Of(files: FileSystem, path: string): Promise<string> {
  return await useFile(await files.open(path, "read"), async (file) => {
    const hash = createHash("sha256");
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    for (let position = 0; ;) {
      const count = await file.read(buffer, position);
      if (count === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, count));
      position += count;
    }
  });
}
