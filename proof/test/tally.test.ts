/** A run is proven only if every figure is reached, every control found something, and no promise was broken. */

import { describe, expect, test } from "vitest";
import { Fingerprints } from "../fingerprints.ts";
import type { Part } from "../part.ts";
import { problems, table } from "../report.ts";
import { PartTally } from "../tally.ts";

const PART: Part = {
  name: "sample",
  title: "A sample",
  counts: { images: 3, kills: 2 },
  gateSlices: 2,
  weight: 1,
  obstacle: () => Promise.resolve(undefined),
  run: () => Promise.resolve(),
  control: () => Promise.resolve(),
};

function provenTally(): PartTally {
  const tally = new PartTally(PART, undefined);
  tally.endControl({ kind: "violated", story: "found" });
  tally.hear(0, { kind: "counted", counts: { kills: 1 }, distinct: { images: BigUint64Array.of(1n, 2n) } });
  tally.hear(1, { kind: "counted", counts: { kills: 1 }, distinct: { images: BigUint64Array.of(2n, 3n) } });
  tally.end(0, { kind: "kept" });
  tally.end(1, { kind: "kept" });
  return tally;
}

describe("a tally", () => {
  test("adds up slices, and counts what two of them met once", () => {
    const tally = provenTally();
    expect(tally.counts).toEqual({ images: 3, kills: 2 });
    expect(tally.shortcomings()).toEqual([]);
    expect(problems([tally], 1)).toEqual([]);
    const interrupted = new PartTally(tally.part, undefined);
    expect(problems([interrupted], 1)).not.toEqual([]);
    expect(problems([interrupted], 1, "interrupted")).toEqual([]);
  });

  test("takes what a slice says later in place of what it said before", () => {
    const tally = new PartTally(PART, undefined);
    tally.hear(0, { kind: "counted", counts: { kills: 1 }, distinct: {} });
    tally.hear(0, { kind: "counted", counts: { kills: 5 }, distinct: {} });
    expect(tally.counts["kills"]).toBe(5);
  });

  test("is not proven by a control that found nothing", () => {
    const tally = provenTally();
    tally.endControl({ kind: "kept" });
    expect(tally.shortcomings().join()).toContain("control");
    expect(table([tally])).toContain("FOUND NOTHING");
  });

  test("is not proven by a control that failed in another way", () => {
    const tally = provenTally();
    tally.endControl({ kind: "failed", story: "TypeError" });
    expect(problems([tally], 1).join("\n")).toContain("TypeError");
  });

  test("is not proven by a figure that was not reached", () => {
    const tally = new PartTally(PART, undefined);
    tally.endControl({ kind: "violated", story: "found" });
    tally.hear(0, { kind: "counted", counts: { kills: 2 }, distinct: { images: BigUint64Array.of(1n) } });
    expect(tally.shortcomings()).toEqual(["1 images, not 3"]);
  });

  test.each(["violated", "failed"] as const)(
    "is not proven by a slice that %s, and says how to run it again",
    (kind) => {
      const tally = provenTally();
      tally.end(7, { kind, story: "a story" });
      expect(tally.shortcomings()).toHaveLength(1);
      expect(problems([tally], 4).join("\n")).toContain("--part sample --slice 7 --seed 4");
    },
  );

  test("leaves out what cannot be run here, and says why", () => {
    const tally = new PartTally(PART, "needs root");
    expect(tally.shortcomings()).toEqual([]);
    expect(table([tally])).toContain("needs root");
  });
});

test("fingerprints are counted once, beyond the first size of the table too", () => {
  const fingerprints = new Fingerprints();
  let added = 0;
  for (let each = 0; each < 200_000; each++) {
    if (fingerprints.add(BigInt((each % 100_000) + 1) * 0x9e3779b97f4a7c15n)) added += 1;
  }
  expect(added).toBe(100_000);
  expect(fingerprints.size).toBe(100_000);
});
