/** How much disk a store takes, and for what. Reads sizes only; what is linked twice, as forks do, counts once. */

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export const DISK_PARTS = ["active", "segments", "archive", "trash", "damaged", "journals"] as const;
export type DiskUse = Readonly<Record<(typeof DISK_PARTS)[number], number>>;

const PLACES: Readonly<Record<(typeof DISK_PARTS)[number], string>> = {
  active: ".",
  segments: "segments",
  archive: "archive",
  trash: "trash",
  damaged: ".longhand/damaged",
  journals: ".longhand/journal",
};

/** What cannot be looked at is told by `onFailure` and not counted. */
export async function measureDisk(directory: string, onFailure: (reason: string) => void): Promise<DiskUse> {
  const seen = new Set<string>();
  const use = { active: 0, segments: 0, archive: 0, trash: 0, damaged: 0, journals: 0 };
  for (const part of DISK_PARTS) {
    use[part] = await bytesIn(join(directory, PLACES[part]), part !== "active", seen, onFailure);
  }
  return use;
}

async function bytesIn(
  directory: string,
  isDeep: boolean,
  seen: Set<string>,
  onFailure: (reason: string) => void,
): Promise<number> {
  let bytes = 0;
  for (const name of (await orGone(() => readdir(directory), onFailure)) ?? []) {
    const path = join(directory, name);
    const found = await orGone(() => lstat(path), onFailure);
    if (found === undefined) continue;
    if (found.isDirectory()) {
      if (isDeep) bytes += await bytesIn(path, isDeep, seen, onFailure);
      continue;
    }
    const file = `${found.dev}:${found.ino}`;
    if (!found.isFile() || seen.has(file)) continue;
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
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT") onFailure(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
