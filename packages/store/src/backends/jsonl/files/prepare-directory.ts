import { checkSafeDirectory } from "../../../host/check-safe-directory.ts";
import type { Host } from "../../../host/host.ts";
import { ioError } from "../../../host/io-error.ts";
import { makeDirectories, makeDirectory } from "../../../host/make-directories.ts";
import { layoutOf, type Layout } from "./layout.ts";

/**
 * Makes a store's directories. `directory` is absolute; its real path is taken once and kept: a link that changes later
 * does not move the store.
 */
export async function prepareDirectory({ files, user }: Host, directory: string): Promise<Layout> {
  try {
    await makeDirectories(files, directory);
    const layout = layoutOf(await files.resolve(directory));
    await checkSafeDirectory(files, layout.directory, user);
    for (const path of [layout.own, layout.journals, layout.leases, layout.damaged]) {
      await makeDirectory(files, path);
      await checkSafeDirectory(files, path, user);
    }
    return layout;
  } catch (error) {
    throw ioError(error, "preparing the store's directory", directory);
  }
}
