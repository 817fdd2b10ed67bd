import { dirname } from "node:path";
import type { FileSystem } from "./host.ts";
import { errorCode } from "./io-error.ts";

/** Others' directories on the way: we may not be allowed to sync them, and then did not make them either. */
const NOT_OURS: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "EINVAL"]);

/**
 * The directory and those above it, each private from the moment it exists, each name durable: also where somebody
 * has made it before us and was killed before the name was synced.
 */
export async function makeDirectories(files: FileSystem, path: string): Promise<void> {
  const parent = dirname(path);
  if (parent === path) return;
  await makeDirectories(files, parent);
  if ((await files.stat(path)) === undefined) {
    await makeDirectory(files, path);
    return;
  }
  await files.syncDirectory(parent).catch((error: unknown) => {
    if (!NOT_OURS.has(errorCode(error) ?? "")) throw error;
  });
}

/** In a directory of ours. Already there is as good. */
export async function makeDirectory(files: FileSystem, path: string): Promise<void> {
  try {
    await files.makeDirectory(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  await files.syncDirectory(dirname(path));
}
