/**
 * Migration in place: sessions of other programs in a directory become sessions of the store. The caller holds a lease that keeps
 * every other migration out.
 */

import { assertNever, isLonghandError, LonghandError } from "../errors.ts";
import type { FileSystem, Host } from "../host/host.ts";
import { ioError } from "../host/io-error.ts";
import { isSameLook, NOTHING_LOOKED_AT, readLookedAt, rememberLookedAt } from "./looked-at.ts";
import type { Manifest } from "./manifest.ts";
import type { LeftAlone, LookedAt, MigrationPlan, PlannedSession } from "./migration-plan.ts";
import { cacheDirectory, stagingDirectory, type MigrationPlaces } from "./migration-places.ts";
import { performMigration, revertInterrupted, type PerformOptions } from "./perform-migration.ts";
import { planMigration } from "./plan-migration.ts";

export interface MigrationReport {
  readonly migrated: readonly PlannedSession[];
  readonly leftAlone: readonly LeftAlone[];
  /** The new sessions, and the names that the originals have now. */
  readonly done: Manifest;
}

/** Rejects with a typed error if it fails: then the originals are as they were, and no session was made of them. */
export async function migrateDirectory(
  host: Pick<Host, "files">,
  places: MigrationPlaces,
  options: PerformOptions,
): Promise<MigrationReport> {
  const { files } = host;
  await checkDirectories(files, places).catch((error: unknown) => {
    throw ioError(error, "migrating the directory", places.directory);
  });
  await revertInterrupted(host, places, options);
  const before = await readLookedAt(files, places).catch(() => NOTHING_LOOKED_AT);
  const plan = await planPatiently(files, places, before);
  report(plan, options);
  const performed = await performMigration(host, places, plan, options);
  if (!isSameLook(before, plan.lookedAt)) {
    await rememberLookedAt(files, places, plan.lookedAt).catch((error: unknown) => {
      options.onError(ioError(error, "remembering what was looked at", places.directory));
    });
  }
  return {
    migrated: plan.sessions,
    leftAlone: plan.leftAlone,
    done: performed ?? { moves: [], sessions: [] },
  };
}

/** A link in the place of a directory would lead the migration out of the store. */
export async function checkDirectories(files: FileSystem, places: MigrationPlaces): Promise<void> {
  const { own, damaged, archive, aliases } = places;
  for (const path of [own, damaged, archive, aliases, stagingDirectory(places), cacheDirectory(places)]) {
    const stat = await files.stat(path);
    if (stat === undefined || stat.kind === "directory") continue;
    throw new LonghandError("DIRECTORY_UNSAFE", `${path} is not a directory; move it away`, { file: path });
  }
}

const LOOKS = 5;

/** Another process may put a session away between our listing and our look at it. */
async function planPatiently(
  files: FileSystem,
  places: MigrationPlaces,
  lookedAt: LookedAt,
): Promise<MigrationPlan> {
  for (let look = 1; ; look++) {
    try {
      return await planMigration(files, places, lookedAt);
    } catch (error) {
      const isGone = isLonghandError(error) && error.detail["errno"] === "ENOENT";
      if (!isGone || look === LOOKS) throw error;
    }
  }
}

function report({ directory, leftAlone }: MigrationPlan, { onError }: PerformOptions): void {
  for (const { name, kind, reason } of leftAlone) {
    const file = `${directory}/${name}`;
    switch (kind) {
      case "newer-session":
      case "place-taken":
        onError(new LonghandError("SESSION_EXISTS", `${file} was not migrated: ${reason}`, { file, reason }));
        break;
      // Told by onForeign, and by the plan.
      case "similar":
      case "contradicted":
      case "already-migrated":
      case "not-a-session":
        break;
      default:
        assertNever(kind);
    }
  }
}
