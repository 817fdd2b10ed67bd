import { checkSafe, checkSafeDirectory } from "../../host/check-safe-directory.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import {
  makeDirectories,
  makeDirectoriesIn,
  makeDirectory,
  syncNamesTo,
} from "../../host/make-directories.ts";
import { layoutOf, type Layout } from "../../format/layout.ts";

/** Those that every store has, each of them a real directory of this user when the store is opened. */
export function preparedDirectories({
  own,
  journals,
  leases,
  damaged,
  temporary,
}: Layout): readonly string[] {
  return [own, journals, leases, damaged, temporary];
}

/**
 * Makes a store's directories. `directory` is absolute; its real path is taken once and kept: a link that changes later
 * does not move the store.
 */
export async function prepareDirectory(host: Host, directory: string): Promise<Layout> {
  const { files } = host;
  try {
    await makeDirectories(files, directory);
    const layout = layoutOf(await files.resolve(directory));
    await makeOwnDirectories(host, layout);
    return layout;
  } catch (error) {
    throw ioError(error, "preparing the store's directory", directory);
  }
}

/** The same for a store that is there: its own directory is not made again. */
export async function prepareAgain(host: Host, layout: Layout): Promise<void> {
  try {
    await syncNamesTo(host.files, layout.directory);
    await makeOwnDirectories(host, layout);
  } catch (error) {
    throw ioError(error, "preparing the store's directory", layout.directory);
  }
}

async function makeOwnDirectories({ files, user }: Host, layout: Layout): Promise<void> {
  await checkSafeDirectory(files, layout.directory, user);
  await makeDirectory(files, layout.own);
  await checkSafeDirectory(files, layout.own, user);
  const parts = preparedDirectories(layout).filter((path) => path !== layout.own);
  await makeDirectoriesIn(files, layout.own, parts);
  for (const path of parts) await checkSafeDirectory(files, path, user);
}

/**
 * The directories of a store that was prepared before: each is there, ours, and one that we may write to. Changes and syncs
 * nothing. `undefined`: one is missing.
 */
export async function findPrepared({ files, user }: Host, directory: string): Promise<Layout | undefined> {
  try {
    if ((await files.stat(directory)) === undefined) return undefined;
    const layout = layoutOf(await files.resolve(directory));
    const { journals, leases, temporary } = layout;
    for (const path of [layout.directory, ...preparedDirectories(layout)]) {
      const stat = await files.stat(path);
      if (stat === undefined) return undefined;
      checkSafe(stat, path, user);
    }
    for (const path of [layout.directory, journals, leases, temporary]) await files.checkWritable(path);
    return layout;
  } catch (error) {
    throw ioError(error, "opening the store", directory);
  }
}
