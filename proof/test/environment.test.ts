/** The matrix of environments: a slice of it keeps the promises, and each known mistake does not. */

import { expect, test } from "vitest";
import { environment, violationWith } from "../environment/part.ts";
import { MISTAKES } from "../environment/side-hosts.ts";
import { ASKERS, canBe, isPlain, OWNERS, PLACES } from "../environment/sides.ts";
import { Violation } from "../part.ts";
import { collectFindings } from "./support/collect-findings.ts";

test("an eleventh of all pairs", { timeout: 300_000 }, async () => {
  const { findings, counts } = collectFindings();
  await environment.run({ seed: 1, number: 0 }, findings);
  expect(counts["pairs"]).toBeGreaterThan(110_000);
  expect(counts["pairs of threads"]).toBeGreaterThan(450);
  expect(counts["writes"]).toBeGreaterThan(300);
});

test("the control fails", async () => {
  const { findings } = collectFindings();
  await expect(environment.control(findings)).rejects.toThrow(Violation);
});

test.each(Object.entries(MISTAKES))("a mistake shows: %s", async (_what, mistake) => {
  const { findings } = collectFindings();
  expect((await violationWith(mistake, findings))?.message).toContain("a living instance");
});

test("there are pairs of which a dead one must be replaced, and pairs that cannot be", () => {
  const pairs = OWNERS.flatMap((owner) => ASKERS.map((asker) => [owner, asker] as const));
  for (const place of ["this kernel", "this process"] as const) {
    const plain = pairs.filter(
      ([owner, asker]) => canBe(place, owner, asker, "ended thread") && isPlain(place, owner, asker),
    );
    expect(plain.length, place).toBeGreaterThan(place === "this kernel" ? 500 : 20);
  }
  for (const place of [PLACES[1], PLACES[2]])
    expect(pairs.some(([owner, asker]) => !canBe(place, owner, asker, "running"))).toBe(true);
});
