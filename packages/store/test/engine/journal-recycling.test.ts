/** A journal whose space is used again and again: it stays small, and a crash in any generation loses nothing. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { DIRECTORY, journalIn, readSimulatedFile } from "../support/simulated-store.ts";

const KEYS = ["a", "b", "c"] as const;
const ROUNDS = 60;
const JOURNAL_BYTES = 1000;
const HEAD_BYTES = 8192;
/** A block of three small messages, and the zeros ahead of it. */
const BLOCK_BYTES = 1000;

/** From both copies of the head, the higher. */
function generationOf(journal: Buffer): number {
  const found = [...journal.toString("latin1", 0, HEAD_BYTES).matchAll(/"generation":(\d+)/g)];
  return Math.max(...found.map(([, number]) => Number(number)));
}

test("the journal is recycled many times, and everything acknowledged is there after any crash", async () => {
  const machine = new SimulatedMachine(9);
  const host = machine.startProcess();
  const store = await openStore(jsonlBackend(DIRECTORY, { host, journalBytes: JOURNAL_BYTES }));
  const expected: string[] = [];
  let largest = 0;
  const generations = new Set<number>();
  for (let round = 1; round <= ROUNDS; round++) {
    await Promise.all(KEYS.map(async (key) => await store.session(key).append(user(`round ${round}`))));
    expected.push(`round ${round}`);
    const journal = await readSimulatedFile(host, await journalIn(host));
    largest = Math.max(largest, journal.length);
    generations.add(generationOf(journal));
    for (const crashed of [
      machine.capture().afterKill(),
      ...machine.capture().afterPowerLoss({ limit: 2, seed: round }),
    ]) {
      const again = await openStore(jsonlBackend(DIRECTORY, { host: crashed.startProcess() }));
      for (const key of KEYS) expect(await contentsOf(again.session(key))).toEqual(expected);
      await again.close();
    }
  }
  expect(generations.size).toBeGreaterThan(15);
  // It would have grown to many times that.
  expect(largest).toBeLessThan(HEAD_BYTES + 2 * (JOURNAL_BYTES + BLOCK_BYTES));
  await store.close();
  const again = await openStore(jsonlBackend(DIRECTORY, { host }));
  for (const key of KEYS) expect(await contentsOf(again.session(key))).toEqual(expected);
  await again.close();
});

test("a record much larger than the journal's limit passes through it", async () => {
  const machine = new SimulatedMachine(9);
  const host = machine.startProcess();
  const store = await openStore(jsonlBackend(DIRECTORY, { host, journalBytes: JOURNAL_BYTES }));
  const large = "x".repeat(100 * JOURNAL_BYTES);
  for (const content of ["small", large, "small", large]) await store.session("a").append(user(content));
  const crashed = machine.capture().afterKill().startProcess();
  const again = await openStore(jsonlBackend(DIRECTORY, { host: crashed }));
  expect(await contentsOf(again.session("a"))).toEqual(["small", large, "small", large]);
  await again.close();
});
