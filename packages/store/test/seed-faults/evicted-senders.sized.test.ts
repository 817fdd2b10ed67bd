/** Seed fault 31: senders that were evicted are not read again until a restart. */

import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sized } from "../../../../test/support/sized.ts";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const SENDERS = sized(400, 1500);
let parent: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(parent);
});

test(`seed fault 31: of ${SENDERS} senders, those that were evicted are read again`, async () => {
  const keys = Array.from({ length: SENDERS }, (_, index) => `telegram:${index}`);
  let openFiles = 0;
  const host = observedHost(nodeHost, ({ operation, path }) => {
    if (dirname(path) !== parent && !path.includes("/.longhand/new/")) return;
    if (operation === "open" || operation === "create") openFiles++;
    if (operation === "close") openFiles--;
  });
  const store = await openStore(jsonlBackend(parent, { host, maxOpenSessions: 128 }), { durability: "os" });
  const inGroups = async (use: (key: string) => Promise<unknown>): Promise<void> => {
    for (let group = 0; group < SENDERS; group += 100)
      await Promise.all(keys.slice(group, group + 100).map(use));
  };
  await inGroups(async (key) => await store.session(key).append(user(`first of ${key}`)));
  // Control: most of them are no longer open.
  expect(openFiles).toBeGreaterThan(0);
  expect(openFiles).toBeLessThan(SENDERS / 2);
  const wrong: unknown[] = [];
  await inGroups(async (key) => {
    const session = store.session(key);
    const before = await contentsOf(session);
    const { seq } = await session.append(user("again"));
    const after = await contentsOf(session);
    const seen = JSON.stringify([before, seq, after]);
    if (seen !== JSON.stringify([[`first of ${key}`], 2, [`first of ${key}`, "again"]]))
      wrong.push([key, seen]);
  });
  expect(wrong).toEqual([]);
  await store.close();
}, 120_000);
