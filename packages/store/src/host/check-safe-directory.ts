import { LonghandError } from "../errors.ts";
import type { FileSystem } from "./host.ts";

const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

/** Refuses what is no directory, and one that anybody could write to. */
export async function checkSafeDirectory(files: FileSystem, directory: string): Promise<void> {
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
