/** Appends that wait at the same moment share one write and one sync of the journal. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEYS = ["a", "b", "c", "d", "e"] as const;
const APPENDS = 100;
let directory: string;
let store: Store;
let syncs: number;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  const host = observedHost(nodeHost, ({ operation, path }) => {
    if (operation === "sync" && path.endsWith(".journal")) syncs += 1;
  });
  store = await openStore(jsonlBackend(directory, { host }));
  for (const key of KEYS) await store.session(key).append(user("first"));
  syncs = 0;
});

afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

const appendTo = async (number: number): Promise<{ readonly seq: number }> =>
  await store.session(KEYS[number % KEYS.length] ?? "a").append(user(`message ${number}`));
const numbers = Array.from({ length: APPENDS }, (_, number) => number);

describe("group commit", () => {
  test(`${APPENDS} appends to ${KEYS.length} sessions at once make a handful of syncs, and keep their order`, async () => {
    const answers = await Promise.all(numbers.map(appendTo));
    expect(syncs).toBeGreaterThanOrEqual(1);
    expect(syncs).toBeLessThanOrEqual(4);
    expect(answers.map(({ seq }) => seq)).toEqual(
      numbers.map((number) => 2 + Math.floor(number / KEYS.length)),
    );
    for (const [index, key] of KEYS.entries()) {
      const own = numbers.filter((number) => number % KEYS.length === index);
      expect(await contentsOf(store.session(key))).toEqual([
        "first",
        ...own.map((number) => `message ${number}`),
      ]);
    }
  });

  test("those that come while a sync is under way share the next one", async () => {
    const first = appendTo(0);
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, ...numbers.slice(1).map(appendTo)]);
    expect(syncs).toBeLessThanOrEqual(5);
  });

  test("one that is refused does not take the others with it", async () => {
    const appends = numbers.map(async (number) =>
      number === 50
        ? await store.session("a").append(user("x"), { expectedSeq: 999 })
        : await appendTo(number),
    );
    const outcomes = await Promise.allSettled(appends);
    expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { code: "SEQ_CONFLICT" } },
    ]);
    expect(syncs).toBeLessThanOrEqual(4);
  });

  test("control: one after another, each has its own", async () => {
    for (const number of numbers.slice(0, 20)) await appendTo(number);
    expect(syncs).toBe(20);
  });
});
