/** Copies a directory with its modes and hard links; the copy is durable. */

import { chmod, copyFile, link, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "../config/sync-directory.ts";
import { directoryTree } from "./directory-tree.ts";

export async function copyTree(from: string, to: string): Promise<void> {
  const entries = await directoryTree(from);
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
