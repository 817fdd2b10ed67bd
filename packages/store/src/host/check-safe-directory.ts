import { LonghandError } from "../errors.ts";
import type { FileStat, FileSystem } from "./host.ts";

const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

/** Refuses what is no directory, one of another user, and one that anybody could write to. */
export async function checkSafeDirectory(
  files: FileSystem,
  directory: string,
  user: number | undefined,
): Promise<void> {
  checkSafe(await files.stat(directory), directory, user);
}

/** The same for one that was looked at. */
export function checkSafe(stat: FileStat | undefined, directory: string, user: number | undefined): void {
  if (stat?.kind !== "directory") {
    throw new LonghandError("DIRECTORY_UNSAFE", `${directory} is not a directory`, { directory });
  }
  if (user !== undefined && stat.owner !== user) {
    throw new LonghandError(
      "DIRECTORY_UNSAFE",
      `${directory} belongs to another user (${stat.owner}, this process runs as ${user}), who could change what is in it, or could not read what we write; use a directory of your own, run as that user, or open it with readOnly`,
      { directory, owner: stat.owner, user },
    );
  }
  if ((stat.mode & OTHERS_MAY_WRITE) !== 0 && (stat.mode & STICKY) === 0) {
    throw new LonghandError(
      "DIRECTORY_UNSAFE",
      `anyone may write to ${directory}, so nothing in it can be relied on; run: chmod o-w ${JSON.stringify(directory)}`,
      { directory, mode: stat.mode.toString(8) },
    );
  }
}
