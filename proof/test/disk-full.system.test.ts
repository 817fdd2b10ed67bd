import { existsSync } from "node:fs";
import { statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { leaveOut } from "../../packages/store/test/support/leave-out.ts";
import { fillUpTo, giveRoom } from "../disk-full/ballast.ts";
import { fillAndGoOn } from "../disk-full/fill-and-go-on.ts";
import { inFullDisk } from "../disk-full/full-disk.ts";
import { diskFull } from "../disk-full/part.ts";
import { Disk } from "../disks/disk.ts";
import { obstacleToDisks } from "../disks/obstacle-to-disks.ts";
import { Violation } from "../part.ts";
import { collectFindings } from "./support/collect-findings.ts";

test("filling a disk ends when another writer takes the room meanwhile", async ({ skip }) => {
  const obstacle = await obstacleToDisks([]);
  if (obstacle !== undefined) leaveOut(skip, obstacle);
  const disk = await Disk.make({ kind: "tmpfs", bytes: 64 * 2 ** 20 });
  try {
    const filling = fillUpTo(disk.path, "bytes", 0);
    // From now on the room that was measured is not the room there is.
    await expect.poll(() => existsSync(join(disk.path, "ballast", String(64 * 2 ** 20)))).toBe(true);
    await writeFile(join(disk.path, "other"), Buffer.alloc(2 ** 20));
    await filling;
    expect((await statfs(disk.path)).bavail).toBe(0);
    await giveRoom(disk.path);
    expect((await statfs(disk.path)).bavail).toBeGreaterThan(0);
  } finally {
    disk.remove();
  }
});

describe("real full disks", () => {
  test("the same store goes on when there is room again", async ({ skip }) => {
    const obstacle = await diskFull.obstacle();
    if (obstacle !== undefined) leaveOut(skip, obstacle);
    const { findings, counts } = collectFindings();
    const plan = { kind: "ext4", scarcity: "bytes", seed: 5, slice: 9, disk: 0, isControl: false } as const;
    await inFullDisk(plan, findings, fillAndGoOn);
    expect(counts["disks filled"]).toBe(1);
    expect(counts["refusals"]).toBeGreaterThan(0);
  });

  test("control: who does not look at the counts of writes loses what was acknowledged", async ({ skip }) => {
    const obstacle = await diskFull.obstacle();
    if (obstacle !== undefined) leaveOut(skip, obstacle);
    const failing = diskFull.control(collectFindings().findings);
    await expect(failing).rejects.toThrow(Violation);
    // Missing messages, or what reading back has found and kept aside in its place.
    await expect(failing).rejects.toThrow(/was acknowledged with seq|a reader finds damage/u);
  });
});
