/** Makes a store's directories, private from the moment they exist, and refuses one that others could write to. */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import { layoutOf, type Layout } from "./layout.ts";

const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

/** `directory` is absolute. Its real path is taken once and kept: a link that changes later does not move the store. */
export async function prepareDirectory(files: FileSystem, directory: string): Promise<Layout> {
  try {
    await makeWithParents(files, directory);
    const layout = layoutOf(await files.resolve(directory));
    await checkSafe(files, layout.directory);
    for (const path of [layout.own, layout.journals, layout.leases, layout.damaged])
      await makeDurably(files, path);
    return layout;
  } catch (error) {
    throw ioError(error, "preparing the store's directory", directory);
  }
}

export async function checkSafe(files: FileSystem, directory: string): Promise<void> {
  const stat = await files.stat(directory);
  if (stat?.kind !== "directory") {
    throw new LonghandError("DIRECTORY_UNSAFE", `${directory} is not a directory`, { directory });
  }
  if ((stat.mode & OTHERS_MAY_WRITE) !== 0 && (stat.mode & STICKY) === 0) {
    throw new LonghandError(
      "DIRECTORY_UNSAFE",
      `anyone may write to ${directory}, so nothing in it can be relied on; run: chmod o-w ${JSON.stringify(directory)}`,
      { directory, mode: stat.mode.toString(8) },
    );
  }
}

async function makeWithParents(files: FileSystem, directory: string): Promise<void> {
  if ((await files.stat(directory)) !== undefined) return;
  const parent = parentOf(directory);
  if (parent !== directory) await makeWithParents(files, parent);
  await makeDurably(files, directory);
}

async function makeDurably(files: FileSystem, path: string): Promise<void> {
  try {
    await files.makeDirectory(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return;
  }
  await files.syncDirectory(parentOf(path));
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}
