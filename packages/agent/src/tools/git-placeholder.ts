/**
 * Keeps a command from creating `.git` in a workspace that has none: hooks in it would run with the user's rights the next time the user
 * calls Git there. What does not exist cannot be mounted read-only, so an empty directory takes the name while commands run, and is
 * removed afterwards. It is removed only by rmdir, which leaves a repository that the user made meanwhile.
 */

import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rmdir } from "node:fs/promises";
import { AgentError } from "../errors.ts";
import { errorCode } from "./error-code.ts";

export interface HeldPlaceholder {
  /** TOOL_FAILED: a command got around it; what it created is renamed, and the message says so. */
  release(): Promise<void>;
}

interface Placeholder {
  readonly facts: BigIntStats;
  /** Stays open while it is held: until then no other directory gets the same inode number. */
  readonly handle: FileHandle;
}

interface Held {
  users: number;
  readonly made: Promise<Placeholder | undefined>;
  /** The last user is removing it. */
  ending?: Promise<void>;
}

/** By path; several commands of this process may run in one workspace. */
const held = new Map<string, Held>();

/** `undefined`: it exists and is not empty, or cannot be created, by a command neither. */
export async function holdPlaceholder(path: string): Promise<HeldPlaceholder | undefined> {
  let shared = held.get(path);
  while (shared?.ending !== undefined) {
    // A failure is reported by the release that has begun it.
    await shared.ending.catch(() => undefined);
    shared = held.get(path);
  }
  const mine: Held = shared ?? { users: 0, made: makePlaceholder(path) };
  held.set(path, mine);
  mine.users++;
  const leave = async (): Promise<void> => {
    if (--mine.users > 0) return;
    mine.ending = endPlaceholder(path, mine.made).finally(() => held.delete(path));
    await mine.ending;
  };
  try {
    const placeholder = await mine.made;
    if (placeholder === undefined) {
      await leave();
      return undefined;
    }
    return {
      release: async () => {
        try {
          await setAsideIfReplaced(path, placeholder);
        } finally {
          await leave();
        }
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** An empty one that only the user may open is a placeholder too, left by a process that was killed. */
async function makePlaceholder(path: string): Promise<Placeholder | undefined> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EROFS") return undefined;
    if (code !== "EEXIST") throw error;
  }
  const handle = await openDirectory(path);
  if (handle === undefined) return undefined;
  try {
    const facts = await handle.stat({ bigint: true });
    if ((facts.mode & 0o777n) === 0o700n && (await isEmpty(path))) return { facts, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

async function endPlaceholder(path: string, made: Held["made"]): Promise<void> {
  // Without one there is nothing to remove; the caller that made it has the reason.
  const placeholder = await made.catch(() => undefined);
  if (placeholder === undefined) return;
  try {
    const now = await lstatIfThere(path);
    if (now !== undefined && isSame(now, placeholder.facts)) await removeUnlessUsed(path);
  } finally {
    await placeholder.handle.close();
  }
}

/** An empty directory is harmless, and may be the placeholder of another process. */
async function setAsideIfReplaced(path: string, { facts }: Placeholder): Promise<void> {
  const now = await lstatIfThere(path);
  if (now === undefined || isSame(now, facts)) return;
  if (!now.isDirectory() || !(await isEmpty(path))) await setAside(path);
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
  try {
    await rename(path, aside);
  } catch (error) {
    // Another command of this process has done it, and reports it.
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  throw new AgentError(
    "TOOL_FAILED",
    `${path} was created while a command ran, which is not allowed; it is now ${aside}. If you created it yourself, rename it back`,
    { path, aside },
  );
}

/** An inode number alone is no identity: it is used again for the next directory. */
function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.birthtimeNs === other.birthtimeNs;
}

async function isEmpty(path: string): Promise<boolean> {
  return (await readdir(path)).length === 0;
}

/** `undefined`: it is gone, or not a directory that may be opened. */
async function openDirectory(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

async function lstatIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
