import { describe, expect, test } from "vitest";
import { Measure } from "../fault-sweep/outcomes.ts";
import { Sweep } from "../fault-sweep/sweep.ts";
import { faultSweep } from "../fault-sweep/part.ts";
import { WORKLOADS, type Workload } from "../fault-sweep/workload.ts";
import { Violation, type Findings } from "../part.ts";

const SHORT: Workload = {
  ...{ keys: ["b"], journalBytes: 500, segmentBytes: 100_000, before: [] },
  steps: [
    { kind: "append", key: "b", contents: ["one"] },
    { kind: "append", key: "b", contents: ["two"] },
    { kind: "archive", key: "b" },
  ],
};

describe("the measure of a fault sweep", () => {
  test("is what the memory backend shows after the steps that were done", async () => {
    const measure = new Measure(SHORT);
    const [only, ...others] = await measure.possible(["done", "refused", "done"]);
    expect(others).toEqual([]);
    expect(only).toContain("one");
    expect(only).not.toContain("two");
    expect(only).toContain("archived");
  });

  test("has both ways where nobody knows", async () => {
    const possible = await new Measure(SHORT).possible(["done", "unknown"]);
    expect(possible.map((contents) => contents.includes("two")).sort()).toEqual([false, true]);
  });
});

describe("a fault sweep", () => {
  test("finds nothing wrong where nothing fails, and every workload gets through", async () => {
    for (const workload of WORKLOADS) {
      const { calls, wrong } = await new Sweep(workload, (host) => host).calls();
      expect(wrong).toBeUndefined();
      expect(calls.length).toBeGreaterThan(100);
    }
  });

  test("finds that a failed sync was tried again and believed", async () => {
    const findings: Findings = { count: () => undefined, distinct: () => undefined, note: () => undefined };
    await expect(faultSweep.control(findings)).rejects.toThrow(Violation);
  });
});
