/** Marks and leases: files read whole or removed, where not being there is an ordinary answer. */

import type { FileSystem } from "./host.ts";
import { errorCode } from "./io-error.ts";
import { useFile } from "./use-file.ts";

/** At most `limit` bytes. `undefined`: there is no such file. */
export async function readSmallFile(
  files: FileSystem,
  path: string,
  limit: number,
): Promise<string | undefined> {
  const bytes = await readWholeFile(files, path, limit);
  return bytes?.toString("utf8");
}

export async function readWholeFile(
  files: FileSystem,
  path: string,
  limit: number,
): Promise<Buffer | undefined> {
  try {
    return await useFile(await files.open(path, "read"), async (file) => {
      const buffer = Buffer.allocUnsafe(Math.min(limit, (await file.stat()).size));
      return buffer.subarray(0, await file.read(buffer, 0));
    });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

export async function removeIfThere(files: FileSystem, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

export async function removeDirectoryIfThere(files: FileSystem, path: string): Promise<void> {
  try {
    await files.removeDirectory(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** An empty file; already there is as good. */
export async function placeMark(files: FileSystem, path: string): Promise<void> {
  try {
    await (await files.open(path, "create")).close();
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
