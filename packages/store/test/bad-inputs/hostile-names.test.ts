/**
 * Ids, names and numbers in files that somebody else wrote: CRC-32 is no signature. No operation reads a path that they
 * make up, and nothing outside the store is created, changed, renamed or removed.
 */

import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  declareDead,
  findOwners,
  isLonghandError,
  jsonlBackend,
  openStore,
  type Damage,
  type Store,
} from "../../src/index.ts";
import { layoutOf, leaseNameOf, leaseShard } from "../../src/format/layout.ts";
import { user } from "../support/conversation.ts";
import {
  fingerprintOf,
  INSTANCE,
  journalBytes,
  OUTSIDE_ID,
  put,
  putDeadJournal,
  putOutside,
  recordLine,
  sessionBytes,
} from "../support/hostile-store.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;
let outside: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "store");
  outside = join(parent, "outside");
  await putOutside(outside);
  // So that `trash/k.` + `/../../..` leads somewhere.
  for (const path of ["trash/k.", "archive/k.", "segments"])
    await mkdir(join(directory, path), { recursive: true, mode: 0o700 });
});
afterEach(async () => {
  await removeDirectory(parent);
});

/** Only typed errors; whatever fails, the next is tried. Answers with the damage that was reported. */
async function doEverything(): Promise<readonly Damage[]> {
  const damage: Damage[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!isLonghandError(error)) throw error;
    });
  };
  const onDamage = (found: Damage): void => {
    damage.push(found);
  };
  const quiet = { onDamage, onError: () => undefined, onForeign: () => undefined };
  for (const readOnly of [true, false]) {
    const store = await openStore(jsonlBackend(directory, { lockWait: 300 }), { readOnly, ...quiet });
    for (const work of OPERATIONS) await attempt(async () => await work(store));
    damage.push(...(await store.verify()).damage);
    await store.close();
  }
  await findOwners(directory);
  await attempt(async () => await declareDead(directory, "../../../outside/x"));
  return damage;
}

const drain = async (all: AsyncIterable<unknown>): Promise<void> => {
  for await (const each of all) expect(each).toBeDefined();
};

const OPERATIONS: readonly ((store: Store) => Promise<unknown>)[] = [
  async (store) => await drain(store.list()),
  async (store) => await store.search("mine"),
  async (store) => await store.session("k").state(),
  async (store) => await store.session("k").messages(),
  async (store) => await drain(store.session("k").records()),
  async (store) => await store.session("k").append(user("more")),
  async (store) => await store.session("k").fork("forked"),
  async (store) => await store.reclaim({ dryRun: true }),
  async (store) => await store.reclaim(),
  async (store) => await store.session("k").archive(),
  async (store) => await store.session("k").restore(),
  async (store) => await store.session("k").restore({ id: "/../../../outside/victim" }),
  async (store) => await store.repair(),
  async (store) => await store.session("k").delete(),
  async (store) => await store.session("k").delete({ forever: true }),
  async (store) => await store.purge(),
];

/** Each leads outside from one of the places that a path of ours begins with. */
const PATHS = [
  "/../../../outside/victim",
  "../../outside",
  "../../../outside/victim",
  "../outside/victim",
  "..",
  ".",
  "",
  "01JCW0000000000000000000A/",
  "01jcw0000000000000000000aa",
  "01JCW0000000000000000000AA\n",
  "é".repeat(26),
];

const link = (more: object): object => ({
  file: 1,
  chain: [{ file: 0, first: 1, last: 1, bytes: 20, sum: "00000000", until: "2026-11-15", ...more }],
});

const HOSTILE: readonly (readonly [string, () => Promise<void>])[] = [
  ...PATHS.map((id): readonly [string, () => Promise<void>] => [
    `a header with the id ${JSON.stringify(id)}`,
    async () => await put(join(directory, "k.jsonl"), sessionBytes("k", { id })),
  ]),
  ...PATHS.map((session): readonly [string, () => Promise<void>] => [
    `a chain with the session ${JSON.stringify(session)}`,
    async () => await put(join(directory, "k.jsonl"), sessionBytes("k", link({ session }))),
  ]),
  ...PATHS.map((session): readonly [string, () => Promise<void>] => [
    `a journal with the session ${JSON.stringify(session)}`,
    async () => await putDeadJournal(directory, journalBytes({}, { session }, recordLine(2, "x", session))),
  ]),
  ...[...PATHS, "../outside/other.jsonl", "../outside/victim.jsonl", "/etc/passwd", "k.jsonl/../k.jsonl"].map(
    (name): readonly [string, () => Promise<void>] => [
      `a journal with the name ${JSON.stringify(name)}`,
      async () => await putDeadJournal(directory, await journalInto(name)),
    ],
  ),
  ...PATHS.map((instance): readonly [string, () => Promise<void>] => [
    `a journal of the instance ${JSON.stringify(instance)}`,
    async () =>
      await putDeadJournal(directory, journalBytes({ instance }, {}, recordLine(2, "x", OUTSIDE_ID))),
  ]),
];

/** A record that fits behind the last of the session outside. */
async function journalInto(name: string): Promise<Buffer> {
  const offset = (await readFile(join(outside, "other.jsonl"))).length;
  return journalBytes({}, { name, offset }, recordLine(2, "planted", OUTSIDE_ID));
}

describe.each(HOSTILE)("%s", (_what, build) => {
  test("is damage, and nothing outside changes", async () => {
    await build();
    const before = await fingerprintOf(outside);
    const damage = await doEverything();
    expect(await fingerprintOf(outside)).toEqual(before);
    expect(damage.length).toBeGreaterThan(0);
  });
});

describe("numbers", () => {
  test.each([{ file: 2 ** 53 - 1 }, link({ file: 2 ** 53 - 1 }), link({ file: -1 }), link({ file: 1e300 })])(
    "a header with the file number of %o is damage",
    async (header) => {
      await put(join(directory, "k.jsonl"), sessionBytes("k", header));
      expect((await doEverything()).length).toBeGreaterThan(0);
    },
  );

  test.each(["999999999999999", "9007199254740991", "007", "0", "900000000000000"])(
    "a lease with the number %s does not stop a write for ever",
    async (number) => {
      const store = await openStore(jsonlBackend(directory, { lockWait: 300 }));
      try {
        await put(join(leaseShard(layoutOf(directory), leaseNameOf("k")), `k.${number}`), "");
        await store
          .session("k")
          .append(user("hello"))
          .catch((error: unknown) => {
            if (!isLonghandError(error)) throw error;
            expect(error.message).toContain(`k.${number}`);
          });
      } finally {
        await store.close();
      }
    },
  );
});

test("a forged alias names no key that is none", async () => {
  const { withChecksum } = await import("../../src/format/line-checksum.ts");
  const alias = JSON.stringify({ alias: "k", key: "" }).slice(0, -1);
  await put(join(directory, "aliases/k.json"), withChecksum(alias, "alias"));
  const store = await openStore(directory);
  await expect(store.session("k").messages()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  await store.close();
});

test("a session with a hostile id is left where it is, byte for byte", async () => {
  const bytes = sessionBytes("k", { id: "/../../../outside/victim" });
  await put(join(directory, "k.jsonl"), bytes);
  await doEverything();
  expect(await readFile(join(directory, "k.jsonl"))).toEqual(bytes);
});

test("control: the same session with an id of ours is read, moved and removed", async () => {
  await put(join(directory, "k.jsonl"), sessionBytes("k", { id: OUTSIDE_ID }));
  const store = await openStore(directory);
  expect(await store.session("k").messages()).toHaveLength(1);
  await store.session("k").delete();
  await store.close();
  expect(await readFile(join(directory, `trash/k.${OUTSIDE_ID}.jsonl`), "utf8")).toContain("mine");
});

test("control: the same journal with a name of ours is replayed", async () => {
  await rename(join(outside, "other.jsonl"), join(directory, "other.jsonl"));
  const { length } = await readFile(join(directory, "other.jsonl"));
  const line = recordLine(2, "planted", OUTSIDE_ID);
  await putDeadJournal(directory, journalBytes({}, { name: "other.jsonl", offset: length }, line));
  const store = await openStore(directory);
  expect(await store.session("other").messages()).toHaveLength(2);
  await store.close();
  expect(INSTANCE).toHaveLength(26);
});
