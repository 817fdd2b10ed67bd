/** A key for oneself, for longer than a write: against other stores, and in line with this one's own locks. */

import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type JsonlOptions, type Store } from "../../src/index.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";

const LOCKED = { code: "SESSION_LOCKED" };

async function open(machine: SimulatedMachine, options: JsonlOptions = {}): Promise<Store> {
  return await openStore(jsonlBackend("/store", { host: machine.startProcess(), ...options }));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

describe("lock", () => {
  test("keeps other stores out, however long; the store itself writes on", async () => {
    const machine = new SimulatedMachine(1);
    const [one, two] = [await open(machine), await open(machine, { lockWait: 5000 })];
    const lock = await one.session("a").lock();
    const refused = two.session("a").append(user("x"));
    for (let number = 1; number <= 10; number++) {
      expect(await one.session("a").append(user(`${number}`))).toEqual({ seq: number });
      await turns(5);
    }
    await expect(refused).rejects.toMatchObject(LOCKED);
    await expect(two.session("a").archive()).rejects.toMatchObject(LOCKED);
    await expect(two.session("a").lock({ wait: 100 })).rejects.toMatchObject({
      ...LOCKED,
      detail: { key: "a", liveness: "alive", host: "simulated" },
    });
    const waiting = two.session("a").append(user("two"));
    await turns(5);
    await lock[Symbol.asyncDispose]();
    expect(await waiting).toEqual({ seq: 11 });
    await one.close();
    await two.close();
  });

  test("is not given to two stores, of many that want it", async () => {
    const machine = new SimulatedMachine(2);
    const stores = await Promise.all([1, 2, 3, 4].map(async () => await open(machine)));
    const inside = new Set<number>();
    let most = 0;
    await Promise.all(
      stores.map(async (store, number) => {
        for (let round = 0; round < 5; round++) {
          const lock = await store.session("a").lock();
          inside.add(number);
          most = Math.max(most, inside.size);
          await store.session("a").append(user(`${number} ${round}`));
          await turns(3);
          inside.delete(number);
          await lock[Symbol.asyncDispose]();
        }
      }),
    );
    expect(most).toBe(1);
    const [first] = stores;
    expect(await first?.session("a").messages()).toHaveLength(20);
    for (const store of stores) await store.close();
  });

  test("may be had for a key that has no session, and then none is made", async () => {
    const machine = new SimulatedMachine(3);
    const [one, two] = [await open(machine), await open(machine, { lockWait: 100 })];
    const lock = await one.session("new").lock();
    await expect(two.session("new").append(user("x"))).rejects.toMatchObject(LOCKED);
    expect(await one.session("new").exists()).toBe(false);
    expect(await one.session("new").append(user("1"))).toEqual({ seq: 1 });
    await lock[Symbol.asyncDispose]();
    expect(await two.session("new").append(user("2"))).toEqual({ seq: 2 });
    await one.close();
    await two.close();
  });

  test("a signal ends the wait, here and in line, and leaves nothing behind", async () => {
    const machine = new SimulatedMachine(4);
    const [one, two] = [await open(machine), await open(machine)];
    const lock = await one.session("a").lock();
    for (const store of [one, two]) {
      const controller = new AbortController();
      const waiting = store.session("a").lock({ signal: controller.signal });
      await turns(3);
      controller.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
    }
    await lock[Symbol.asyncDispose]();
    for (const store of [one, two])
      await (await store.session("a").lock({ wait: 500 }))[Symbol.asyncDispose]();
    await one.close();
    await two.close();
  });

  test("is gone with the process that had it", async () => {
    const machine = new SimulatedMachine(5);
    const host = machine.startProcess();
    const [one, two] = [await openStore(jsonlBackend("/store", { host })), await open(machine)];
    await one.session("a").lock();
    await one.session("a").append(user("1"));
    const waiting = two.session("a").append(user("2"));
    await turns(5);
    host.kill();
    expect(await waiting).toEqual({ seq: 2 });
    expect(await contentsOf(two.session("a"))).toEqual(["1", "2"]);
    await two.close();
  });

  test("closing gives it up, and sends away those who wait for one", async () => {
    const machine = new SimulatedMachine(6);
    const [one, two] = [await open(machine), await open(machine)];
    await one.session("a").lock();
    const second = one.session("a").lock();
    second.catch(() => undefined);
    await turns(3);
    await one.close();
    await expect(second).rejects.toMatchObject({ code: "STORE_CLOSED" });
    await (await two.session("a").lock({ wait: 0 }))[Symbol.asyncDispose]();
    await two.close();
  });
});
