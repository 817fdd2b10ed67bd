import type { FileSystem } from "./host.ts";
import { errorCode } from "./io-error.ts";

/** Nothing where there is no such directory, or something else in its place. */
export async function namesIn(files: FileSystem, directory: string): Promise<string[]> {
  try {
    return await files.readDirectory(directory);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  }
}
