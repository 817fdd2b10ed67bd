/**
 * What must be mounted so that a command cannot change what is protected. What exists is mounted read-only, or hidden; a mount cannot be
 * renamed or removed. What does not exist is left so: nothing is created in the user's directory but the placeholder for `.git`
 * (git-placeholder.ts). What lies further down is kept in its place, too: a directory on the way to it is mounted on itself. Otherwise a
 * command could move the directory, and what is in it, away from the path that is protected.
 */

import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AgentError } from "../errors.ts";
import { errorCode } from "./error-code.ts";
import { isWithin, ownStores, PROTECTED_ENTRIES, realPaths } from "./protected-paths.ts";

export interface ProtectedMount {
  readonly path: string;
  readonly kind: "directory" | "file";
  /** "in-place": as before, but it cannot be moved or removed. */
  readonly access: "read-only" | "hidden" | "in-place";
}

/**
 * Of the real workspace `root`, in the order in which they must be mounted: what comes later is on top. `hiddenPaths` outside of it
 * are not there in a sandbox anyway.
 */
export async function prepareWorkspace(
  root: string,
  hiddenPaths: readonly string[],
): Promise<readonly ProtectedMount[]> {
  const mounts: ProtectedMount[] = [];
  const onTheWay = new Set<string>();
  for (const entry of PROTECTED_ENTRIES) {
    const path = join(root, entry.name);
    if (await isMissing(path)) continue;
    mounts.push({ path, kind: await kindOf(path), access: entry.access } satisfies ProtectedMount);
  }
  const hidden = [...hiddenPaths, ...(await ownStores(root))];
  for (const path of await realPaths(hidden, await realpath(root))) {
    if (!isWithin(path, root)) continue;
    // In a directory that is hidden already.
    if (mounts.some((mount) => mount.access === "hidden" && isWithin(path, mount.path))) continue;
    mounts.push({ path, kind: await kindOf(path), access: "hidden" });
    for (const directory of directoriesTo(path, root)) {
      // Refuses a link, which a command could replace.
      await kindOf(directory);
      onTheWay.add(directory);
    }
  }
  const inPlace = [...onTheWay].map((path): ProtectedMount => ({
    path,
    kind: "directory",
    access: "in-place",
  }));
  return [...inPlace, ...mounts];
}

/** Between `root` and `path`, without the two, the outermost first. */
function directoriesTo(path: string, root: string): readonly string[] {
  const parent = dirname(path);
  return path === root || parent === root ? [] : [...directoriesTo(parent, root), parent];
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return true;
    throw error;
  }
}

async function kindOf(path: string): Promise<ProtectedMount["kind"]> {
  const found = await lstat(path).catch((error: unknown) => {
    throw new AgentError(
      "TOOL_REFUSED",
      `refused: ${path} is protected and does not exist, so that a sandbox cannot hide it; create it first`,
      { path },
      error,
    );
  });
  if (found.isDirectory()) return "directory";
  if (found.isFile()) return "file";
  // A command could replace the link itself.
  throw new AgentError(
    "TOOL_REFUSED",
    `refused: ${path} is protected, but it is a link or a special file, which a sandbox cannot protect; make it a directory or a file of its own`,
    { path },
  );
}
