/** Many sessions, touched one after another, hold neither descriptors nor memory. */

import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const SESSIONS = 10_000;
/** docs/durability.md states it. */
const MAX_DESCRIPTORS = 1040;
/** The states of all sessions together would be more than this. */
const MAX_GROWTH_MIB = 90;
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(directory);
});

interface Measured {
  readonly baseline: number;
  readonly descriptors: number;
  readonly after: number;
  readonly grownBy: number;
}

test(`${SESSIONS} sessions need no more than ${MAX_DESCRIPTORS} descriptors and ${MAX_GROWTH_MIB} MiB`, async ({
  skip,
}) => {
  if (!existsSync("/proc/self/fd")) skip("descriptors are counted in /proc, which this system does not have");
  // A process of its own: its numbers are nobody else's.
  const child = new ChildProcess("touch-many-sessions", directory, String(SESSIONS));
  expect(await child.ended).toBe(0);
  const measured = JSON.parse(child.lines[0] ?? "") as Measured;
  expect(measured.descriptors - measured.baseline).toBeLessThanOrEqual(MAX_DESCRIPTORS);
  // The count counts: the files that may be open are open.
  expect(measured.descriptors - measured.baseline).toBeGreaterThan(100);
  expect(measured.after - measured.baseline).toBeLessThan(5);
  expect(measured.grownBy / 1024 / 1024).toBeLessThan(MAX_GROWTH_MIB);

  const store = await openStore(directory, { readOnly: true });
  for (const number of [1, SESSIONS / 2, SESSIONS]) {
    const state = await store.session(`channel:${number}`).state();
    expect(state?.summary.startsWith(`${number} `)).toBe(true);
  }
  await store.close();
});
