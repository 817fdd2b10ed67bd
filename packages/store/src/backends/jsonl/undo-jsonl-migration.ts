/** Takes the migrations of a directory back, as an instance of the store: what other processes have written is recovered first. */

import { isLonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { checkDirectories } from "../../migrate/migrate-directory.ts";
import { revertInterrupted } from "../../migrate/perform-migration.ts";
import { previewUndo, undoMigration, type UndoneMigration } from "../../migrate/undo-migration.ts";
import type { BackendOptions } from "../../contract/backend.ts";
import { layoutOf, putAwayName } from "../../format/layout.ts";
import { linklessHost } from "../../engine/files/linkless-files.ts";
import { prepareDirectory, preparedDirectories } from "../../engine/files/prepare-directory.ts";
import { beginInstance } from "../../engine/instance/begin-instance.ts";
import { gatedHost } from "../../engine/instance/gated-files.ts";
import { Deadline } from "../../lease/deadline.ts";
import { takeMigrationLock, withLeases } from "./migrate-on-opening.ts";

export interface UndoOptions extends Pick<BackendOptions, "onDamage" | "onError"> {
  /** Says what would come of it, and changes nothing. */
  readonly dryRun: boolean;
  /** Milliseconds to wait for a session that another process holds. */
  readonly lockWait: number;
}

export async function undoJsonlMigration(
  outside: Host,
  directory: string,
  options: UndoOptions,
): Promise<UndoneMigration> {
  const { files } = outside;
  try {
    if (options.dryRun || (await files.stat(directory)) === undefined)
      return await previewUndo(files, { ...layoutOf(directory), putAwayName });
    const layout = await prepareDirectory(outside, directory);
    const prepared = preparedDirectories(layout);
    const host = linklessHost(outside, layout, prepared);
    const places = { ...layout, putAwayName };
    await checkDirectories(files, places);
    const instance = await beginInstance(host, layout, { ...options, durability: "sync", readOnly: false });
    const gated = linklessHost(gatedHost(outside, layout, instance.self.instance), layout, prepared);
    try {
      const deadline = new Deadline(host, { milliseconds: options.lockWait });
      const lease = await takeMigrationLock(instance.leases, layout, deadline);
      try {
        const withKey = withLeases(instance.leases, deadline);
        await revertInterrupted(gated, places, { onError: options.onError, withKey }).catch(
          (error: unknown) => {
            // A manifest that is not one of ours: what was migrated before is undone without it.
            if (!isLonghandError(error, "SESSION_DAMAGED")) throw error;
            options.onError(error);
          },
        );
        return await undoMigration(gated.files, places, withKey);
      } finally {
        await lease.giveUp();
      }
    } finally {
      await instance.end();
    }
  } catch (error) {
    throw ioError(error, "taking a migration back", directory);
  }
}
