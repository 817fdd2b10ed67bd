/** How much disk a store takes, and for what. Reads sizes only; what is linked twice, as forks do, counts once. */

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";

/** `other`: what else lies in the store's directory, such as originals that were migrated, leases and caches. */
export const DISK_PARTS = ["active", "segments", "archive", "trash", "damaged", "journals", "other"] as const;
export type DiskUse = Readonly<Record<(typeof DISK_PARTS)[number], number>>;
export const NO_DISK_USE: DiskUse = {
  active: 0,
  segments: 0,
  archive: 0,
  trash: 0,
  damaged: 0,
  journals: 0,
  other: 0,
};

const PLACES: Readonly<Record<(typeof DISK_PARTS)[number], string>> = {
  active: ".",
  segments: "segments",
  archive: "archive",
  trash: "trash",
  damaged: ".longhand/damaged",
  journals: ".longhand/journal",
  // Last: everything that was not counted before.
  other: ".",
};

/** What cannot be looked at is told by `onFailure` and not counted. */
export async function measureDisk(directory: string, onFailure: (reason: string) => void): Promise<DiskUse> {
  const seen = new Set<string>();
  const use = { ...NO_DISK_USE };
  for (const part of DISK_PARTS) {
    use[part] = await bytesIn(join(directory, PLACES[part]), part === "active", seen, onFailure);
  }
  return use;
}

async function bytesIn(
  directory: string,
  isActive: boolean,
  seen: Set<string>,
  onFailure: (reason: string) => void,
): Promise<number> {
  let bytes = 0;
  for (const name of (await orGone(() => readdir(directory), onFailure)) ?? []) {
    const path = join(directory, name);
    const found = await orGone(() => lstat(path), onFailure);
    if (found === undefined) continue;
    if (found.isDirectory()) {
      if (!isActive) bytes += await bytesIn(path, isActive, seen, onFailure);
      continue;
    }
    const file = `${found.dev}:${found.ino}`;
    if (!found.isFile() || seen.has(file) || (isActive && !name.endsWith(".jsonl"))) continue;
    seen.add(file);
    bytes += found.size;
  }
  return bytes;
}

/** Not there, or put away at this moment: nothing to measure. */
async function orGone<T>(
  look: () => Promise<T>,
  onFailure: (reason: string) => void,
): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOENT") onFailure(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
