/** A directory with very many sessions (D7). LONGHAND_MANY_SESSIONS=100000 takes two minutes, most of it to make the files. */

import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sized } from "../../../../test/support/sized.ts";
import { collect } from "../../src/testing/case-language.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { writeManySessions } from "../support/write-many-sessions.ts";

const MANY = Number(process.env["LONGHAND_MANY_SESSIONS"] ?? sized(1000, 10_000));
let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
});

afterEach(async () => {
  await removeDirectory(parent);
}, 120_000);

test(`D7 ${MANY} sessions are listed in pages`, { timeout: 600_000 }, async () => {
  const middle = MANY / 2;
  const keys = Array.from({ length: MANY }, (_, index) => `k${String(index).padStart(6, "0")}`);
  writeManySessions(directory, keys);
  const { store, damage } = await openCollecting(directory);
  const page = await collect(store.list({ order: "key", limit: 100, after: keys[middle - 1] ?? "" }));
  expect(page.map(({ key }) => key)).toEqual(keys.slice(middle, middle + 100));
  const one = keys[middle] ?? "";
  expect(await contentsOf(store.session(one))).toEqual([`in ${one}`]);
  expect(await store.session(one).append(user("more"))).toEqual({ seq: 2 });
  expect(damage).toEqual([]);
  await store.close();
});
