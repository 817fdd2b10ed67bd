/**
 * Carries a plan out: all of it or nothing. Everything new is staged first, complete and synced; then the manifest commits
 * it; then names are changed. A failure before the manifest leaves the directory as it was. One after it is undone here;
 * if even that fails, or the process dies, the next migration of the directory undoes it and begins again.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem, Host } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { ioError } from "../host/io-error.ts";
import { makeDirectory } from "../host/make-directories.ts";
import { removeIfThere } from "../host/small-files.ts";
import { isId, toId } from "../format/session-id.ts";
import type { Damage } from "../format/session-record.ts";
import { writeAliases } from "./aliases.ts";
import { moveBack, moveForward } from "./change-names.ts";
import { LINES_SUFFIX } from "./foreign-names.ts";
import { commitManifest, readManifest, voidManifest, type Manifest, type Move } from "./manifest.ts";
import type { MigrationPlan } from "./migration-plan.ts";
import { MIGRATED_SUFFIX, stagingDirectory, type MigrationPlaces, type WithKey } from "./migration-places.ts";
import { damageOf, stageSession } from "./stage-session.ts";

export interface PerformOptions {
  readonly onDamage: (damage: Damage) => void;
  /** Told of what could not be tidied up; it is tried again by the next opening. */
  readonly onError: (error: LonghandError) => void;
  /** Sessions. */
  readonly onProgress: (done: number, total: number) => void;
  /** For sessions that the migration has made and takes back. */
  readonly withKey: WithKey;
}

/** The caller alone writes to the store, and has completed what was interrupted before. Answers with what was done. */
export async function performMigration(
  { files }: Pick<Host, "files">,
  places: MigrationPlaces,
  plan: MigrationPlan,
  options: PerformOptions,
): Promise<Manifest | undefined> {
  if (plan.sessions.length === 0) return undefined;
  const manifest = await stage(files, places, plan, options).catch(async (error: unknown) => {
    // Nothing has happened yet. What is left over is removed by the next who comes here.
    await discardUncommitted(files, places).catch(() => undefined);
    throw ioError(error, "migrating the sessions of older programs", places.directory);
  });
  try {
    await moveForward(files, places, manifest);
    await writeAliases(files, places, plan.sessions);
  } catch (error) {
    throw await undo(files, places, manifest, options.withKey, error);
  }
  // Everything is in its place. If this fails the next opening finds it so, whichever it sees.
  await voidManifest(files, places).catch((error: unknown) => {
    throw unfinished(places, error);
  });
  await tidyUp(files, places, options.onError);
  return manifest;
}

/** Undoes what an interrupted migration has done, so that the directory can be planned again from the originals. */
export async function revertInterrupted(
  { files }: Pick<Host, "files">,
  places: MigrationPlaces,
  { onError, withKey }: Pick<PerformOptions, "onError" | "withKey">,
): Promise<void> {
  try {
    if ((await namesIn(files, stagingDirectory(places))).length === 0) return;
    const manifest = await readManifest(files, places);
    if (manifest !== undefined) {
      await moveBack(files, places, manifest, withKey);
      await voidManifest(files, places);
    }
    await tidyUp(files, places, onError);
  } catch (error) {
    throw ioError(error, "completing an interrupted migration", places.directory);
  }
}

async function stage(
  files: FileSystem,
  places: MigrationPlaces,
  plan: MigrationPlan,
  { onDamage, onProgress }: PerformOptions,
): Promise<Manifest> {
  const staging = stagingDirectory(places);
  for (const path of [places.own, staging, places.damaged]) await makeDirectory(files, path);
  await removeStaged(files, places);
  for (const [index, session] of plan.sessions.entries()) {
    onProgress(index, plan.sessions.length);
    await stageSession(files, places, session);
    for (const line of session.untaken) onDamage(damageOf(line, places.directory, session.key));
  }
  onProgress(plan.sessions.length, plan.sessions.length);
  // Before the manifest, so that it never names a file whose name a power loss could take.
  await files.syncDirectory(staging);
  const manifest: Manifest = {
    moves: await movesOf(files, places, plan),
    sessions: plan.sessions.map(({ id, key, status, originals }) => ({
      ...{ id: toId(id), key, status },
      originals: originals.map(({ name }) => name),
    })),
  };
  await commitManifest(files, places, manifest);
  return manifest;
}

async function movesOf(files: FileSystem, places: MigrationPlaces, plan: MigrationPlan): Promise<Move[]> {
  const taken = new Set(await namesIn(files, places.directory));
  const moves: Move[] = [];
  for (const { name, size, modified } of plan.sessions.flatMap(({ originals }) => originals)) {
    let to = name + MIGRATED_SUFFIX;
    for (let number = 2; taken.has(to); number++) to = `${name}${MIGRATED_SUFFIX}.${number}`;
    taken.add(to);
    moves.push({ from: name, to, size, modified });
  }
  return moves;
}

async function undo(
  files: FileSystem,
  places: MigrationPlaces,
  manifest: Manifest,
  withKey: WithKey,
  cause: unknown,
): Promise<LonghandError> {
  try {
    await moveBack(files, places, manifest, withKey);
    await voidManifest(files, places);
  } catch {
    return unfinished(places, cause);
  }
  // What is staged means nothing any more; the next opening removes what stays.
  await removeStaged(files, places).catch(() => undefined);
  return ioError(cause, "migrating the sessions of older programs", places.directory);
}

function unfinished({ directory }: MigrationPlaces, cause: unknown): LonghandError {
  return new LonghandError(
    "STORE_FAILED",
    `a migration of ${directory} was interrupted by a failure and could not be undone; run it again to complete it: longhand migrate ${directory}`,
    { directory },
    cause,
  );
}

/** The manifest may be there though its sync has failed: it is made void, durably, before anything that it names goes. */
async function discardUncommitted(files: FileSystem, places: MigrationPlaces): Promise<void> {
  await voidManifest(files, places);
  await removeStaged(files, places);
}

async function removeStaged(files: FileSystem, places: MigrationPlaces): Promise<void> {
  const staging = stagingDirectory(places);
  for (const name of await namesIn(files, staging))
    if (isStagedName(name)) await removeIfThere(files, `${staging}/${name}`);
}

/** The migration is done. A staged file that stays has two names for a while, no more. */
async function tidyUp(
  files: FileSystem,
  places: MigrationPlaces,
  onError: (error: LonghandError) => void,
): Promise<void> {
  try {
    await removeStaged(files, places);
  } catch (error) {
    onError(ioError(error, "tidying up after a migration", stagingDirectory(places)));
  }
}

/** Only what a migration puts there: anything else is not ours to remove. */
function isStagedName(name: string): boolean {
  const isSession = name.endsWith(LINES_SUFFIX) && isId(name.slice(0, -LINES_SUFFIX.length));
  return name === "manifest" || name === "manifest.new" || isSession;
}
