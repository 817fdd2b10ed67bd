import { describe, expect, test } from "vitest";
import { leaveOut } from "../../packages/store/test/support/leave-out.ts";
import { Violation } from "../part.ts";
import { neededTools, powerCuts } from "../power-cuts/part.ts";
import { runCuts } from "../power-cuts/run-cuts.ts";
import { collectFindings } from "./support/collect-findings.ts";

describe("real power cuts", () => {
  test("without XFS the part cannot be run where CI is set", () => {
    expect(neededTools(true)).toContain("mkfs.xfs");
    expect(neededTools(false)).not.toContain("mkfs.xfs");
  });

  test("a few, with nothing lost", async ({ skip }) => {
    const obstacle = await powerCuts.obstacle();
    if (obstacle !== undefined) leaveOut(skip, obstacle);
    const { findings, counts } = collectFindings();
    const slice = { seed: 5, number: 9 };
    await runCuts({ slice, findings, cuts: 3, kind: "ext4", conduct: "honest" });
    expect(counts["cuts on ext4"]).toBe(3);
  });

  test("control: a writer that never syncs loses what it acknowledged", async ({ skip }) => {
    const obstacle = await powerCuts.obstacle();
    if (obstacle !== undefined) leaveOut(skip, obstacle);
    const failing = powerCuts.control(collectFindings().findings);
    await expect(failing).rejects.toThrow(Violation);
    await expect(failing).rejects.toThrow("after cut");
  });
});
