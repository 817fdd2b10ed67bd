/** Migration on request: what `longhand migrate` does, for programs. docs/migration.md */

import { resolve } from "node:path";
import { lookForForeign, type ForeignFiles } from "./engine/files/look-for-foreign.ts";
import { layoutOf } from "./format/layout.ts";
import { ioError } from "./host/io-error.ts";
import { nodeHost } from "./host/node-host.ts";
import { lazy } from "./lazy.ts";
import type { UndoneMigration } from "./migrate/undo-migration.ts";
import { openStore } from "./open-store.ts";
import { callback, checkOptions, flag } from "./store/check-options.ts";
import type { Migrated, StoreOptions } from "./contract/types.ts";
import { reportTo, warnOfDamage, warnOfError } from "./store/warn.ts";

export type MigrateOptions = Pick<StoreOptions, "onDamage" | "onError" | "onForeign">;

/** Takes the sessions of other programs in the directory over. All or nothing; the originals stay, renamed. */
export async function migrate(directory: string, options: MigrateOptions = {}): Promise<Migrated> {
  checkOptions("migrate", options, { onDamage: callback, onError: callback, onForeign: callback });
  let done: Migrated = { keys: [], originals: [] };
  const onMigrated = (migrated: Migrated): void => void (done = migrated);
  const store = await openStore(directory, { ...options, migrate: true, onMigrated });
  await store.close();
  return done;
}

export interface UndoMigrationOptions extends Pick<StoreOptions, "onDamage" | "onError"> {
  /** Says what would come of it, and changes nothing. @default false */
  readonly dryRun?: boolean;
}

const loadUndo = lazy(async () => await import("./backends/jsonl/undo-jsonl-migration.ts"));

const LOCK_WAIT_MS = 10_000;

/** Brings the originals back, byte for byte, for every session that was not written to since; says which were not undone. */
export async function undoMigration(
  directory: string,
  options: UndoMigrationOptions = {},
): Promise<UndoneMigration> {
  checkOptions("undoMigration", options, { onDamage: callback, onError: callback, dryRun: flag });
  const { dryRun = false, onDamage = warnOfDamage, onError = warnOfError } = options;
  const given = { dryRun, onDamage, onError: reportTo(onError), lockWait: LOCK_WAIT_MS };
  const { undoJsonlMigration } = await loadUndo();
  return await undoJsonlMigration(nodeHost, resolve(directory), given);
}

/** The files of other programs that could be mistaken for sessions. Reads their first bytes only. */
export async function findForeign(directory: string): Promise<ForeignFiles> {
  const layout = layoutOf(resolve(directory));
  try {
    return await lookForForeign(nodeHost.files, layout);
  } catch (error) {
    throw ioError(error, "looking for files of other programs", layout.directory);
  }
}
