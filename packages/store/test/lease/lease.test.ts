/** Who may write to a key, on a simulated machine: in line, one at a time, nobody robbed, nothing remembered. */

import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type JsonlOptions, type Store } from "../../src/index.ts";
import { journalPath, layoutOf, leaseNameOf, leaseShard } from "../../src/format/layout.ts";
import { listInstances } from "../../src/lease/other-instances.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { Gate, heldHost } from "../crash/held-host.ts";
import { withInstance } from "../support/begin-instance.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { landingFaults } from "../support/apply-faults.ts";
import { toId } from "../../src/format/session-id.ts";

const DIRECTORY = "/store";
const LAYOUT = layoutOf(DIRECTORY);
const LOCKED = { code: "SESSION_LOCKED" };

async function open(host: Host, options: JsonlOptions = {}): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, ...options }), { onError: () => undefined });
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate();
}

/** What lies beside the lease of a key: its numbers and its tickets. */
async function leaseFiles({ files }: Host, key: string): Promise<string[]> {
  const name = leaseNameOf(key);
  const names = await files.readDirectory(leaseShard(LAYOUT, name));
  return names.filter((each) => each.startsWith(`${name}.`)).sort();
}

async function placeTicket({ files }: Host, key: string, id: string, instance: string): Promise<void> {
  const name = leaseNameOf(key);
  const file = await files.open(`${leaseShard(LAYOUT, name)}/${name}.waits.${id}.${instance}`, "create");
  await file.close();
}

describe("two instances", () => {
  test("take turns; the second learns everything anew, and so does the first", async () => {
    const machine = new SimulatedMachine(1);
    const [one, two] = [await open(machine.startProcess()), await open(machine.startProcess())];
    for (let round = 0; round < 5; round++) {
      expect(await one.session("a").append(user(`one ${round}`))).toEqual({ seq: 2 * round + 1 });
      expect(await two.session("a").append(user(`two ${round}`))).toEqual({ seq: 2 * round + 2 });
    }
    const expected = [0, 1, 2, 3, 4].flatMap((round) => [`one ${round}`, `two ${round}`]);
    for (const store of [one, two]) expect(await contentsOf(store.session("a"))).toEqual(expected);
    await one.close();
    expect(await two.session("a").append(user("last"))).toEqual({ seq: 11 });
    await two.close();
  });

  test("that write at once give every seq once, and keep the order of each", async () => {
    const machine = new SimulatedMachine(2);
    const stores = await Promise.all([1, 2, 3].map(async () => await open(machine.startProcess())));
    const seqs: number[] = [];
    await Promise.all(
      stores.map(async (store, number) => {
        for (let round = 0; round < 20; round++)
          seqs.push((await store.session("a").append(user(`${number} ${round}`))).seq);
      }),
    );
    expect(seqs.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    for (const store of stores) await store.close();
    const reader = await open(machine.startProcess());
    const contents = await contentsOf(reader.session("a"));
    for (const number of [0, 1, 2]) {
      const own = contents.filter((content) => content.startsWith(`${number} `));
      expect(own).toEqual(Array.from({ length: 20 }, (_, round) => `${number} ${round}`));
    }
    await reader.close();
  });

  test("a key that changes hands while it is archived, restored and deleted", async () => {
    const machine = new SimulatedMachine(3);
    const [one, two] = [await open(machine.startProcess()), await open(machine.startProcess())];
    await one.session("a").append(user("1"));
    await two.session("a").archive();
    expect(await one.session("a").state()).toMatchObject({ status: "archived" });
    expect(await one.session("a").append(user("2"))).toEqual({ seq: 2 });
    await two.session("a").delete();
    expect(await one.session("a").exists()).toBe(false);
    expect(await one.session("a").append(user("new"))).toEqual({ seq: 1 });
    await two.session("a").delete({ forever: true });
    expect(await one.session("a").exists()).toBe(false);
    await one.close();
    await two.close();
  });

  test("what one writes is seen by the other once it has landed, without a lease", async () => {
    const machine = new SimulatedMachine(4);
    const host = machine.startProcess();
    const [one, two] = [await open(host), await open(machine.startProcess())];
    await one.session("a").append(user("1"));
    await turns(5);
    const before = await leaseFiles(host, "a");
    expect(await contentsOf(two.session("a"))).toEqual(["1"]);
    expect(await two.session("a").state()).toMatchObject({ seq: 1 });
    expect(await leaseFiles(host, "a")).toEqual(before);
    await one.close();
    await two.close();
  });
});

describe("a lease is given up", () => {
  test("only when everything is landed: what cannot be landed keeps it", async () => {
    const machine = new SimulatedMachine(5);
    const faults = landingFaults();
    const one = await open(failingHost(machine.startProcess(), faults.plan));
    const two = await open(machine.startProcess(), { lockWait: 1000 });
    await one.session("a").append(user("1"));
    await expect(two.session("a").append(user("x"))).rejects.toMatchObject(LOCKED);
    faults.end();
    expect(await two.session("a").append(user("2"))).toEqual({ seq: 2 });
    expect(await contentsOf(two.session("a"))).toEqual(["1", "2"]);
    await one.close();
    await two.close();
  });

  test("when a session makes room for others: nobody waits for it then", async () => {
    const machine = new SimulatedMachine(6);
    const [one, two] = [
      await open(machine.startProcess(), { maxOpenSessions: 128 }),
      await open(machine.startProcess(), { lockWait: 0 }),
    ];
    for (let number = 0; number <= 128; number++) await one.session(`k${number}`).append(user("1"));
    expect(await two.session("k0").append(user("2"))).toEqual({ seq: 2 });
    await expect(two.session("k128").append(user("2"))).rejects.toMatchObject(LOCKED);
    await one.close();
    await two.close();
  });

  test("by closing: at once, whatever the lease files say", async () => {
    const machine = new SimulatedMachine(7);
    const host = machine.startProcess();
    const [one, two] = [await open(host), await open(machine.startProcess(), { lockWait: 0 })];
    await one.session("a").append(user("1"));
    await one.close();
    expect(await two.session("a").append(user("2"))).toEqual({ seq: 2 });
    for (let round = 0; round < 5; round++) {
      const next = await open(machine.startProcess());
      await next.session("a").append(user("x"));
      await next.close();
    }
    expect(await leaseFiles(host, "a")).toHaveLength(1);
    await two.close();
  });

  test("never by a store that has failed: whoever comes next takes it over first", async () => {
    const machine = new SimulatedMachine(8);
    let isBroken = false;
    const host = failingHost(machine.startProcess(), ({ operation, path }) =>
      isBroken && operation === "sync" && path.endsWith(".journal")
        ? { kind: "error", code: "EIO" }
        : undefined,
    );
    const [one, two] = [await open(host), await open(machine.startProcess())];
    await one.session("a").append(user("1"));
    isBroken = true;
    await expect(one.session("a").append(user("unknown"))).rejects.toMatchObject({ code: "STORE_FAILED" });
    isBroken = false;
    const { seq } = await two.session("a").append(user("after"));
    const contents = await contentsOf(two.session("a"));
    expect(contents).toHaveLength(seq);
    expect([
      ["1", "after"],
      ["1", "unknown", "after"],
    ]).toContainEqual(contents);
    await one.close();
    await two.close();
    const again = await open(machine.startProcess());
    expect(await contentsOf(again.session("a"))).toEqual(contents);
    await again.close();
  });

  test("nor when it fails while somebody waits: what nobody was answered for must not come after him", async () => {
    const machine = new SimulatedMachine(16);
    const gate = new Gate();
    let isBroken = false;
    const broken = failingHost(machine.startProcess(), ({ operation, path }) =>
      isBroken && operation === "sync" && path.endsWith(".journal")
        ? { kind: "error", code: "EIO" }
        : undefined,
    );
    const host = heldHost(broken, async ({ operation, path }, perform) => {
      if (isBroken && operation === "sync" && path.endsWith(".journal")) await gate.wait();
      return await perform();
    });
    const [one, two] = [await open(host), await open(machine.startProcess())];
    await one.session("a").append(user("1"));
    isBroken = true;
    const unknown = one.session("a").append(user("unknown"));
    unknown.catch(() => undefined);
    await gate.reached;
    const after = two.session("a").append(user("after"));
    // Long enough for the one who waits to be overdue.
    await turns(50);
    gate.open();
    await expect(unknown).rejects.toMatchObject({ code: "STORE_FAILED" });
    const { seq } = await after;
    const contents = await contentsOf(two.session("a"));
    expect([seq, contents]).toEqual([contents.length, [...contents.slice(0, -1), "after"]]);
    await one.close();
    await two.close();
    const again = await open(machine.startProcess());
    expect(await contentsOf(again.session("a"))).toEqual(contents);
    await again.close();
  });
});

describe("the line", () => {
  test("is kept in the order in which they came", async () => {
    const machine = new SimulatedMachine(9);
    const holder = await open(machine.startProcess());
    const lock = await holder.session("a").lock();
    const stores = [];
    const writes = [];
    for (let number = 0; number < 4; number++) {
      const store = await open(machine.startProcess());
      stores.push(store);
      writes.push(store.session("a").append(user(`${number}`)));
      await turns(3);
    }
    await lock[Symbol.asyncDispose]();
    // No overtaking: the holder itself stands behind those who were there.
    const own = await holder.session("a").append(user("holder"));
    expect(own).toEqual({ seq: 5 });
    expect(await Promise.all(writes)).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }]);
    for (const store of [holder, ...stores]) await store.close();
  });

  test("who does not take his turn is passed over; who has ended is removed", async () => {
    const machine = new SimulatedMachine(10);
    const host = machine.startProcess();
    const idle = await withInstance(await open(host));
    const [instance = ""] = await listInstances(host.files, LAYOUT);
    const first = await open(machine.startProcess());
    for (const content of ["1", "2"]) await first.session("a").append(user(content));
    await first.close();
    await placeTicket(host, "a", "00000000000000000000000000", instance);
    await placeTicket(host, "a", "00000000000000000000000001", "01HZZZZZZZZZZZZZZZZZZZZZZZ");
    const hasty = await open(machine.startProcess(), { lockWait: 200 });
    await expect(hasty.session("a").append(user("x"))).rejects.toMatchObject({
      ...LOCKED,
      detail: { liveness: "alive", key: "a" },
    });
    const patient = await open(machine.startProcess(), { lockWait: 400 });
    expect(await patient.session("a").append(user("3"))).toEqual({ seq: 3 });
    const left = (await leaseFiles(host, "a")).filter((name) => name.includes("waits"));
    expect(left).toEqual([expect.stringContaining("00000000000000000000000000") as string]);
    for (const store of [idle, hasty, patient]) await store.close();
  });

  test("who gives up or gets in leaves no ticket", async () => {
    const machine = new SimulatedMachine(11);
    const host = machine.startProcess();
    const holder = await open(host);
    const lock = await holder.session("a").lock();
    const other = await open(machine.startProcess(), { lockWait: 300 });
    await expect(other.session("a").append(user("x"))).rejects.toMatchObject(LOCKED);
    expect(await leaseFiles(host, "a")).toHaveLength(1);
    await lock[Symbol.asyncDispose]();
    await other.session("a").append(user("1"));
    expect(await leaseFiles(host, "a")).toHaveLength(1);
    await holder.close();
    await other.close();
  });
});

describe("a dead holder", () => {
  test("is taken over by whoever wants its key: what it acknowledged is there before the lease is anybody's", async () => {
    const machine = new SimulatedMachine(12);
    const host = machine.startProcess();
    const next = await open(machine.startProcess());
    const dead = await open(failingHost(host, landingFaults().plan));
    for (const content of ["1", "2"]) await dead.session("a").append(user(content));
    await dead.session("b").append(user("b"));
    host.kill();
    expect(await next.session("a").append(user("3"))).toEqual({ seq: 3 });
    expect(await contentsOf(next.session("a"))).toEqual(["1", "2", "3"]);
    expect(await contentsOf(next.session("b"))).toEqual(["b"]);
    await next.close();
  });

  test("by whoever reads it, too", async () => {
    const machine = new SimulatedMachine(13);
    const host = machine.startProcess();
    const next = await open(machine.startProcess());
    const dead = await open(failingHost(host, landingFaults().plan));
    await dead.session("a").append(user("1"));
    expect(await contentsOf(next.session("a"))).toEqual([]);
    host.kill();
    expect(await contentsOf(next.session("a"))).toEqual(["1"]);
    expect(await listInstances(machine.startProcess().files, LAYOUT)).toHaveLength(1);
    await next.close();
  });

  test("two thieves: both get in, one after the other, and the dead one is taken over once", async () => {
    const machine = new SimulatedMachine(14);
    const host = machine.startProcess();
    const thieves = [await open(machine.startProcess()), await open(machine.startProcess())];
    const dead = await open(failingHost(host, landingFaults().plan));
    await dead.session("a").append(user("1"));
    const [journal] = (await listInstances(host.files, LAYOUT)).sort().reverse();
    let removals = 0;
    machine.onOperation(({ operation, path }) => {
      if (operation === "unlink" && path === journalPath(LAYOUT, toId(journal ?? ""))) removals += 1;
    });
    host.kill();
    const seqs = await Promise.all(
      thieves.map(async (store) => (await store.session("a").append(user("thief"))).seq),
    );
    expect(seqs.sort()).toEqual([2, 3]);
    expect(removals).toBe(1);
    for (const store of thieves) {
      expect(await contentsOf(store.session("a"))).toEqual(["1", "thief", "thief"]);
      await store.close();
    }
  });
});

test("a lease that is held but not understood is somebody's as long as anybody else is here; then it is free", async () => {
  const machine = new SimulatedMachine(15);
  const host = machine.startProcess();
  const other = await open(host, { lockWait: 300 });
  await other.session("a").append(user("1"));
  const name = leaseNameOf("a");
  const file = await host.files.open(`${leaseShard(LAYOUT, name)}/${name}.99`, "create");
  await file.write(Buffer.from('{"held":true,"owner":{"of":"another form"}}'), 0);
  await file.close();
  const next = await open(machine.startProcess(), { lockWait: 300 });
  const refused = next.session("a").append(user("x"));
  await expect(refused).rejects.toMatchObject({ ...LOCKED, detail: { key: "a", liveness: "unproven" } });
  expect(await next.session("b").append(user("1"))).toEqual({ seq: 1 });
  await other.close();
  expect(await next.session("a").append(user("2"))).toEqual({ seq: 2 });
  await next.close();
});
