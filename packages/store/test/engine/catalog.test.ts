/** The catalog of sessions: what it saves, and what it must never be believed. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type SessionInfo, type Store } from "../../src/index.ts";
import type { FileSystem, Host } from "../../src/host/host.ts";
import { encodeCatalog } from "../../src/index/catalog.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { landingFaults } from "../support/apply-faults.ts";
import { user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile } from "../support/simulated-store.ts";

const CACHE = `${DIRECTORY}/.longhand/cache`;
const CATALOG = `${CACHE}/catalog`;
const A_WHILE = 5000;

interface OpenOptions {
  readonly readOnly?: boolean;
  readonly durability?: "os";
  readonly onDamage?: (damage: Damage) => void;
}

async function open(
  host: Host,
  { onDamage = () => undefined, ...options }: OpenOptions = {},
): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host }), {
    ...options,
    onDamage,
    onError: () => undefined,
  });
}

async function listOf(store: Store): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  for await (const info of store.list({ status: "any", order: "key" })) infos.push(info);
  return infos;
}

const countsOf = async (store: Store): Promise<string[]> =>
  (await listOf(store)).map(({ key, count, title = "" }) => `${key} ${count} ${title}`);

/** Three sessions, closed, in a directory that has settled. `list`: with a catalog of them. */
async function machineWithSessions(list = true): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine(7);
  const store = await open(machine.startProcess());
  for (const key of ["a", "b:1", "c"]) await store.session(key).append(user(key));
  await store.session("c").archive();
  await store.close();
  machine.pass(A_WHILE);
  if (list) await withStore(machine, listOf);
  return machine;
}

async function withStore<T>(
  machine: SimulatedMachine,
  use: (store: Store) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const store = await open(machine.startProcess(), options);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The names of the session files that are opened. */
async function opened(machine: SimulatedMachine, use: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  let isOver = false;
  machine.onOperation(({ operation, path }) => {
    if (!isOver && operation === "open" && path.endsWith(".jsonl")) names.push(path.split("/").at(-1) ?? "");
  });
  await use();
  isOver = true;
  return names;
}

async function overwrite(host: Host, path: string, change: (text: string) => string): Promise<void> {
  const text = change((await readSimulatedFile(host, path)).toString());
  const file = await host.files.open(path, "write");
  await file.truncate(Buffer.byteLength(text));
  await file.write(Buffer.from(text), 0);
  await file.close();
}

const ALL = ["a 1 ", "b:1 1 ", "c 1 "];

test("a session whose file has not changed is not opened; one that was written to is, and no other", async () => {
  const machine = await machineWithSessions();
  for (const readOnly of [false, true]) {
    const read = await opened(machine, async () => {
      expect(await withStore(machine, countsOf, { readOnly })).toEqual(ALL);
    });
    expect(read).toEqual([]);
  }
  await withStore(machine, async (store) => await store.session("a").setTitle("new"));
  const read = await opened(machine, async () => {
    expect(await withStore(machine, countsOf)).toEqual(["a 1 new", ...ALL.slice(1)]);
  });
  expect(new Set(read)).toEqual(new Set(["a.jsonl"]));
});

test("an edit of the same length within the resolution of the file's time is not missed", async () => {
  const machine = new SimulatedMachine(7);
  const host = machine.startProcess();
  const writer = await open(host);
  await writer.session("a").append(user("one"));
  await writer.session("a").setTitle("old");
  await writer.close();
  const path = `${DIRECTORY}/a.jsonl`;
  const written = (await host.files.stat(path))?.modified ?? 0;
  await withStore(machine, listOf);
  machine.setClock(written);
  await overwrite(host, path, (text) => text.replace('"old"', '"new"'));
  expect((await host.files.stat(path))?.modified).toBe(written);
  const damage: Damage[] = [];
  await withStore(machine, listOf, { onDamage: (found) => damage.push(found) });
  expect(damage).toMatchObject([{ file: `${DIRECTORY}/a.jsonl`, kind: "corrupt" }]);
});

test("damage is reported by every store that lists, and its session is as it was read", async () => {
  const machine = await machineWithSessions();
  await overwrite(machine.startProcess(), `${DIRECTORY}/a.jsonl`, (text) => text.replace('"a"}', '"x"}'));
  for (let round = 0; round < 3; round += 1) {
    machine.pass(A_WHILE);
    const damage: Damage[] = [];
    const list = async (store: Store): Promise<SessionInfo[]> => {
      await listOf(store);
      return await listOf(store);
    };
    const [a] = await withStore(machine, list, { onDamage: (found) => damage.push(found) });
    expect(damage).toHaveLength(1);
    expect(a).toMatchObject({ key: "a", count: 0, damaged: 1 });
  }
});

test("what a dead process has acknowledged is listed, though no file has changed since the catalog", async () => {
  const machine = await machineWithSessions();
  const host = machine.startProcess();
  const store = await open(failingHost(host, landingFaults().plan));
  await store.session("a").append(user("two"));
  host.kill();
  expect(await withStore(machine, countsOf, { readOnly: true })).toEqual(["a 2 ", ...ALL.slice(1)]);
});

test("a power cut that leaves a file its time without its bytes does not leave the catalog right", async () => {
  const machine = new SimulatedMachine(7);
  const writer = await open(machine.startProcess(), { durability: "os" });
  for (const text of ["one", "two"]) await writer.session("a").append(user(text));
  machine.pass(A_WHILE);
  const reader = await open(machine.startProcess(), { durability: "os" });
  await listOf(reader);
  const host = machine.startProcess();
  expect(await host.files.readDirectory(CACHE)).toContain("catalog");
  const { files } = host;
  // As if the kernel had written them by itself.
  await (await files.open(CATALOG, "write")).sync();
  for (const directory of [CACHE, `${DIRECTORY}/.longhand`, `${DIRECTORY}/.longhand/new`])
    await files.syncDirectory(directory);
  let lost = 0;
  for (const restarted of machine.capture().afterPowerLoss({ limit: 200 })) {
    const count = await withStore(restarted, async (store) => (await store.session("a").messages()).length, {
      readOnly: true,
    }).catch(() => undefined);
    if (count === undefined) continue;
    if (count < 2) lost += 1;
    const infos = await withStore(restarted, listOf, { readOnly: true });
    expect(
      infos.map((info) => info.count),
      restarted.describe(),
    ).toEqual(infos.length === 0 ? [] : [count]);
  }
  expect(lost).toBeGreaterThan(0);
});

/** Before its call number `at`, counted from when it is told to begin, something else is done. */
function interrupted(host: Host, at: () => number, task: () => Promise<unknown>): Host {
  let calls = 0;
  const files = new Proxy(host.files, {
    get:
      (target, name: keyof FileSystem) =>
      async (...given: never[]): Promise<unknown> => {
        if (at() > 0 && ++calls === at()) await task();
        return await (target[name] as (...args: never[]) => unknown).apply(target, given);
      },
  });
  const { processes, user: owner } = host;
  return {
    ...{ files, processes, user: owner },
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}

const MOVES: readonly ((store: Store) => Promise<unknown>)[] = [
  async (store) => await store.session("a").archive(),
  async (store) => await store.session("c").restore(),
  async (store) => {
    await store.session("a").archive();
    await store.session("c").restore();
  },
  async (store) => {
    await store.session("c").restore();
    await store.session("c").delete();
  },
  async (store) => {
    await store.session("a").archive();
    await store.session("a").restore();
  },
  async (store) => await store.session("a").append(user("more")),
  async (store) => await store.session("b:1").fork("new"),
];

test.each([...MOVES.entries()])(
  "sessions that are moved at any point of a listing are listed once (%i)",
  async (_index, move) => {
    let falls = 0;
    for (let at = 1; at <= 30; at += 1) {
      for (const readOnly of [false, true]) {
        const machine = await machineWithSessions();
        const neighbour = await open(machine.startProcess());
        const state = { at: 0 };
        const lister = machine.startProcess();
        const host = interrupted(
          lister,
          () => state.at,
          async () => await move(neighbour),
        );
        const store = await open(host, { readOnly });
        machine.pass(A_WHILE);
        let lists = 0;
        machine.onOperation(({ pid, operation, path }) => {
          if (pid === lister.processes.self.pid && operation === "readDirectory" && path === DIRECTORY)
            lists += 1;
        });
        state.at = at;
        const keys = (await listOf(store)).map(({ key }) => key);
        if (lists > 1) falls += 1;
        expect(keys.filter((key) => key !== "new")).toEqual(["a", "b:1", "c"]);
        await store.close();
        await neighbour.close();
      }
    }
    // Control: names have changed under a listing that had begun; an append changes none.
    if (move !== MOVES[5]) expect(falls).toBeGreaterThan(3);
  },
);

test("a store that is opened for reading writes no catalog", async () => {
  const machine = await machineWithSessions(false);
  const { files } = machine.startProcess();
  await withStore(machine, listOf, { readOnly: true });
  expect(await files.stat(CATALOG)).toBeUndefined();
  await withStore(machine, listOf);
  expect(await files.stat(CATALOG)).toBeDefined();
});

const BOOT = (machine: SimulatedMachine): string => machine.startProcess().processes.self.bootId ?? "";
const sealed = (value: object): Buffer =>
  withChecksum(JSON.stringify(value).slice(0, -1), "longhand catalog");
const deep = (levels: number): unknown => {
  let value: unknown = [];
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

test("whatever is in the place of the catalog, the listing is the same", async () => {
  const machine = await machineWithSessions();
  const host = machine.startProcess();
  const good = await readSimulatedFile(host, CATALOG);
  const boot = BOOT(machine);
  const { sessions } = JSON.parse(good.toString()) as { sessions: unknown[][] };
  const [row = []] = sessions;
  const rows: unknown[][][] = row.flatMap((_, index) =>
    [null, -1, 1.5, 2 ** 60, "x", "__proto__", [], {}, [1], true].map((value) => [
      ...sessions.map((each) => each.with(index, value)),
    ]),
  );
  const contents: Buffer[] = [
    Buffer.alloc(0),
    Buffer.from("\n"),
    Buffer.alloc(4096),
    good.subarray(0, -7),
    Buffer.from(good.toString().replace('"c"', '"d"')),
    sealed({ catalog: 1, boot, sessions: {} }),
    sealed({ catalog: 1, boot, sessions: [[], [1], null, "a"] }),
    sealed({ catalog: 1, boot, sessions: deep(400) }),
    sealed({ catalog: 2, boot, sessions }),
    sealed({ catalog: 1, boot: "another", sessions: sessions.map((each) => each.with(10, 99)) }),
    encodeCatalog(
      boot,
      sessions.map((each) => each.slice(0, 9)),
    ),
    // A file that is another by now: the same name and size, all else made up.
    encodeCatalog(
      boot,
      sessions.map((each) => each.with(2, 1).with(10, 99)),
    ),
  ];
  for (const bytes of contents) {
    await overwrite(host, CATALOG, () => "");
    await (await host.files.open(CATALOG, "write")).write(bytes, 0);
    const damage: Damage[] = [];
    expect(await withStore(machine, countsOf, { onDamage: (found) => damage.push(found) })).toEqual(ALL);
    expect(damage).toEqual([]);
  }
  // A value in a field that says which file it was: not believed. In another one: of the right kind, or not believed.
  for (const changed of rows) {
    const file = await host.files.open(CATALOG, "write");
    await file.truncate(0);
    await file.write(encodeCatalog(boot, changed), 0);
    const infos = await withStore(machine, listOf, { readOnly: true });
    expect(infos.map(({ status }) => status).sort()).toEqual(["active", "active", "archived"]);
    for (const { key, id, title, tags, count, summary } of infos) {
      for (const text of [key, id, summary, title ?? ""]) expect(text).toBeTypeOf("string");
      expect(Array.isArray(tags) && tags.every((tag) => typeof tag === "string")).toBe(true);
      expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
    }
  }
});

test("a directory in the place of the catalog or a file in that of the cache costs time only", async () => {
  for (const path of [CATALOG, CACHE]) {
    const machine = await machineWithSessions(false);
    const { files } = machine.startProcess();
    for (const name of await files.readDirectory(CACHE)) await files.unlink(`${CACHE}/${name}`);
    if (path === CATALOG) await files.makeDirectory(CATALOG);
    else {
      await files.removeDirectory(CACHE);
      await (await files.open(CACHE, "create")).close();
    }
    expect(await withStore(machine, countsOf)).toEqual(ALL);
  }
});
