/** Fills a disk up to some room, and gives the room back: what somebody else has there, and then removes. */

import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What runs out. */
export type Scarcity = "bytes" | "inodes";

const CHUNK = 64 * 1024;

export async function fillUpTo(disk: string, scarcity: Scarcity, room: number): Promise<void> {
  const directory = join(disk, "ballast");
  await mkdir(directory);
  const { bavail, bsize, ffree } = await statfs(disk);
  if (scarcity === "inodes") {
    for (let left = ffree; left > room; left -= 1) await writeFile(join(directory, String(left)), "");
    return;
  }
  for (let left = bavail * bsize; left > room; left -= CHUNK) {
    try {
      await writeFile(join(directory, String(left)), Buffer.alloc(Math.min(CHUNK, left - room), "ballast"));
    } catch (error) {
      // Another writer has taken room since it was measured, for instance the kernel, which zeroes inode tables in the
      // background after ext4 was mounted: the disk is full, which is what was wanted.
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") return;
      throw error;
    }
  }
}

export async function giveRoom(disk: string): Promise<void> {
  await rm(join(disk, "ballast"), { recursive: true });
}
