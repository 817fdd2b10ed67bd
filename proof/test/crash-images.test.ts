/** That the search over simulated crashes sees what it should: what is lost, what is too much, and nothing where all is well. */

import { describe, expect, test } from "vitest";
import { OMISSIONS, searchOmission } from "../crash-images/part.ts";
import { randomWorkload } from "../crash-images/random-workload.ts";
import { searchCrashes } from "../crash-images/search-crashes.ts";
import { shrinkWorkload } from "../crash-images/shrink-workload.ts";
import { STEP_KINDS, type Workload } from "../crash-images/step.ts";
import { Timeline } from "../crash-images/timeline.ts";
import { WORKLOADS } from "../crash-images/workloads.ts";
import { keyView, type KeyView, type ShownInfo } from "../crash-images/view.ts";

const KEY = "a";

function info(seq: number, more: Partial<ShownInfo> = {}): ShownInfo {
  const times = { created: "2026", updated: "2026", bytes: 0 };
  return {
    key: KEY,
    id: "S",
    status: "active",
    seq,
    count: seq,
    summary: "",
    tags: [],
    ...times,
    damaged: 0,
    ...more,
  };
}

function view(seq: number, more: Partial<ShownInfo> = {}): KeyView {
  const records = Array.from({ length: seq }, (_, index) => {
    const message = { role: "user", content: `m${index + 1}` } as const;
    return { seq: index + 1, at: "2026", message };
  });
  return keyView(seq === 0 ? [] : [info(seq, more)], records);
}

/** Two appends, the second a batch of two; then it is deleted. */
const WORKLOAD: Workload = {
  name: "by hand",
  keys: [KEY],
  groups: [
    [{ kind: "append", key: KEY, contents: ["m1"] }],
    [{ kind: "append", key: KEY, contents: ["m2", "m3"] }],
    [{ kind: "delete", key: KEY }],
  ],
};
const TRASHED = keyView([info(3, { status: "trashed" })], []);
const TIMELINE = new Timeline(
  WORKLOAD,
  [view(0), view(1), view(3), TRASHED].map((each) => new Map([[KEY, each]])),
);

function judge(found: KeyView, answered: number, begun: number): string | undefined {
  return TIMELINE.judge(new Map([[KEY, found]]), new Map([[KEY, { answered, begun }]]));
}

describe("what a key may show after a crash", () => {
  test("is what was answered, or all of what was begun", () => {
    expect(judge(view(1), 1, 1)).toBeUndefined();
    expect(judge(view(1), 1, 2)).toBeUndefined();
    expect(judge(view(3), 1, 2)).toBeUndefined();
    expect(judge(TRASHED, 2, 3)).toBeUndefined();
  });

  test.each([
    ["less than was answered", view(0), 1, 1],
    ["half a batch", view(2), 1, 2],
    ["what nobody has begun", view(3), 1, 1],
    ["what was deleted", view(3), 3, 3],
    ["nothing, where something was deleted and must be in the trash", view(0), 2, 3],
    [
      "other words",
      keyView([info(1)], [{ ...view(1).records[0], message: { role: "user", content: "x" } } as never]),
      1,
      1,
    ],
    ["two active sessions", keyView([info(1), info(1, { id: "T" })], view(1).records), 1, 1],
  ])("is not %s", (_what, found, answered, begun) => {
    expect(judge(found, answered, begun)).toBeDefined();
  });

  test("may be a session that was begun for a write that is not there yet", () => {
    const begun = keyView([info(0)], []);
    expect(judge(begun, 0, 1)).toBeUndefined();
    expect(judge(begun, 0, 0)).toBeDefined();
    expect(judge(begun, 1, 1)).toBeDefined();
  });
});

test("finds nothing where every step is taken", async () => {
  let images = 0;
  const workload: Workload = {
    name: "short",
    keys: ["a"],
    segmentBytes: 200,
    groups: [
      [{ kind: "append", key: "a", contents: ["one"], id: "id-1" }],
      [{ kind: "append", key: "a", contents: ["two", "three"] }],
      [{ kind: "archive", key: "a" }],
    ],
  };
  const found = await searchCrashes(workload, {
    states: 4,
    seed: 1,
    withOpening: true,
    onImage: () => (images += 1),
  });
  expect(found).toBeUndefined();
  expect(images).toBeGreaterThan(100);
});

test.each(OMISSIONS)("finds what is lost without syncing $what", async ({ workload, isIn }) => {
  expect(await searchOmission(workload, isIn)).toBeDefined();
});

test("draws the same workload for the same seed, and others for others", () => {
  expect(randomWorkload(5)).toEqual(randomWorkload(5));
  const texts = Array.from({ length: 50 }, (_, seed) => JSON.stringify(randomWorkload(seed).groups));
  expect(new Set(texts).size).toBe(texts.length);
  const kinds = new Set(
    Array.from({ length: 200 }, (_, seed) => randomWorkload(seed).groups.flat()).flatMap((steps) =>
      steps.map(({ kind }) => kind),
    ),
  );
  expect([...kinds].sort()).toEqual(STEP_KINDS.toSorted());
});

test("has a workload with a name for each kind of step", () => {
  const named = new Set(WORKLOADS.flatMap(({ groups }) => groups.flat()).map(({ kind }) => kind));
  expect([...named].sort()).toEqual(STEP_KINDS.toSorted());
});

test("makes a failing workload shorter as long as it fails", async () => {
  const workload = randomWorkload(3);
  const fails = (each: Workload): Promise<string | undefined> =>
    Promise.resolve(
      each.groups.flat().some(({ kind }) => kind === "append") ? `${each.groups.length} groups` : undefined,
    );
  expect(workload.groups.flat().some(({ kind }) => kind === "append")).toBe(true);
  expect(await shrinkWorkload(workload, "all", fails)).toBe("1 groups");
});
