/**
 * Keeps a command from creating `.git` in a workspace that has none: hooks in it would run with the user's rights the next time the user
 * calls Git there. What does not exist cannot be mounted read-only, so an empty directory takes the name while commands run, and is
 * removed afterwards. It is removed only by rmdir, which leaves a repository that the user made meanwhile.
 */

import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rmdir } from "node:fs/promises";
import { AgentError } from "../errors.ts";
import { errorCode } from "./error-code.ts";

export interface HeldPlaceholder {
  /** TOOL_FAILED: a command got around it; what it created is renamed, and the message says so. */
  release(): Promise<void>;
}

interface Held {
  users: number;
  readonly made: Promise<Stats | undefined>;
}

/** By path; several commands of this process may run in one workspace. */
const held = new Map<string, Held>();

/** `undefined`: it exists and is not empty, or cannot be created, by a command neither. */
export async function holdPlaceholder(path: string): Promise<HeldPlaceholder | undefined> {
  const shared = held.get(path) ?? { users: 0, made: makePlaceholder(path) };
  held.set(path, shared);
  shared.users++;
  const leave = (): boolean => {
    shared.users--;
    if (shared.users === 0) held.delete(path);
    return shared.users === 0;
  };
  let made: Stats | undefined;
  try {
    made = await shared.made;
  } catch (error) {
    leave();
    throw error;
  }
  if (made === undefined) {
    leave();
    return undefined;
  }
  const placeholder = made;
  return {
    release: async () => {
      const isLast = leave();
      const now = await lstatIfThere(path);
      if (now === undefined) return;
      if (!isSame(now, placeholder)) await setAside(path);
      else if (isLast) await removeUnlessUsed(path);
    },
  };
}

/** An empty one that only the user may open is a placeholder too, left by a process that was killed. */
async function makePlaceholder(path: string): Promise<Stats | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EROFS") return undefined;
    if (code !== "EEXIST") throw error;
  }
  const found = await lstatIfThere(path);
  if (found === undefined || !found.isDirectory() || (found.mode & 0o777) !== 0o700) return undefined;
  return (await readdir(path)).length === 0 ? found : undefined;
}

/**
 * Another process may have it mounted: removing it would take that process's protection away. One that mounts it between the look and the
 * rmdir notices by its own release, since the directory is then another one.
 */
async function removeUnlessUsed(path: string): Promise<void> {
  if (await isMountedAnywhere(path)) return;
  try {
    await rmdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw error;
  }
}

async function isMountedAnywhere(path: string): Promise<boolean> {
  // As mountinfo writes it: space, tab, newline and backslash as octal numbers.
  const encoded = path.replaceAll(
    /[ \t\n\\]/g,
    (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const id of processes) {
    // It may have ended, or be another user's.
    const mounts = await readFile(`/proc/${id}/mountinfo`, "utf8").catch(() => "");
    if (mounts.includes(` ${encoded} `)) return true;
  }
  return false;
}

async function setAside(path: string): Promise<void> {
  const aside = `${path}-not-trusted-${Date.now()}`;
  await rename(path, aside);
  throw new AgentError(
    "TOOL_FAILED",
    `${path} was created while a command ran, which is not allowed; it is now ${aside}. If you created it yourself, rename it back`,
    { path, aside },
  );
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

async function lstatIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
