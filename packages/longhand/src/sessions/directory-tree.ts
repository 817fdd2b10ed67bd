/** The files and directories below a directory, parents first. MOVE_REFUSED: one is a link or a special file. */

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../command-error.ts";

export interface TreeEntry {
  /** Relative to the root. */
  readonly path: string;
  readonly isDirectory: boolean;
  readonly mode: number;
  /** The same for all names of one file. */
  readonly identity: string;
}

export async function directoryTree(root: string, below = "."): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const name of await readdir(join(root, below))) {
    const path = join(below, name);
    const facts = await lstat(join(root, path));
    // A killed process leaves its socket. It holds nothing, and whether a process listens is for the caller to check.
    if (facts.isSocket()) continue;
    if (!facts.isDirectory() && !facts.isFile()) {
      const what = join(root, path);
      throw new CommandError(
        "MOVE_REFUSED",
        `${what} is a link or a special file, which is not moved; nothing was changed`,
      );
    }
    const isDirectory = facts.isDirectory();
    entries.push({ path, isDirectory, mode: facts.mode & 0o777, identity: `${facts.dev}:${facts.ino}` });
    if (isDirectory) entries.push(...(await directoryTree(root, path)));
  }
  return entries;
}
