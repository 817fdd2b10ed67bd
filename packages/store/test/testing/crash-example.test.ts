import { jsonlBackend, openStore, type Store } from "@longhand/store";
import { failingHost, failOnce, SimulatedMachine, type Capture, type Host } from "@longhand/store/testing";
import { expect, test } from "vitest";

const WORDS = ["one", "two", "three"];

// Put your own backend here. All it does to the world must go through the host. What it reports besides is not looked at.
const silent = { onDamage: () => undefined, onError: () => undefined };
const open = async (host: Host): Promise<Store> =>
  await openStore(jsonlBackend("/sessions", { host }), silent);

/** What is wrong with the store on this machine, if so many words were acknowledged; `undefined`: nothing. */
async function lossOn(machine: SimulatedMachine, acknowledged: number): Promise<string | undefined> {
  const store = await open(machine.startProcess());
  const found = (await store.session("a").messages()).map(({ content }) => content);
  await store.close();
  const isPrefix = found.every((word, index) => word === WORDS[index]);
  if (isPrefix && found.length >= acknowledged) return undefined;
  return `${acknowledged} acknowledged, found ${JSON.stringify(found)}: ${machine.describe()}`;
}

/** Runs a store once, then crashes it after each operation that changed the disk. What was lost, and where. */
async function crashEverywhere(damage = (host: Host): Host => host): Promise<string[]> {
  const machine = new SimulatedMachine(1);
  const moments: { capture: Capture; acknowledged: number; after: string }[] = [];
  let acknowledged = 0;
  machine.onOperation(({ number, operation, path, changedDisk }) => {
    const after = `${number} ${operation} ${path}`;
    if (changedDisk) moments.push({ capture: machine.capture(), acknowledged, after });
  });
  const store = await open(damage(machine.startProcess()));
  for (const content of WORDS) {
    await store.session("a").append({ role: "user", content });
    acknowledged += 1;
  }
  await store.close();

  const losses: string[] = [];
  for (const { capture, acknowledged, after } of moments) {
    for (const state of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 20 })]) {
      const loss = await lossOn(state, acknowledged).catch(String);
      if (loss !== undefined) losses.push(`after ${after}: ${loss}`);
    }
  }
  return losses;
}

test("what was acknowledged survives a crash after any operation", async () => {
  expect(await crashEverywhere()).toEqual([]);
});

test("and this would be noticed: a disk that only says it syncs loses something", async () => {
  const losses = await crashEverywhere((host) => failingHost(host, () => ({ kind: "ignored" })));
  expect(losses).not.toEqual([]);
});

test("what was acknowledged survives any one call that fails, and the power loss after it", async () => {
  for (let number = 1, faults = 1; faults > 0; number += 1) {
    const machine = new SimulatedMachine(1);
    const host = failingHost(machine.startProcess(), failOnce(number, { kind: "error", code: "EIO" }));
    let acknowledged = 0;
    try {
      const store = await open(host);
      for (const content of WORDS) {
        await store.session("a").append({ role: "user", content });
        acknowledged += 1;
      }
    } catch {
      // The caller was told: what was being appended may be there or not.
    }
    for (const state of machine.capture().afterPowerLoss({ limit: 20 })) {
      expect(await lossOn(state, acknowledged), `call ${number} failed`).toBeUndefined();
    }
    faults = host.faults;
  }
});
