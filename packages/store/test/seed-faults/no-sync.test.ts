/** Seed fault 23: an append that is answered has been synced. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type StoreOptions } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

/** What happened to the journal during each of some appends. */
async function journalCallsOfAppends(durability: "sync" | "os"): Promise<string[]> {
  let calls: string[] = [];
  const host = observedHost(nodeHost, ({ operation, path }) => {
    if (path.endsWith(".journal")) calls.push(operation);
  });
  const store = await openStore(jsonlBackend(directory, { host }), { durability });
  await store.session("a").append(user("first"));
  const appends: string[] = [];
  for (let number = 0; number < 5; number++) {
    calls = [];
    await store.session("a").append(user(`message ${number}`));
    appends.push(calls.join());
  }
  await store.close();
  return appends;
}

describe("seed fault 23: no fsync", () => {
  test("each append is written to the journal and synced there before it is answered", async () => {
    const appends = await journalCallsOfAppends("sync");
    // Now and then the journal is extended before.
    expect(appends.map((calls) => calls.replace(/^write,write/, "write"))).toEqual(
      Array<string>(5).fill("write,sync"),
    );
  });

  test('control: with durability "os" the same counting finds no sync', async () => {
    expect(await journalCallsOfAppends("os")).toEqual(Array<string>(5).fill("write"));
  });

  /** On every disk that a power cut right after the answer may leave: how many lack the message. */
  async function statesWithoutMessage(options: StoreOptions): Promise<{ states: number; without: number }> {
    const machine = new SimulatedMachine(23);
    const store = await openStore(jsonlBackend("/store", { host: machine.startProcess() }), options);
    await store.session("a").append(user("answered"));
    const cut = machine.capture().afterPowerLoss({ limit: 200 });
    let without = 0;
    for (const crashed of cut) {
      const again = await openStore(jsonlBackend("/store", { host: crashed.startProcess() }), {
        onDamage: () => undefined,
      });
      if ((await contentsOf(again.session("a"))).join() !== "answered") without += 1;
      await again.close();
    }
    return { states: cut.count, without };
  }

  test("a message that was answered is on every disk that a power cut may leave", async () => {
    const { states, without } = await statesWithoutMessage({});
    expect(without).toBe(0);
    expect(states).toBeGreaterThan(1);
  });

  test('control: with durability "os" it is missing on some', async () => {
    expect((await statesWithoutMessage({ durability: "os" })).without).toBeGreaterThan(0);
  });
});
