/** The matrix of environments: a slice of it keeps the promises, and the rule of an earlier version does not. */

import { expect, test } from "vitest";
import { environment } from "../environment/part.ts";
import { ASKERS, canBe, isPlain, OWNERS, PLACES } from "../environment/sides.ts";
import { Violation } from "../part.ts";
import { collectFindings } from "./support/collect-findings.ts";

test("a quarter of all pairs", { timeout: 300_000 }, async () => {
  const { findings, counts } = collectFindings();
  await environment.run({ seed: 1, number: 0 }, findings);
  expect(counts["pairs"]).toBeGreaterThan(15_000);
  expect(counts["writes"]).toBeGreaterThan(100);
});

test("the control fails: one that does not ask the socket replaces a living instance", async () => {
  const { findings } = collectFindings();
  await expect(environment.control(findings)).rejects.toThrow(Violation);
});

test("there are pairs of which a dead one must be replaced, and pairs that cannot be", () => {
  const pairs = OWNERS.flatMap((owner) => ASKERS.map((asker) => [owner, asker] as const));
  expect(pairs.filter(([owner, asker]) => isPlain("this kernel", owner, asker)).length).toBeGreaterThan(500);
  expect(pairs.some(([owner, asker]) => !canBe(PLACES[1], owner, asker))).toBe(true);
});
