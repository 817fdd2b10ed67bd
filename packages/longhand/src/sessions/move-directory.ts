/**
 * Moves a directory: by a rename on one file system, else by a copy. The original of a copy is set aside by a rename and compared with
 * the copy again before the copy takes its place, and once more before it is removed: a write that another process has made meanwhile is
 * never deleted. A move that was interrupted at any point is finished or undone by `recoverMove`.
 */

import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError } from "../command-error.ts";
import { copyPath, setAsidePath } from "../config/move-paths.ts";
import { syncDirectory } from "../config/sync-directory.ts";
import { errorCode } from "../error-code.ts";
import { copyTree } from "./copy-tree.ts";
import { isContainedIn } from "./is-contained-in.ts";

export interface Move {
  readonly from: string;
  readonly to: string;
  /** Rejects while a process has the directory open. It is called after a rename: no process opens it by its path any more. */
  readonly refuseIfOpen: (directory: string) => Promise<void>;
}

export interface MoveDeps {
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly remove: (directory: string) => Promise<void>;
  readonly syncDirectory: (directory: string) => Promise<void>;
}

export const DISK: MoveDeps = {
  rename,
  remove: async (directory) => await rm(directory, { recursive: true, force: true }),
  syncDirectory,
};

export async function moveDirectory(move: Move, deps: MoveDeps = DISK): Promise<void> {
  const { from, to, refuseIfOpen } = move;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await deps.rename(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    await moveByCopy(move, deps);
    return;
  }
  try {
    await refuseIfOpen(to);
  } catch (error) {
    await deps.rename(to, from);
    throw error;
  }
  await deps.syncDirectory(dirname(to));
  await deps.syncDirectory(dirname(from));
}

async function moveByCopy({ from, to, refuseIfOpen }: Move, deps: MoveDeps): Promise<void> {
  const copy = copyPath(to);
  await deps.remove(copy);
  await copyTree(from, copy);
  await deps.syncDirectory(dirname(copy));
  await withSetAside(from, deps, async (aside) => {
    await refuseIfOpen(aside);
    if (!(await isContainedIn(aside, copy))) throw changed(from);
    await deps.rename(copy, to);
  });
  await deps.syncDirectory(dirname(to));
  await removeSetAside(from, to, deps);
}

/** For an original that is in `to` already. */
export async function removeContained({ from, to, refuseIfOpen }: Move, deps: MoveDeps): Promise<void> {
  await withSetAside(from, deps, async (aside) => {
    await refuseIfOpen(aside);
    if (!(await isContainedIn(aside, to))) throw changed(from);
  });
  await removeSetAside(from, to, deps);
}

/** After a move that was interrupted: the original is where it was, or completely in `to`. */
export async function recoverMove(from: string, to: string, deps: MoveDeps): Promise<void> {
  const aside = setAsidePath(from);
  if (!(await isDirectory(aside))) return;
  if (await isDirectory(from)) {
    throw new CommandError("MOVE_REFUSED", `${aside} is in the way; move it away, then try again`);
  }
  // The copy has not taken its place yet.
  if (await isDirectory(copyPath(to))) {
    await deps.rename(aside, from);
    await deps.syncDirectory(dirname(from));
  } else await removeSetAside(from, to, deps);
}

async function withSetAside(
  from: string,
  deps: MoveDeps,
  use: (aside: string) => Promise<void>,
): Promise<void> {
  const aside = setAsidePath(from);
  await deps.rename(from, aside);
  try {
    await deps.syncDirectory(dirname(from));
    await use(aside);
  } catch (error) {
    await deps.rename(aside, from);
    throw error;
  }
}

async function removeSetAside(from: string, to: string, deps: MoveDeps): Promise<void> {
  const aside = setAsidePath(from);
  if (!(await isContainedIn(aside, to))) {
    throw new CommandError(
      "MOVE_REFUSED",
      `${aside} has more than its copy, ${to}; both are kept. If ${to} has all you need, remove ${aside}`,
      { detail: { from: aside, to } },
    );
  }
  await deps.remove(aside);
  await deps.syncDirectory(dirname(aside));
}

function changed(from: string): CommandError {
  return new CommandError(
    "MOVE_REFUSED",
    `${from} changed while it was copied; nothing was moved, try again`,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
