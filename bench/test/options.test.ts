import { expect, test } from "vitest";
import { parseOptions } from "../options.ts";
import { FULL, QUICK } from "../sizes.ts";

const namesOf = (only: string): string[] =>
  parseOptions(["--only", only]).workloads.map((workload) => workload.name);

test("without options everything runs at full size", () => {
  const options = parseOptions([]);
  expect(options.sizes).toBe(FULL);
  expect(options.repetitions).toBe(FULL.repetitions);
  expect(options.workloads.length).toBeGreaterThan(15);
  expect(options.candidates.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["longhand", "sqlite-full", "sqlite-group", "libsql", "lmdb", "bare-file", "pi"]),
  );
});

test("workloads are chosen by name, with their variants", () => {
  expect(namesOf("W1")).toEqual(["W1"]);
  expect(namesOf("w4,W2")).toEqual(["W2", "W2-sessions", "W2-sustained", "W4"]);
  expect(namesOf("sweeps").every((name) => name.startsWith("sweep-"))).toBe(true);
  expect(namesOf("sweep-open")).toEqual(["sweep-open"]);
});

test("candidates, sizes and repetitions are chosen", () => {
  const options = parseOptions(["--quick", "--candidates", "pi,longhand", "--repetitions", "5"]);
  expect(options.sizes).toBe(QUICK);
  expect(options.candidates.map(({ name }) => name)).toEqual(["longhand", "pi"]);
  expect(options.repetitions).toBe(5);
});

test.each([
  [["--only", "W77"], "no workload is named W77"],
  [["--candidates", "oracle"], "no candidate is named oracle"],
  [["--repetitions", "0"], "--repetitions 0"],
  [["--repetitions", "many"], "--repetitions many"],
  [["--fast"], "--fast"],
])("%j is refused", (parameters, reason) => {
  expect(() => parseOptions(parameters)).toThrow(reason);
});

test("every goal names a candidate of its workload", () => {
  for (const { goals = [], candidates } of parseOptions([]).workloads)
    for (const goal of goals) if ("peer" in goal) expect(candidates).toContain(goal.peer);
});
