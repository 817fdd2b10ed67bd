import { dirname } from "node:path";
import type { FileSystem } from "./host.ts";
import { errorCode } from "./io-error.ts";

/** The directory and those above it, each private from the moment it exists, each name durable. */
export async function makeDirectories(files: FileSystem, path: string): Promise<void> {
  if ((await files.stat(path)) !== undefined) return;
  await makeDirectories(files, dirname(path));
  try {
    await files.makeDirectory(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return;
  }
  await files.syncDirectory(dirname(path));
}
