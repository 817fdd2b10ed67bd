import { expect, test } from "vitest";
import { bareFile } from "../candidates/bare-file.ts";
import { longhand } from "../candidates/longhand.ts";
import { pi } from "../candidates/pi.ts";
import { scheduleOf } from "../schedule.ts";
import { TINY } from "../sizes.ts";
import type { Workload } from "../workload.ts";

const measure = async (): Promise<never> => await Promise.reject(new Error("not here"));
const one: Workload = {
  ...{ name: "one", title: "", unit: "ms", measure },
  candidates: ["longhand", "pi", "bare-file"],
};
const sweep: Workload = {
  ...{ name: "sweep", title: "", unit: "ms", measure },
  candidates: ["longhand", "bare-file"],
  points: () => [10, 20],
};

const orderOf = (repetition: number, candidates = [longhand, bareFile, pi]): string[] =>
  scheduleOf(repetition, [one, sweep], candidates, TINY).map(
    ({ workload, candidate, point }) => `${workload.name} ${candidate.name} ${point}`,
  );

test("the candidates of a workload follow each other, at each point of a sweep", () => {
  expect(orderOf(0)).toEqual([
    ...["one longhand 0", "one pi 0", "one bare-file 0"],
    ...["sweep longhand 10", "sweep bare-file 10", "sweep longhand 20", "sweep bare-file 20"],
  ]);
});

test("each repetition begins with another candidate, and has all of them", () => {
  expect(orderOf(1).slice(0, 3)).toEqual(["one pi 0", "one bare-file 0", "one longhand 0"]);
  expect(orderOf(2).slice(0, 3)).toEqual(["one bare-file 0", "one longhand 0", "one pi 0"]);
  expect(orderOf(3)).toEqual(expect.arrayContaining(orderOf(0)));
  expect(orderOf(3).slice(0, 3)).toEqual(orderOf(0).slice(0, 3));
});

test("a candidate that was not asked for is left out", () => {
  expect(orderOf(0, [bareFile])).toEqual(["one bare-file 0", "sweep bare-file 10", "sweep bare-file 20"]);
});
