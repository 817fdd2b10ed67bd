/**
 * Makes what is protected exist before a sandbox starts. What does not exist cannot be mounted read-only, and a command could
 * then create it: a configuration that the next start obeys, a hook that Git runs.
 */

import { lstat, mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AgentError } from "../errors.ts";
import { errorCode } from "./error-code.ts";
import { isWithin, PROTECTED_ENTRIES, realPaths, type ProtectedEntry } from "./protected-paths.ts";

export interface ProtectedMount {
  readonly path: string;
  readonly kind: "directory" | "file";
  readonly access: "read-only" | "hidden";
}

/** An empty one says nothing and is valid. */
const EMPTY_CONFIGURATION = "{}\n";

/** Of the real workspace `root`. `hiddenPaths` outside of it are not there in a sandbox anyway. */
export async function prepareWorkspace(
  root: string,
  hiddenPaths: readonly string[],
): Promise<readonly ProtectedMount[]> {
  const mounts: ProtectedMount[] = [];
  for (const entry of PROTECTED_ENTRIES) {
    const path = join(root, entry.name);
    await createIfMissing(path, entry.kind);
    mounts.push({ path, kind: await kindOf(path), access: entry.access } satisfies ProtectedMount);
  }
  for (const path of await realPaths(hiddenPaths, await realpath(root))) {
    if (!isWithin(path, root)) continue;
    // In a directory that is hidden already.
    if (mounts.some((mount) => mount.access === "hidden" && isWithin(path, mount.path))) continue;
    mounts.push({ path, kind: await kindOf(path), access: "hidden" });
  }
  return mounts;
}

async function createIfMissing(path: string, kind: ProtectedEntry["kind"]): Promise<void> {
  try {
    if (kind === "directory") await mkdir(path, { mode: 0o700 });
    else await writeFile(path, EMPTY_CONFIGURATION, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
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
