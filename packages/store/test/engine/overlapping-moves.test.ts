/** Sessions that are put away and brought back while others do the same, or read them. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { heldHost } from "../crash/held-host.ts";

const hello = { role: "user", content: "hello" } as const;

test("the first archivings of different keys at once all succeed", async () => {
  const machine = new SimulatedMachine(1);
  // Every call takes a turn, so that all of them find that there is no archive yet.
  const host = heldHost(machine.startProcess(), async (_call, perform) => await perform());
  const store = await openStore(jsonlBackend("/store", { host }));
  const keys = ["a", "b", "c"];
  for (const key of keys) await store.session(key).append(hello);
  await Promise.all(keys.map(async (key) => await store.session(key).archive()));
  for (const key of keys)
    expect(await store.session(key).state()).toMatchObject({ status: "archived", seq: 1 });
  await store.close();
});

test.each([false, true])("a session that always exists is always read (readOnly: %s)", async (readOnly) => {
  const machine = new SimulatedMachine(1);
  const store = await openStore(jsonlBackend("/store", { host: machine.startProcess() }));
  const session = store.session("a");
  await session.append(hello);
  const reader = readOnly
    ? await openStore(jsonlBackend("/store", { host: machine.startProcess() }), { readOnly })
    : store;
  const progress = { isMoving: true };
  const moving = (async () => {
    for (let round = 0; round < 100; round++) {
      await session.archive();
      await session.restore();
    }
    progress.isMoving = false;
  })();
  let reads = 0;
  for (; progress.isMoving; reads++) expect(await reader.session("a").messages()).toEqual([hello]);
  await moving;
  expect(reads).toBeGreaterThan(10);
  await store.close();
});
