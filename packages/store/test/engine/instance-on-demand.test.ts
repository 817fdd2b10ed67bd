/** A store that is open for writing has an instance only from its first change on. Until then it reads as any reader does. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { JsonlWriter } from "../../src/backends/jsonl/jsonl-writer.ts";
import { WriterOnDemand } from "../../src/backends/jsonl/writer-on-demand.ts";
import { layoutOf } from "../../src/format/layout.ts";
import type { Host } from "../../src/host/host.ts";
import { listInstances } from "../../src/lease/other-instances.ts";
import { failingHost, SimulatedMachine, type FileCall } from "../../src/testing/index.ts";
import { collect, keysOf } from "../../src/testing/case-language.ts";
import { landingFaults } from "../support/apply-faults.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";

const DIRECTORY = "/store";

async function open(host: Host): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host }), { onError: () => undefined });
}

async function machineWithStore(): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine(1);
  const store = await open(machine.startProcess());
  for (const content of ["1", "2"]) await store.session("a").append(user(content));
  await store.session("b").append(user("b"));
  await store.close();
  return machine;
}

async function instances(machine: SimulatedMachine): Promise<readonly string[]> {
  return await listInstances(machine.startProcess().files, layoutOf(DIRECTORY));
}

/** It acknowledges "3" in session a, which is in its journal only, and is killed. */
async function dieWithUnapplied(machine: SimulatedMachine): Promise<void> {
  const host = machine.startProcess();
  const store = await open(failingHost(host, landingFaults().plan));
  await store.session("a").append(user("3"));
  host.kill();
}

test("whoever only reads changes nothing, syncs nothing and listens nowhere", async () => {
  const machine = await machineWithStore();
  // The look for other programs' files notes what it has seen, once, after names have changed.
  await (await open(machine.startProcess())).close();
  machine.setClock(Date.UTC(2030, 0, 1));
  const changes: string[] = [];
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (changedDisk || /^(?:sync|listen)/.test(operation)) changes.push(`${operation} ${path}`);
  });
  const store = await open(machine.startProcess());
  expect(await contentsOf(store.session("a"))).toEqual(["1", "2"]);
  expect((await store.session("b").state())?.count).toBe(1);
  expect(await collect(store.session("a").records())).toHaveLength(2);
  expect(await store.search("b")).toHaveLength(1);
  expect(await store.session("none").exists()).toBe(false);
  await store.close();
  expect(changes).toEqual([]);
});

test("control: the first write is seen in the same log", async () => {
  const machine = await machineWithStore();
  const changes: string[] = [];
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (changedDisk) changes.push(`${operation} ${path}`);
  });
  const store = await open(machine.startProcess());
  await store.session("a").append(user("3"));
  expect(changes.some((change) => change.endsWith(".journal"))).toBe(true);
  expect(await instances(machine)).toHaveLength(1);
  await store.close();
  expect(await instances(machine)).toEqual([]);
});

test("first writes that come at once share one instance, and keep their order", async () => {
  const machine = await machineWithStore();
  const store = await open(machine.startProcess());
  const writes = ["3", "4", "5"].map(async (content) => await store.session("a").append(user(content)));
  const other = store.session("new").append(user("n"));
  expect(await Promise.all(writes)).toEqual([{ seq: 3 }, { seq: 4 }, { seq: 5 }]);
  await other;
  expect(await instances(machine)).toHaveLength(1);
  expect(await contentsOf(store.session("a"))).toEqual(["1", "2", "3", "4", "5"]);
  await store.close();
});

test.each([0, 1, 2, 3, 4])(
  "a write that is called %i ticks after the instance is there does not overtake those that waited for it",
  async (ticks) => {
    const order: string[] = [];
    const writer = {
      write: async (key: string) => await Promise.resolve({ seq: order.push(key) }),
    } as unknown as JsonlWriter;
    let begun: (writer: JsonlWriter) => void = () => undefined;
    const beginning = new Promise<JsonlWriter>((resolve) => (begun = resolve));
    const unused = undefined as never;
    const deps = { directory: DIRECTORY, reading: unused, changes: unused, writer: undefined };
    const store = new WriterOnDemand({ ...deps, begin: async () => await beginning });
    const operation = undefined as never;
    const waiting = ["first", "second"].map(async (key) => await store.write(key, operation));
    begun(writer);
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    await Promise.all([...waiting, store.write("later", operation)]);
    expect(order).toEqual(["first", "second", "later"]);
  },
);

test.each([
  ["the socket", ({ operation }: FileCall) => operation === "listen"],
  ["the journal", ({ operation, path }: FileCall) => operation === "create" && path.includes("/journal/")],
  ["the gate", ({ operation, path }: FileCall) => operation === "makeDirectory" && path.endsWith(".gate")],
  ["a sync of the directory", ({ operation }: FileCall) => operation === "syncDirectory"],
] as const)(
  "if %s fails, the waiting writes fail, reads go on, and the next write tries again",
  async (_, isIt) => {
    const machine = await machineWithStore();
    let isBroken = false;
    const host = failingHost(machine.startProcess(), (call) =>
      isBroken && isIt(call) ? { kind: "error", code: "EIO" } : undefined,
    );
    const store = await open(host);
    isBroken = true;
    const writes = ["x", "y"].map(async (content) => await store.session("a").append(user(content)));
    for (const outcome of await Promise.allSettled(writes))
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "IO_FAILED" } });
    expect(await contentsOf(store.session("a"))).toEqual(["1", "2"]);
    isBroken = false;
    expect(await store.session("a").append(user("3"))).toEqual({ seq: 3 });
    expect(await instances(machine)).toHaveLength(1);
    await store.close();
    for (const cut of machine.capture().afterPowerLoss({ limit: 20 })) {
      const again = await open(cut.startProcess());
      expect(await contentsOf(again.session("a")), cut.describe()).toEqual(["1", "2", "3"]);
      await again.close();
    }
  },
);

test("what a dead instance has left is recovered by opening, before anything is written", async () => {
  const machine = await machineWithStore();
  await dieWithUnapplied(machine);
  expect(await instances(machine)).toHaveLength(1);
  const store = await open(machine.startProcess());
  const reader = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), {
    readOnly: true,
  });
  expect(await contentsOf(reader.session("a"))).toEqual(["1", "2", "3"]);
  await store.close();
  expect(await instances(machine)).toEqual([]);
});

test("one that dies later is laid over by reads, and recovered by the first write", async () => {
  const machine = await machineWithStore();
  const store = await open(machine.startProcess());
  await dieWithUnapplied(machine);
  const changes: string[] = [];
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (changedDisk) changes.push(`${operation} ${path}`);
  });
  expect(await contentsOf(store.session("a"))).toEqual(["1", "2", "3"]);
  expect(changes).toEqual([]);
  expect(await store.session("b").append(user("b2"))).toEqual({ seq: 2 });
  expect(await instances(machine)).toHaveLength(1);
  expect(await store.session("a").append(user("4"))).toEqual({ seq: 4 });
  await store.close();
  expect(await instances(machine)).toEqual([]);
});

test.each(["removed", "replaced"])(
  "a directory that was %s before the first write is not written to",
  async (how) => {
    const machine = await machineWithStore();
    const store = await open(machine.startProcess());
    const { files } = machine.startProcess();
    await files.rename(DIRECTORY, "/away");
    if (how === "replaced") await (await open(machine.startProcess())).close();
    const lost = { code: "STORE_FAILED", message: expect.stringContaining("removed, or replaced") as string };
    await expect(store.session("a").append(user("x"))).rejects.toMatchObject(lost);
    await expect(store.session("a").messages()).rejects.toMatchObject(lost);
    const there = await files.stat(`${DIRECTORY}/a.jsonl`);
    expect(there).toBeUndefined();
    expect((await files.stat(DIRECTORY)) === undefined).toBe(how === "removed");
    await store.close();
  },
);

test("a watcher that began before the first write is told of it", async () => {
  const machine = await machineWithStore();
  const store = await open(machine.startProcess());
  const ended = new AbortController();
  const watching = store.session("a").watch({ from: 3, signal: ended.signal })[Symbol.asyncIterator]();
  const next = watching.next();
  await store.session("a").append(user("3"));
  expect(await next).toMatchObject({ value: { seq: 3 } });
  ended.abort();
  await watching.return?.();
  await store.close();
});

test("a store that is closed while it begins is closed whole", async () => {
  const machine = await machineWithStore();
  const store = await open(machine.startProcess());
  const write = store.session("a").append(user("3"));
  await store.close();
  expect(await write).toEqual({ seq: 3 });
  expect(await instances(machine)).toEqual([]);
  const again = await open(machine.startProcess());
  expect(await contentsOf(again.session("a"))).toEqual(["1", "2", "3"]);
  expect(await keysOf(again)).toEqual(["a", "b"]);
  await again.close();
});

const APPEND = (store: Store): Promise<unknown> => store.session("a").append(user("3"));

const FIRST_CHANGES: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ["an append", APPEND],
  ["a title", async (store) => await store.session("a").setTitle("title")],
  ["a truncation", async (store) => await store.session("a").truncate({ keepLast: 1 })],
  ["a lock", async (store) => await (await store.session("a").lock())[Symbol.asyncDispose]()],
  ["a fork", async (store) => await store.session("a").fork("c")],
  ["archiving", async (store) => await store.session("a").archive()],
  ["deleting", async (store) => await store.session("a").delete()],
  ["a purge", async (store) => await store.purge()],
  ["verify", async (store) => await store.verify()],
  ["repair", async (store) => await store.repair()],
  ["reclaim", async (store) => await store.reclaim({ seal: true })],
];

test.each(FIRST_CHANGES)("%s begins the instance, which the close ends", async (_, change) => {
  const machine = await machineWithStore();
  const store = await open(machine.startProcess());
  expect(await instances(machine)).toEqual([]);
  await change(store);
  expect(await instances(machine)).toHaveLength(1);
  await store.close();
  expect(await instances(machine)).toEqual([]);
});

test("restoring begins the instance", async () => {
  const machine = await machineWithStore();
  const first = await open(machine.startProcess());
  await first.session("a").archive();
  await first.close();
  const store = await open(machine.startProcess());
  await store.session("a").restore();
  expect(await instances(machine)).toHaveLength(1);
  await store.close();
});

test("what is refused for its options begins nothing", async () => {
  const machine = await machineWithStore();
  const store = await open(machine.startProcess());
  await expect(store.session("a").append({} as never)).rejects.toMatchObject({ code: "MESSAGE_INVALID" });
  await expect(store.session("a").fork("a")).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(store.purge({ nothing: true } as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  expect(await instances(machine)).toEqual([]);
  await store.close();
});

test("two stores of one process that begin at once are two instances, and share a session by its lease", async () => {
  const machine = await machineWithStore();
  const host = machine.startProcess();
  const [one, two] = [await open(host), await open(host)];
  const seqs = await Promise.all(
    [one, two, one, two].map(async (store) => (await store.session("a").append(user("x"))).seq),
  );
  expect(seqs.toSorted()).toEqual([3, 4, 5, 6]);
  expect(await instances(machine)).toHaveLength(2);
  await one.close();
  await two.close();
  expect(await instances(machine)).toEqual([]);
});

test("stores that have not begun stand in line for a session that is locked, and have it in the order of their calls", async () => {
  const machine = await machineWithStore();
  const holder = await open(machine.startProcess());
  const lock = await holder.session("a").lock();
  const waiting: Promise<number>[] = [];
  for (const content of ["first", "second", "third"]) {
    const store = await open(machine.startProcess());
    waiting.push(
      store
        .session("a")
        .append(user(content))
        .then(({ seq }) => seq),
    );
    await machine.startProcess().wait(5);
  }
  // Each is an instance by now, whose socket the holder can tell.
  expect(await instances(machine)).toHaveLength(4);
  await lock[Symbol.asyncDispose]();
  expect(await Promise.all(waiting)).toEqual([3, 4, 5]);
  await holder.close();
});

test("a store that reads beside a living instance sees what it has applied, and leaves it alone", async () => {
  const machine = await machineWithStore();
  const holder = await open(machine.startProcess());
  await holder.session("a").append(user("3"));
  const store = await open(machine.startProcess());
  expect(await instances(machine)).toHaveLength(1);
  await machine.startProcess().wait(1);
  expect(await contentsOf(store.session("a"))).toEqual(["1", "2", "3"]);
  await store.close();
  expect(await holder.session("a").append(user("4"))).toEqual({ seq: 4 });
  await holder.close();
});

test("a listing begins an instance only to write a new catalog", async () => {
  const machine = await machineWithStore();
  machine.setClock(Date.UTC(2030, 0, 1));
  const first = await open(machine.startProcess());
  expect((await keysOf(first)).toSorted()).toEqual(["a", "b"]);
  expect(await instances(machine)).toHaveLength(1);
  await first.close();
  const second = await open(machine.startProcess());
  expect((await keysOf(second)).toSorted()).toEqual(["a", "b"]);
  expect(await instances(machine)).toEqual([]);
  await second.close();
});

test("a directory that is replaced while the instance begins is not written to", async () => {
  const machine = await machineWithStore();
  const { files } = machine.startProcess();
  let isDue = false;
  const host = observedHost(machine.startProcess(), async ({ operation, path }) => {
    if (!isDue || operation !== "syncDirectory" || path !== `${DIRECTORY}/.longhand`) return;
    isDue = false;
    await files.rename(DIRECTORY, "/away");
    await (await open(machine.startProcess())).close();
  });
  const store = await open(host);
  isDue = true;
  const lost = { code: "STORE_FAILED", message: expect.stringContaining("removed, or replaced") as string };
  await expect(APPEND(store)).rejects.toMatchObject(lost);
  expect(isDue).toBe(false);
  expect(await files.stat(`${DIRECTORY}/a.jsonl`)).toBeUndefined();
  expect(await instances(machine)).toEqual([]);
  await store.close();
});

test("a store whose own directories were removed before the first write makes them again", async () => {
  const machine = await machineWithStore();
  const store = await open(machine.startProcess());
  const { files } = machine.startProcess();
  for (const name of ["damaged", "new"]) await files.removeDirectory(`${DIRECTORY}/.longhand/${name}`);
  expect(await APPEND(store)).toEqual({ seq: 3 });
  await store.close();
});
