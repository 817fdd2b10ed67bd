import { describe, expect, test } from "vitest";
import { leaveOut } from "../../packages/store/test/support/leave-out.ts";
import { fillAndGoOn } from "../disk-full/fill-and-go-on.ts";
import { inFullDisk } from "../disk-full/full-disk.ts";
import { diskFull } from "../disk-full/part.ts";
import { Violation } from "../part.ts";
import { collectFindings } from "./support/collect-findings.ts";

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
    await expect(failing).rejects.toThrow("was acknowledged with seq");
  });
});
