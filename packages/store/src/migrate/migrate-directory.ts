/**
 * Migration in place: what older programs left in a directory becomes sessions of the store, on its first opening for
 * writing. The caller holds a lease that keeps every other migration out.
 */

import { assertNever, isLonghandError, LonghandError } from "../errors.ts";
import type { FileSystem, Host } from "../host/host.ts";
import { ioError } from "../host/io-error.ts";
import { isSameLook, NOTHING_LOOKED_AT, readLookedAt, rememberLookedAt } from "./looked-at.ts";
import type { Manifest, NewSession } from "./manifest.ts";
import type { LeftAlone, LookedAt, MigrationPlan, PlannedSession } from "./migration-plan.ts";
import type { MigrationPlaces } from "./migration-places.ts";
import { completeMigration, performMigration, type PerformOptions } from "./perform-migration.ts";
import { planMigration } from "./plan-migration.ts";

export interface MigrationReport {
  readonly migrated: readonly PlannedSession[];
  readonly leftAlone: readonly LeftAlone[];
  /** Sessions of a migration that was interrupted and is complete now. */
  readonly completed: readonly NewSession[];
  /** Of both: the new sessions, and the names that the originals have now. */
  readonly done: Manifest;
}

/** Rejects with a typed error if it fails: then the originals are as they were, and no session was made of them. */
export async function migrateDirectory(
  host: Pick<Host, "files">,
  places: MigrationPlaces,
  options: PerformOptions,
): Promise<MigrationReport> {
  const { files } = host;
  const interrupted = await completeMigration(host, places, options.onError);
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
    completed: interrupted?.sessions ?? [],
    done: {
      moves: [...(interrupted?.moves ?? []), ...(performed?.moves ?? [])],
      sessions: [...(interrupted?.sessions ?? []), ...(performed?.sessions ?? [])],
    },
  };
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

function report({ directory, leftAlone }: MigrationPlan, { onDamage, onError }: PerformOptions): void {
  for (const { name, kind, reason } of leftAlone) {
    const file = `${directory}/${name}`;
    switch (kind) {
      case "unreadable":
        onDamage({ file, offset: 0, bytes: 0, kind: "corrupt", reason: `it was not migrated: ${reason}` });
        break;
      case "newer-session":
      case "place-taken":
        onError(new LonghandError("SESSION_EXISTS", `${file} was not migrated: ${reason}`, { file, reason }));
        break;
      case "already-migrated":
      case "not-a-session":
        break;
      default:
        assertNever(kind);
    }
  }
}
