/**
 * A sync of the journal fails, and the instance gives itself up. What it wrote last is seen, but no later sync can save
 * it. Whoever takes over lands it; then the power goes, at every single step of that.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/simulated-machine.ts";
import { contentsOf, user } from "../support/conversation.ts";

const STATES = 12;

async function open(host: Host, damage: Damage[] = []): Promise<Store> {
  return await openStore(jsonlBackend("/store", { host }), {
    onDamage: (place) => damage.push(place),
    onError: () => undefined,
  });
}

/** Every moment at which the disk changed while the next one took over. */
async function momentsOfTakeover(fail: (store: Store, arm: () => void) => Promise<void>): Promise<Capture[]> {
  const machine = new SimulatedMachine(1);
  let isArmed = false;
  const first = await open(
    failingHost(machine.startProcess(), ({ operation, path }) => {
      if (!isArmed || operation !== "sync" || !path.endsWith(".journal")) return undefined;
      isArmed = false;
      return { kind: "error", code: "EIO" };
    }),
  );
  await first.session("k").append(user("zero"));
  await fail(first, () => {
    isArmed = true;
  });
  // The fault was met.
  expect(isArmed).toBe(false);
  const moments: Capture[] = [];
  machine.onOperation(({ changedDisk }) => {
    if (changedDisk) moments.push(machine.capture());
  });
  await (await open(machine.startProcess())).close();
  return moments;
}

async function foundAfterCut(moments: readonly Capture[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const moment of moments) {
    for (const machine of moment.afterPowerLoss({ limit: STATES })) {
      const damage: Damage[] = [];
      const store = await open(machine.startProcess(), damage);
      const contents = await contentsOf(store.session("k"));
      found.add([...contents, ...damage.map(({ reason }) => reason)].join());
      await store.close();
    }
  }
  return found;
}

describe("a failed sync of the journal, a takeover and a power cut in it", () => {
  test("what nobody was answered for is there up to some record, or not at all: never behind a gap", async () => {
    const moments = await momentsOfTakeover(async (store, arm) => {
      arm();
      const session = store.session("k");
      const answers = await Promise.allSettled(
        ["one", "two", "three"].map(async (text) => await session.append(user(text))),
      );
      expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    });
    expect([...(await foundAfterCut(moments))].sort()).toEqual(["zero", "zero,one,two,three"]);
  });

  test("a head whose sync failed is not called damaged afterwards", async () => {
    const moments = await momentsOfTakeover(async (store, arm) => {
      arm();
      await expect(store.close()).rejects.toMatchObject({ code: "STORE_FAILED" });
    });
    expect([...(await foundAfterCut(moments))]).toEqual(["zero"]);
  });
});
