/**
 * What other programs left in the directory becomes sessions, before any other use of the store. Looking costs a
 * listing of the directory; where no name in it has changed since the last look, not even that.
 */

import { isLonghandError, LonghandError } from "../../errors.ts";
import type { FileSystem, Host } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import { readSmallFile, removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import { lastLookPath } from "../../migrate/looked-at.ts";
import { migrateDirectory } from "../../migrate/migrate-directory.ts";
import { type Manifest, mayBeInterrupted } from "../../migrate/manifest.ts";
import type { WithKey } from "../../migrate/migration-places.ts";
import type { BackendOptions } from "../../contract/backend.ts";
import { toLonghandError } from "../../store/warn.ts";
import { MIGRATION_LOCK, putAwayName, type Layout } from "../../format/layout.ts";
import type { Lease, Leases } from "../../lease/leases.ts";
import type { Deadline } from "../../lease/deadline.ts";
import { promised } from "../../host/promised.ts";

export type MigrationReports = Pick<BackendOptions, "onDamage" | "onError" | "onMigrated">;

export async function migrateOnOpening(
  host: Host,
  layout: Layout,
  leases: Leases,
  deadline: Deadline,
  given: MigrationReports,
): Promise<void> {
  const { onDamage, onError } = given;
  const places = { ...layout, putAwayName };
  const { files } = host;
  const modified = (await files.stat(layout.directory))?.modified;
  const isAsItWas = (await readSmallFile(files, lastLookPath(layout), MARK_BYTES)) === `${modified}\n`;
  if (isAsItWas && !(await mayBeInterrupted(files, places))) return;
  const lease = await takeMigrationLock(leases, layout, deadline);
  try {
    const onProgress = (): void => undefined;
    const withKey = withLeases(leases, deadline);
    const reports = { onDamage, onError, onProgress };
    const { leftAlone, done } = await migrateDirectory(host, places, { ...reports, withKey });
    if (done.sessions.length > 0) tellMigrated(done, layout, given);
    // What was left alone may be mended in place, which no name shows.
    if (leftAlone.some(({ kind }) => kind !== "already-migrated" && kind !== "not-a-session")) return;
    await rememberLook(files, layout, `${modified}\n`).catch((error: unknown) => {
      onError(ioError(error, "remembering the last look for older sessions", lastLookPath(layout)));
    });
  } finally {
    await lease.giveUp();
  }
}

function tellMigrated(
  { sessions, moves }: Manifest,
  { directory }: Layout,
  { onError, onMigrated }: Pick<MigrationReports, "onError" | "onMigrated">,
): void {
  try {
    onMigrated?.({
      keys: sessions.map(({ key }) => key),
      originals: moves.map(({ to }) => `${directory}/${to}`),
    });
  } catch (error) {
    // What is migrated is migrated, whatever a handler makes of it.
    onError(toLonghandError(error));
  }
}

/** Only one process at a time migrates a directory, or takes a migration back. */
export async function takeMigrationLock(leases: Leases, layout: Layout, deadline: Deadline): Promise<Lease> {
  return await leases
    .takeNamed(MIGRATION_LOCK, `the migration of ${layout.directory}`, deadline)
    .catch((error: unknown) => {
      throw isLonghandError(error, "SESSION_LOCKED") ? beingMigrated(layout, error) : error;
    });
}

export function withLeases(leases: Leases, deadline: Deadline): WithKey {
  return async (key, task) => {
    const held = await leases.take(key, deadline);
    await task().finally(async () => await held.giveUp());
  };
}

function beingMigrated({ directory }: Layout, { detail }: LonghandError): LonghandError {
  const { pid, host, since, liveness } = detail;
  const message = `${directory} is being migrated by process ${String(pid)}; wait until that is done, and open it again`;
  return new LonghandError("SESSION_LOCKED", message, { directory, pid, host, since, liveness });
}

const MARK_BYTES = 64;

async function rememberLook(files: FileSystem, layout: Layout, mark: string): Promise<void> {
  await removeIfThere(files, lastLookPath(layout));
  await promised(() => files.makeDirectory(layout.cache)).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error;
  });
  await useFile(await files.open(lastLookPath(layout), "create"), async (file) => {
    await writeFully(file, Buffer.from(mark), 0);
  });
}
