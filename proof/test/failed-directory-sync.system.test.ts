/**
 * What the store takes for granted of a file system (docs/decisions/0013): when a directory cannot be synced because the
 * device refuses to write, all writing ends, for everybody, until it is mounted again. Nobody can then acknowledge anything
 * that relies on names which are not there. Shown with plain files on real ones, since no simulation can.
 */

import { closeSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { leaveOut } from "../../packages/store/test/support/leave-out.ts";
import { fillUpTo, giveRoom } from "../disk-full/ballast.ts";
import { Disk, type DiskKind } from "../disks/disk.ts";
import { missingTool } from "../disks/missing-tool.ts";
import { obstacleToDisks } from "../disks/obstacle-to-disks.ts";

const TRIES = 10_000;
const BYTES = 400 * 2 ** 20;
const disks: Disk[] = [];

afterEach(() => {
  for (const disk of disks.splice(0).reverse()) disk.remove();
});

test.for(["ext4", "xfs"] as const)(
  "%s: after a failed sync of a directory nothing is written any more",
  async (kind, { skip }) => {
    const obstacle = (await obstacleToDisks(["fallocate"])) ?? missing(kind);
    if (obstacle !== undefined) leaveOut(skip, obstacle);
    const device = await makeDisk({ kind: "tmpfs", bytes: BYTES });
    const disk = await makeDisk({ kind, bytes: BYTES, on: device });
    const directory = join(disk.path, "names");
    mkdirSync(directory);
    // As a journal is: open, and with room on the disk that it has already.
    const open = openSync(join(disk.path, "open"), "w+");
    overwrite(open);
    syncPath(directory);
    syncPath(disk.path);

    await fillUpTo(device.path, "bytes", 0);
    expect(makeNamesUntilRefused(directory)).toBe("EIO");
    // Syncing may say yes again (ext4): that is why no later sync is believed. But there is nothing new to sync.
    const refused = /EIO|EROFS/u;
    expect(() => writeFileSync(join(directory, "late"), "")).toThrow(refused);
    expect(() => overwrite(open)).toThrow(refused);
    await giveRoom(device.path);
    // Room alone does not bring it back.
    expect(() => writeFileSync(join(directory, "late"), "")).toThrow(refused);
    expect(() => overwrite(open)).toThrow(refused);
    closeSync(open);

    await disk.comeBack();
    writeFileSync(join(directory, "late"), "");
    syncPath(directory);
  },
);

/** The code of the sync that failed. */
function makeNamesUntilRefused(directory: string): string | undefined {
  for (let number = 1; number <= TRIES; number += 1) {
    closeSync(openSync(join(directory, `${"x".repeat(100)}${number}`), "wx"));
    try {
      syncPath(directory);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  }
  return undefined;
}

function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function overwrite(descriptor: number): void {
  writeSync(descriptor, Buffer.alloc(4096, "x"), 0, 4096, 0);
  fdatasyncSync(descriptor);
}

async function makeDisk(plan: Parameters<typeof Disk.make>[0]): Promise<Disk> {
  const disk = await Disk.make(plan);
  disks.push(disk);
  return disk;
}

function missing(kind: DiskKind): string | undefined {
  const tool = missingTool([`mkfs.${kind}`]);
  return tool && `${tool} is not installed`;
}
