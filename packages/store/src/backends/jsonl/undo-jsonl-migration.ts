/** Takes the migrations of a directory back, as an instance of the store: what other processes have written is recovered first. */

import { isLonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { checkDirectories } from "../../migrate/migrate-directory.ts";
import { revertInterrupted } from "../../migrate/perform-migration.ts";
import { previewUndo, undoMigration, type UndoneMigration } from "../../migrate/undo-migration.ts";
import type { BackendOptions } from "../../store/backend.ts";
import { layoutOf, putAwayName } from "./files/layout.ts";
import { prepareDirectory } from "./files/prepare-directory.ts";
import { beginInstance } from "./instance/begin-instance.ts";
import { gatedHost } from "./instance/gated-files.ts";
import { Patience } from "./leases/patience.ts";
import { takeMigrationLock, withLeases } from "./writing/migrate-on-opening.ts";

export interface UndoOptions extends Pick<BackendOptions, "onDamage" | "onError"> {
  /** Says what would come of it, and changes nothing. */
  readonly dryRun: boolean;
  /** Milliseconds to wait for a session that another process holds. */
  readonly lockWait: number;
}

export async function undoJsonlMigration(
  host: Host,
  directory: string,
  options: UndoOptions,
): Promise<UndoneMigration> {
  const { files } = host;
  try {
    if (options.dryRun || (await files.stat(directory)) === undefined)
      return await previewUndo(files, { ...layoutOf(directory), putAwayName });
    const layout = await prepareDirectory(host, directory);
    const places = { ...layout, putAwayName };
    await checkDirectories(files, places);
    const instance = await beginInstance(host, layout, { ...options, durability: "sync", readOnly: false });
    const gated = gatedHost(host, layout, instance.self.instance);
    try {
      const patience = new Patience(host, { milliseconds: options.lockWait });
      const lease = await takeMigrationLock(instance.leases, layout, patience);
      try {
        const withKey = withLeases(instance.leases, patience);
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
