import { dirname } from "node:path";
import type { FileSystem } from "./host.ts";
import { errorCode } from "./io-error.ts";
import { promised } from "./promised.ts";

/** Others' directories on the way: we may not be allowed to sync them, and then did not make them either. */
const NOT_OURS: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EINVAL"]);

/**
 * The directory and those above it, each private from the moment it exists, each name durable: also where somebody
 * has made it before us and was killed before the name was synced.
 */
export async function makeDirectories(files: FileSystem, path: string): Promise<void> {
  const missing: string[] = [];
  let there = path;
  for (; dirname(there) !== there && (await files.stat(there)) === undefined; there = dirname(there))
    missing.unshift(there);
  await syncNamesTo(files, there);
  for (const each of missing) await makeDirectory(files, each);
}

/** Makes the name of a directory that is there durable, and those of all above it. */
export async function syncNamesTo(files: FileSystem, path: string): Promise<void> {
  const parents: string[] = [];
  for (let at = path; dirname(at) !== at; at = dirname(at)) parents.push(dirname(at));
  await syncAll(files, parents);
}

/** At the same time: a file system makes them durable together. */
async function syncAll(files: FileSystem, directories: readonly string[]): Promise<void> {
  const synced = await Promise.allSettled(
    directories.map(async (directory) => await files.syncDirectory(directory)),
  );
  for (const outcome of synced) {
    if (outcome.status === "rejected" && !NOT_OURS.has(errorCode(outcome.reason) ?? "")) throw outcome.reason;
  }
}

/**
 * In a directory of ours. Already there is as good. `sync` makes the names in the parent durable; where it fails, the
 * name is taken back, since no later sync makes up for one that has failed, though it says yes: the next who needs the
 * directory makes it anew. If something is in it, somebody has relied on it, and has synced it before that.
 */
export async function makeDirectory(
  files: FileSystem,
  path: string,
  sync: (parent: string) => Promise<void> = async (parent) => await files.syncDirectory(parent),
): Promise<void> {
  await makeDirectoriesIn(files, dirname(path), [path], sync);
}

/** The same for several directories in one parent, with one sync. */
export async function makeDirectoriesIn(
  files: FileSystem,
  parent: string,
  paths: readonly string[],
  sync: (parent: string) => Promise<void> = async () => await files.syncDirectory(parent),
): Promise<void> {
  for (const path of paths) {
    await promised(() => files.makeDirectory(path)).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  }
  try {
    await sync(parent);
  } catch (error) {
    for (const path of paths) await promised(() => files.removeDirectory(path)).catch(() => undefined);
    throw error;
  }
}
