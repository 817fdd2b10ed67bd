import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import type { Candidate } from "../candidate.ts";
import { bareFile } from "../candidates/bare-file.ts";
import { longhand } from "../candidates/longhand.ts";
import { performTask } from "../perform-task.ts";
import { BenchRun } from "../run-bench.ts";
import { runInChild, type RunTask } from "../run-child.ts";
import { Scratch } from "../scratch.ts";
import { TINY } from "../sizes.ts";
import type { Workload } from "../workload.ts";
import { durableAppend } from "../workloads/append-to-one.ts";
import { WORKLOADS, workloadNamed } from "../workloads/all-workloads.ts";
import {
  changesOne,
  fails,
  honest,
  losesOne,
  losesTheLast,
  notInstalled,
  writesTwice,
} from "./support/faulty-candidates.ts";

interface Made {
  readonly run: BenchRun;
  readonly steps: readonly string[];
  readonly root: string;
}

/** In this process, so that candidates can be handed in. */
async function runHere(
  workloads: readonly Workload[],
  candidates: readonly Candidate[],
  repetitions = 1,
): Promise<Made> {
  const known = {
    candidateNamed: (name: string): Candidate => {
      const found = candidates.find((candidate) => candidate.name === name);
      if (found === undefined) throw new Error(`no candidate is named ${name}`);
      return found;
    },
    workloadNamed: (name: string) => workloads.find((one) => one.name === name) ?? workloadNamed(name),
  };
  const runTask: RunTask = async (task) => await performTask(task, known);
  const root = await temporaryDirectory();
  const steps: string[] = [];
  const run = new BenchRun(
    { workloads, candidates, sizes: TINY, repetitions },
    {
      ...{ runTask, scratch: new Scratch(root, 0), canCountSyncs: false },
      onStep: (step) => steps.push(step),
    },
  );
  await run.finish();
  return { run, steps, root };
}

describe("longhand and plain files", () => {
  // The command is looked at below, where the build is.
  const workloads = WORKLOADS.filter(({ name }) => name !== "help");

  test("do every workload and sweep, with right results", async () => {
    const { run } = await runHere(workloads, [longhand, bareFile]);
    expect(run.results.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(run.isFailed).toBe(false);
    expect(run.results.map(({ workload }) => workload.name)).toEqual(
      expect.arrayContaining(["W1", "W2", "W2-sustained", "W3", "W4", "W5", "W5-iterate", "W6", "W9"]),
    );
    for (const { mainValues } of run.results) {
      expect(mainValues).toHaveLength(1);
      expect(mainValues.every((value) => value > 0)).toBe(true);
    }
  });

  test("show their event-loop delay in W1, also where they never return to the event loop", async () => {
    const { run } = await runHere([durableAppend], [longhand, bareFile]);
    for (const result of run.results) expect(result.values("loopDelayMaxMs")[0]).toBeGreaterThan(0);
  });

  test("are measured again in each repetition, each time on new copies", async () => {
    // Each of them changes the store that the next one is measured on.
    const changing = ["W6", "sweep-append", "sweep-rewind", "sweep-truncate"].map(workloadNamed);
    const { run } = await runHere(
      changing.map((workload) => ({ ...workload, candidates: ["bare-file"], points: () => [50] })),
      [bareFile],
      2,
    );
    expect(run.results.map(({ problem, mainValues }) => problem ?? mainValues.length)).toEqual([2, 2, 2, 2]);
  });

  test("leave nothing behind but the data sets", async () => {
    const { root } = await runHere([durableAppend], [bareFile]);
    const [own = ""] = readdirSync(root);
    expect(readdirSync(`${root}/${own}`)).toEqual([]);
  });
});

describe("a candidate that", () => {
  const append: Workload = {
    ...durableAppend,
    candidates: [honest, losesOne, losesTheLast, writesTwice, changesOne, fails, notInstalled].map(
      ({ name }) => name,
    ),
  };

  test.each([
    [losesOne, "message 2 of"],
    [losesTheLast, "11 messages of agent-main-chat-000001, not 12"],
    [writesTwice, "message 3 of"],
    [changesOne, "message 2 of"],
  ])("$name is caught, and the run fails", async (candidate, reason) => {
    const { run } = await runHere([append], [honest, candidate]);
    const [good, bad] = run.results;
    expect(good?.problem).toBeUndefined();
    expect(good?.mainValues).toHaveLength(1);
    expect(bad?.problem?.kind).toBe("wrong");
    expect(bad?.problem?.reason).toContain(reason);
    expect(bad?.mainValues).toEqual([]);
    expect(run.isFailed).toBe(true);
  });

  test("fails makes the run fail, and is not measured again", async () => {
    const { run, steps } = await runHere([append], [fails, honest], 3);
    expect(run.results.map(({ candidate, problem }) => [candidate.name, problem?.kind])).toEqual([
      ["honest", undefined],
      ["fails", "failed"],
    ]);
    expect(run.isFailed).toBe(true);
    expect(steps.filter((step) => step.endsWith("fails"))).toHaveLength(1);
    expect(steps.filter((step) => step.endsWith("honest"))).toHaveLength(3);
  });

  test("is not installed is named as missing, which is no failure", async () => {
    const { run } = await runHere([append], [honest, notInstalled]);
    expect(run.results[1]?.problem).toEqual({
      kind: "missing",
      reason: "some-store cannot be loaded: Error: Cannot find package 'some-store'",
    });
    expect(run.isFailed).toBe(false);
  });
});

describe("a child process", () => {
  const path = fileURLToPath(new URL("../dist/child.js", import.meta.url));
  const task = { sizes: TINY, point: 0, messages: 0 } as const;

  test("answers with figures, of the store and of the command", async () => {
    const directory = await temporaryDirectory();
    const one = { ...task, kind: "measure", candidate: "longhand", directory } as const;
    const appended = await runInChild({ ...one, workload: "W1" }, { path });
    expect(appended).toMatchObject({ kind: "done", measured: { figures: { n: TINY.oneSession } } });
    const verified = await runInChild({ ...one, kind: "verify", facts: [], workload: "W1" }, { path });
    expect(verified).toEqual({ kind: "done" });
    const helped = await runInChild({ ...one, workload: "help" }, { path });
    expect(helped).toMatchObject({ kind: "done" });
  });

  test("that finds too few messages says so", async () => {
    const directory = await temporaryDirectory();
    const verified = await runInChild(
      { ...task, kind: "verify", candidate: "bare-file", workload: "W1", directory, facts: [] },
      { path },
    );
    expect(verified).toEqual({ kind: "wrong", reason: "0 messages of agent-main-chat-000001, not 12" });
  });

  test("that dies has failed", async () => {
    const nothing = { kind: "probe", candidate: "longhand" } as const;
    expect(await runInChild(nothing, { path: `${path}-not-there` })).toMatchObject({ kind: "failed" });
  });
});
