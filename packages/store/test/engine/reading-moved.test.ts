/**
 * Another process archives, restores or deletes a session between any two calls of a reader: what exists during the whole
 * call is not missed, and not there twice. There are moves at two moments, since a reader that looks at one place after the
 * other is passed by only then. Here some pairs of moments are tried; the part `readers` of the proof tries them all.
 */

import { expect, test } from "vitest";
import { findSessionFile } from "../../src/engine/files/find-session-file.ts";
import { layoutOf } from "../../src/format/layout.ts";
import type { FileSystem } from "../../src/host/host.ts";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { fileNameOf } from "../../src/format/key.ts";
import { toId, type Id } from "../../src/format/session-id.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { user } from "../support/conversation.ts";
import { interruptedHost } from "../support/interrupted-host.ts";

type Move = (store: Store) => Promise<void>;

interface Scene {
  readonly prepare: Move;
  readonly moves: readonly [Move, Move];
}

const archive: Move = async (store) => await store.session("a").archive();
const restore: Move = async (store) => await store.session("a").restore();
const remove: Move = async (store) => await store.session("a").delete();

/** Two sessions of one key: the older one is archived, the newer one moves. */
const withOlder: Move = async (store) => {
  const older = await store.session("a").state();
  await store.session("a").delete();
  await store.session("a").append(user("new"));
  await store.session("a").archive();
  await store.session("b").archive();
  await store.session("a").restore({ id: older?.id ?? "" });
  await store.session("a").archive();
};

const SCENES: Readonly<Record<string, Scene>> = {
  "archived, restored, archived": { prepare: archive, moves: [restore, archive] },
  "active, archived, restored": { prepare: async () => await Promise.resolve(), moves: [archive, restore] },
  "deleted, restored, deleted": { prepare: remove, moves: [restore, remove] },
  "archived, deleted, restored": { prepare: archive, moves: [remove, restore] },
  "two of one key change places": {
    prepare: withOlder,
    moves: [
      restore,
      async (store) => {
        await archive(store);
        const found = store.list({ status: "archived" });
        for await (const { key, id, seq } of found)
          if (key === "a" && seq === 1) {
            await store.session("a").restore({ id });
            return;
          }
      },
    ],
  },
};

const READERS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  list: async (store) => {
    const ids: string[] = [];
    for await (const { id } of store.list({ status: "any" })) ids.push(id);
    return ids.sort();
  },
  search: async (store) => (await store.search("word")).map(({ key }) => key).sort(),
  verify: async (store) => {
    const { sessions, damage } = await store.verify();
    return { sessions, damage };
  },
};

interface Outcome {
  readonly calls: number;
  readonly seen: unknown;
  readonly expected: unknown;
}

/** One move before each of these calls of the reader. */
async function readBeside(
  { prepare, moves }: Scene,
  read: (store: Store) => Promise<unknown>,
  moments: readonly number[],
): Promise<Outcome> {
  const machine = new SimulatedMachine(1);
  const mover = await openStore(jsonlBackend("/store", { host: machine.startProcess() }));
  for (const key of ["a", "b"]) await mover.session(key).append(user(`word in ${key}`));
  await prepare(mover);
  let calls = 0;
  let isReading = false;
  const left = [...moves];
  const host = interruptedHost(machine.startProcess(), async () => {
    if (!isReading || !moments.includes(++calls)) return;
    isReading = false;
    await left.shift()?.(mover);
    isReading = true;
  });
  const reader = await openStore(jsonlBackend("/store", { host }), { readOnly: true });
  const expected = await read(reader);
  isReading = true;
  const seen = await read(reader);
  isReading = false;
  await reader.close();
  await mover.close();
  return { calls, seen, expected };
}

/** A pair has this many calls in between, or twice, three times … as many. */
const GAP = 5;

/** Answers with how many pairs of moments there were. */
async function tryPairs(scene: Scene, read: (store: Store) => Promise<unknown>): Promise<number> {
  const { calls } = await readBeside(scene, read, []);
  let pairs = 0;
  const step = Math.ceil(calls / 8);
  for (let first = 1; first <= calls; first += step) {
    for (let second = first + GAP; second <= calls + GAP; second += GAP, pairs++) {
      const { seen, expected } = await readBeside(scene, read, [first, second]);
      expect(seen, `moves before the calls ${first} and ${second}`).toEqual(expected);
    }
  }
  return pairs;
}

for (const [what, scene] of Object.entries(SCENES)) {
  for (const [name, read] of Object.entries(READERS)) {
    // What is in the trash is not searched: a session that passes through it need not be found.
    if (name === "search" && what.includes("deleted")) continue;
    test(`${name}: ${what}`, async () => {
      expect(await tryPairs(scene, read)).toBeGreaterThan(20);
    });
  }
}

const BY_KEY: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  state: async (store) => (await store.session("a").state())?.id,
  messages: async (store) => await store.session("a").messages(),
};

for (const [name, read] of Object.entries(BY_KEY)) {
  test.each(["archived, restored, archived", "active, archived, restored"])(
    `${name} by key: %s`,
    async (what) => {
      const scene = SCENES[what];
      if (scene === undefined) throw new Error(what);
      expect(await tryPairs(scene, read)).toBeGreaterThan(5);
    },
  );

  test(`${name} by key: never the older of two while the newer is restored`, async () => {
    const prepare: Move = async (store) => {
      await archive(store);
      const older = await store.session("a").state();
      await restore(store);
      await remove(store);
      await store.session("a").append(user("newer"));
      await archive(store);
      await store.session("b").archive();
      // Back into the archive beside the newer one, by way of the active place.
      await store.session("a").restore({ id: older?.id ?? "" });
      await archive(store);
    };
    expect(await tryPairs({ prepare, moves: [restore, archive] }, read)).toBeGreaterThan(5);
  });
}

/** Each time, a session is in the archive while its active place is looked at, and active while the archive is. */
const TIMES_PASSED = [1, 2, 5];

async function readPassedBy(
  read: (store: Store, files: FileSystem, id: Id) => Promise<unknown>,
  times: number,
): Promise<Pick<Outcome, "seen" | "expected"> & { readonly left: number }> {
  const machine = new SimulatedMachine(1);
  const mover = await openStore(jsonlBackend("/store", { host: machine.startProcess() }));
  for (const key of ["a", "b"]) await mover.session(key).append(user(`word in ${key}`));
  await archive(mover);
  const id = toId((await mover.session("a").state())?.id ?? "");
  let isReading = false;
  let isArchived = true;
  let left = 2 * times;
  const host = interruptedHost(machine.startProcess(), async (path) => {
    const isOfArchive = path?.startsWith("/store/archive") === true;
    const isOfActive = path === "/store" || path === "/store/a.jsonl";
    if (!isReading || left === 0 || !(isArchived ? isOfArchive : isOfActive)) return;
    isReading = false;
    await (isArchived ? restore : archive)(mover);
    isArchived = !isArchived;
    left--;
    isReading = true;
  });
  const reader = await openStore(jsonlBackend("/store", { host }), { readOnly: true });
  const expected = await read(reader, host.files, id);
  isReading = true;
  const seen = await read(reader, host.files, id);
  isReading = false;
  await reader.close();
  await mover.close();
  return { seen, expected, left };
}

/** As a reader in the middle of a session looks for the file in which it goes on. */
async function findById(_store: Store, files: FileSystem, id: Id): Promise<unknown> {
  return (await findSessionFile(files, layoutOf("/store"), id, fileNameOf("a")))?.header.id;
}

for (const [name, read] of Object.entries({ ...READERS, ...BY_KEY, "by id": findById })) {
  test.each(TIMES_PASSED)(`${name}: passed by again and again (%i), it looks once more`, async (times) => {
    const { seen, expected, left } = await readPassedBy(read, times);
    expect(seen).toEqual(expected);
    expect(left).toBe(0);
  });
}
