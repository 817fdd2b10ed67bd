/** Calls that overlap: one is held up while others go on, and then the power fails. Each of these has lost data once. */

import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { Gate, heldHost } from "./held-host.ts";
import { user } from "../support/conversation.ts";

const open = async (host: Host, journalBytes?: number): Promise<Store> => {
  const options = { host, maxOpenSessions: 128, ...(journalBytes === undefined ? {} : { journalBytes }) };
  return await openStore(jsonlBackend("/store", options), { onError: () => undefined });
};

async function contents(store: Store, key: string): Promise<unknown[]> {
  return (await store.session(key).messages()).map(({ content }) => content);
}

/** A machine with one session that has one message, and nobody running. */
async function machineWith(key: string): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine(1);
  const store = await open(machine.startProcess());
  await store.session(key).append(user("zero"));
  await store.close();
  return machine;
}

async function expectAfterPowerLoss(machine: SimulatedMachine, key: string, content: string): Promise<void> {
  for (const cut of machine.capture().afterPowerLoss({ limit: 60 })) {
    const store = await open(cut.startProcess());
    expect(await contents(store, key), cut.describe()).toContain(content);
    await store.close();
  }
}

test("a directory sync that begins while a session is being linked does not count for its name", async () => {
  const machine = await machineWith("b");
  const gate = new Gate();
  const host = heldHost(machine.startProcess(), async ({ operation, path }, perform) => {
    if (operation === "link" && path === "/store/a.jsonl") await gate.wait();
    return await perform();
  });
  const store = await open(host);
  const written = store.session("a").append(user("acknowledged"));
  await gate.reached;
  await store.session("b").messages();
  gate.open();
  await written;
  await expectAfterPowerLoss(machine, "a", "acknowledged");
});

test("a record that lands while its file is being synced to be closed stays covered by the journal", async () => {
  const machine = await machineWith("x");
  const gate = new Gate();
  let armed = false;
  const host = heldHost(machine.startProcess(), async ({ operation, path }, perform) => {
    if (!armed || operation !== "sync" || path !== "/store/x.jsonl") return await perform();
    armed = false;
    const done = await perform();
    await gate.wait();
    return done;
  });
  const store = await open(host, 60_000);
  await store.session("x").append(user("first"));
  for (let number = 0; number < 127; number++) await store.session(`k${number}`).append(user("."));
  armed = true;
  const oneTooMany = store.session("k127").append(user("."));
  await gate.reached;
  const second = store.session("x").append(user("second"));
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  gate.open();
  await Promise.all([oneTooMany, second]);
  for (let number = 0; number < 400; number++) await store.session("k127").append(user(`fill ${number}`));
  await expectAfterPowerLoss(machine, "x", "second");
});

test("a file whose sync failed twice is written again before a third is believed", async () => {
  const machine = await machineWith("a");
  let failures = 0;
  const host = failingHost(machine.startProcess(), ({ operation, path }) => {
    if (operation !== "sync" || path !== "/store/a.jsonl" || failures === 0) return undefined;
    failures -= 1;
    return { kind: "error", code: "EIO" };
  });
  const store = await open(host, 1000);
  await store.session("a").append(user("precious"));
  failures = 2;
  for (let number = 0; number < 40; number++) await store.session("b").append(user(`fill ${number}`));
  expect(failures).toBe(0);
  await expectAfterPowerLoss(machine, "a", "precious");
});

test("a session that is being mended when the store is closed is not mended under the next owner's hands", async () => {
  const machine = await machineWith("a");
  const torn = await machine.startProcess().files.open("/store/a.jsonl", "write");
  await torn.write(Buffer.from('{"seq":2,"at":"tor'), (await torn.stat()).size);
  await torn.close();
  const gate = new Gate();
  const host = heldHost(machine.startProcess(), async ({ operation }, perform) => {
    if (operation === "rename") await gate.wait();
    return await perform();
  });
  const first = await openStore(jsonlBackend("/store", { host }), { onDamage: () => undefined });
  const written = first.session("a").append(user("one"));
  await gate.reached;
  const closed = first.close();
  // Long enough for a close that does not wait for the opening to have given the key up.
  for (let turn = 0; turn < 500; turn++) await setImmediate();
  const second = await openStore(jsonlBackend("/store", { host: machine.startProcess(), lockWait: 500 }));
  await expect(second.session("a").append(user("too early"))).rejects.toMatchObject({
    code: "SESSION_LOCKED",
  });
  gate.open();
  await Promise.all([written, closed]);
  await second.session("a").append(user("two"));
  expect(await contents(second, "a")).toEqual(["zero", "one", "two"]);
  await second.close();
});
