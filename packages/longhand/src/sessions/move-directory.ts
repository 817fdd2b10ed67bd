/**
 * Moves a directory: by a rename on one file system, else by a copy that is compared byte by byte before the original is removed. A move
 * that was interrupted can be run again: the copy is made under another name until it is whole.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, copyFile, link, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CommandError } from "../command-error.ts";

export interface MoveDeps {
  readonly rename: (from: string, to: string) => Promise<void>;
}

export async function moveDirectory(
  from: string,
  to: string,
  deps: MoveDeps = { rename },
): Promise<"renamed" | "copied"> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await deps.rename(from, to);
    return "renamed";
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
  }
  const copy = `${to}.moving`;
  await rm(copy, { recursive: true, force: true });
  await copyTree(from, copy);
  if (!(await isContainedIn(from, copy))) {
    throw new CommandError(
      "MOVE_REFUSED",
      `${from} changed while it was copied; nothing was moved, try again`,
    );
  }
  await rename(copy, to);
  await syncDirectory(dirname(to));
  await rm(from, { recursive: true });
  return "copied";
}

/** Every file of `directory` is in `other` with the same bytes. */
export async function isContainedIn(directory: string, other: string): Promise<boolean> {
  for (const { path, isDirectory } of await treeOf(directory)) {
    const facts = await lstat(join(other, path)).catch(() => undefined);
    if (facts === undefined || facts.isDirectory() !== isDirectory) return false;
    if (isDirectory) continue;
    if ((await digest(join(directory, path))) !== (await digest(join(other, path)))) return false;
  }
  return true;
}

interface Entry {
  /** Relative; parents come first. */
  readonly path: string;
  readonly isDirectory: boolean;
  readonly mode: number;
  /** The same for all names of one file. */
  readonly identity: string;
}

async function treeOf(root: string, below = "."): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const name of await readdir(join(root, below))) {
    const path = join(below, name);
    const facts = await lstat(join(root, path));
    if (!facts.isDirectory() && !facts.isFile()) {
      const what = join(root, path);
      throw new CommandError(
        "MOVE_REFUSED",
        `${what} is a link or a special file, which is not moved; nothing was changed`,
      );
    }
    const isDirectory = facts.isDirectory();
    entries.push({ path, isDirectory, mode: facts.mode & 0o777, identity: `${facts.dev}:${facts.ino}` });
    if (isDirectory) entries.push(...(await treeOf(root, path)));
  }
  return entries;
}

async function copyTree(from: string, to: string): Promise<void> {
  const entries = await treeOf(from);
  const copies = new Map<string, string>();
  await mkdir(to, { mode: 0o700 });
  for (const { path, isDirectory, mode, identity } of entries) {
    const target = join(to, path);
    const first = copies.get(identity);
    if (isDirectory) await mkdir(target, { mode: 0o700 });
    // Forks share segments by hard links.
    else if (first !== undefined) await link(first, target);
    else {
      await copyFile(join(from, path), target);
      await chmod(target, mode);
      await syncFile(target);
      copies.set(identity, target);
    }
  }
  for (const { path } of entries.filter(({ isDirectory }) => isDirectory))
    await syncDirectory(join(to, path));
  await syncDirectory(to);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function digest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}
