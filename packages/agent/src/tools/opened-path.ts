/**
 * Where an open descriptor really is, and a way to name things beside it that no swapped link can bend. On Linux the kernel says
 * both through /proc/self/fd. Elsewhere the path is resolved a second time and must lead to the same file: that leaves a moment in
 * which a swap goes unseen, and docs/tools.md says so.
 */

import { stat, readlink, realpath, type FileHandle } from "node:fs/promises";

const HAS_DESCRIPTOR_PATHS = process.platform === "linux";

/** The real path of what `handle` has open, now; `undefined`: it is no longer what `path` leads to. */
export async function openedPath(handle: FileHandle, path: string): Promise<string | undefined> {
  if (HAS_DESCRIPTOR_PATHS) return await readlink(descriptorPath(handle));
  const real = await realpath(path);
  const [opened, found] = [await handle.stat(), await stat(real)];
  return opened.dev === found.dev && opened.ino === found.ino ? real : undefined;
}

/** A path to the open directory itself, wherever its name leads meanwhile. */
export function directoryBase(handle: FileHandle, path: string): string {
  return HAS_DESCRIPTOR_PATHS ? descriptorPath(handle) : path;
}

function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}
