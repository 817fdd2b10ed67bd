import { describe, expect, test } from "vitest";
import { SimulatedMachine } from "@longhand/store/testing";
import { performStep } from "../crash-images/perform-step.ts";
import { STEP_KINDS } from "../crash-images/step.ts";
import { DIRECTORY, examine, open } from "../fault-sweep/examine.ts";
import { Measure } from "../fault-sweep/outcomes.ts";
import { spoilCheckpoint } from "../fault-sweep/spoil-checkpoint.ts";
import { Sweep } from "../fault-sweep/sweep.ts";
import { faultSweep } from "../fault-sweep/part.ts";
import {
  type Outcome,
  droppedBelow,
  mayBeSpoiled,
  WORKLOADS,
  type Workload,
} from "../fault-sweep/workload.ts";
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

  test("what is deleted for ever may be found in the trash, where nobody knows", async () => {
    const steps = [...SHORT.steps, { kind: "delete forever", key: "b" } as const];
    const measure = new Measure({ ...SHORT, steps });
    const found = async (last: Outcome): Promise<string[]> =>
      (await measure.possible(["done", "done", "done", last])).map((contents) =>
        contents.includes("archived") ? "archived" : contents.includes("trashed") ? "trashed" : "gone",
      );
    expect(await found("unknown")).toEqual(["archived", "trashed", "gone"]);
    expect(await found("done")).toEqual(["gone"]);
    expect(await found("refused")).toEqual(["archived"]);
  });

  test("what was spoiled before counts as spoiled until a repair is done", () => {
    const workload: Workload = { ...SHORT, isSpoiled: true, steps: [{ kind: "repair" }, ...SHORT.steps] };
    expect(mayBeSpoiled(workload, ["unknown", "done"])).toBe(true);
    expect(mayBeSpoiled(workload, ["done"])).toBe(false);
    expect(mayBeSpoiled(SHORT, [])).toBe(false);
  });

  test("records that may be dropped are not compared, all others are", async () => {
    const steps = [...SHORT.steps, { kind: "reclaim", drop: 2 } as const];
    const [only] = await new Measure({ ...SHORT, steps }).possible(["done", "done", "refused", "done"]);
    expect(only).toContain('"seq": 2');
    expect(only).not.toContain('"seq": 1,');
  });
});

describe("a fault sweep", () => {
  test("the workloads have a step of every kind", () => {
    const kinds = new Set<string>(WORKLOADS.flatMap(({ steps }) => steps.map(({ kind }) => kind)));
    // A process that is killed is the crash that comes on top of each fault.
    const expected = [...STEP_KINDS.filter((kind) => kind !== "kill"), "read", "search", "verify"];
    expect(expected.filter((kind) => !kinds.has(kind))).toEqual([]);
    expect(WORKLOADS.map(droppedBelow)).toContain(5);
  });

  test("a spoiled checkpoint that no repair has mended is found", async () => {
    const workload: Workload = {
      ...{ keys: ["b"], journalBytes: 500, segmentBytes: 200, isSpoiled: true },
      before: [1, 2, 3].map((number) => ({ kind: "append", key: "b", contents: [`text ${number}`] })),
      steps: [{ kind: "verify" }],
    };
    const { wrong } = await new Sweep(workload, (host) => host).calls();
    expect(wrong).toBeUndefined();
    const mended = { ...workload, steps: [{ kind: "repair" }, { kind: "verify" }] } satisfies Workload;
    expect((await new Sweep(mended, (host) => host).calls()).wrong).toBeUndefined();
    const pretended = { ...workload, steps: [{ kind: "repair" }] } satisfies Workload;
    const machine = new SimulatedMachine(1);
    const store = await open(machine.startProcess(), workload);
    for (const step of workload.before) await performStep(store, step);
    await store.close();
    await spoilCheckpoint(machine.startProcess(), DIRECTORY);
    const possible = await new Measure(pretended).possible(["done"]);
    const examined = examine(machine.startProcess(), pretended, { possible, isSpoiled: false });
    expect(await examined).toContain("verify finds");
  });

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
