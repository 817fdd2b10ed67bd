/** Reading needs no lease, works beside a writer, sees what a dead one has left, and changes nothing. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStore, type Session, type Store } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { bytesIn, namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(parent);
});

async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list({ order: "key" })) keys.push(key);
  return keys;
}

describe("readOnly", () => {
  test("beside a writer in another process, it sees what has landed, as it comes", async () => {
    const writer = new ChildProcess("hold-store", directory);
    await writer.printed(1);
    await writer.ask("append a one");
    const { store, damage } = await openCollecting(directory, { readOnly: true });
    const session = store.session("a");
    await vi.waitFor(async () => expect(await contentsOf(session)).toEqual(["one"]), { timeout: 60_000 });
    await writer.ask("append a two");
    await writer.ask("append b three");
    await vi.waitFor(async () => expect(await contentsOf(session)).toEqual(["one", "two"]), {
      timeout: 60_000,
    });
    await vi.waitFor(async () => expect(await keysOf(store)).toEqual(["a", "b"]), { timeout: 60_000 });
    expect(damage).toEqual([]);
    await store.close();
    // The writer has noticed nothing.
    expect(await writer.ask("append a four")).toBe('{"seq":3}');
  });

  test("several readers at once, in several processes", async () => {
    const writer = await openStore(directory);
    await writer.session("a").append(user("one"));
    const readers = [1, 2, 3].map(() => new ChildProcess("hold-store", directory, "read-only"));
    for (const reader of readers) {
      await reader.printed(1);
      await vi.waitFor(async () => expect(await reader.ask("read a")).toBe('["one"]'), { timeout: 60_000 });
    }
    await writer.close();
  });

  test("a directory that does not exist is an empty store, and stays not existing", async () => {
    const store = await openStore(directory, { readOnly: true });
    expect(await keysOf(store)).toEqual([]);
    expect(await store.session("a").messages()).toEqual([]);
    expect(await store.session("a").state()).toBeUndefined();
    expect(await store.search("x")).toEqual([]);
    await store.close();
    expect(await namesIn(parent)).toEqual([]);
  });

  test("so is an empty directory, and it stays empty", async () => {
    await mkdir(directory);
    const store = await openStore(directory, { readOnly: true });
    expect(await keysOf(store)).toEqual([]);
    await store.close();
    expect(await namesIn(directory)).toEqual([]);
  });

  const WRITES: readonly [string, (session: Session) => Promise<unknown>][] = [
    ["append", async (session) => await session.append(user("x"))],
    ["note", async (session) => await session.note("x", 1)],
    ["setSummary", async (session) => await session.setSummary("x")],
    ["setTitle", async (session) => await session.setTitle("x")],
    ["setTags", async (session) => await session.setTags([])],
    ["truncate", async (session) => await session.truncate({ keepLast: 0 })],
    ["rewind", async (session) => await session.rewind({ to: 0 })],
    ["compact", async (session) => await session.compact({ summary: "x", keepFrom: 1 })],
    ["replace", async (session) => await session.replace([])],
  ];
  test.each(WRITES)("%s is refused with STORE_READ_ONLY", async (_, write) => {
    const store = await openStore(directory, { readOnly: true });
    await expect(write(store.session("a"))).rejects.toMatchObject({
      code: "STORE_READ_ONLY",
      detail: { directory },
    });
    await store.close();
    expect(await namesIn(parent)).toEqual([]);
  });
});

describe("readOnly, after a writer has died with records that had not landed", () => {
  async function dieWithUnapplied(): Promise<void> {
    const applied = await openStore(directory);
    await applied.session("a").append(user("landed"));
    await applied.close();
    const writer = new ChildProcess("hold-store", directory, "no-landing");
    await writer.printed(1);
    for (const line of ["append a one", "append new two", "append a three"]) await writer.ask(line);

    // While it lives they are not to be seen: they have not landed.
    const beside = await openStore(directory, { readOnly: true });
    expect(await contentsOf(beside.session("a"))).toEqual(["landed"]);
    await beside.close();
    await writer.kill();
  }

  test("they are there, and not a byte in the directory has changed", async () => {
    await dieWithUnapplied();
    const before = { names: await namesIn(directory), bytes: await bytesIn(directory) };
    expect(before.names.some((name) => name.endsWith(".journal"))).toBe(true);
    const { store, damage } = await openCollecting(directory, { readOnly: true });
    expect(await contentsOf(store.session("a"))).toEqual(["landed", "one", "three"]);
    expect(await contentsOf(store.session("new"))).toEqual(["two"]);
    expect((await store.session("a").messages({ last: 1 }))[0]).toEqual(user("three"));
    expect(await store.session("a").state()).toMatchObject({ seq: 3, count: 3 });
    const counts: number[] = [];
    for await (const { count } of store.list({ order: "key" })) counts.push(count);
    expect(counts).toEqual([3, 1]);
    expect(await store.search("three")).toMatchObject([{ key: "a", seq: 3 }]);
    await store.close();
    expect(damage).toEqual([]);
    expect({ names: await namesIn(directory), bytes: await bytesIn(directory) }).toEqual(before);
  });

  test("a reader that was open before, while and after the next writer recovers never misses one", async () => {
    await dieWithUnapplied();
    const reader = await openStore(directory, { readOnly: true });
    const expected = ["landed", "one", "three"];
    expect(await contentsOf(reader.session("a"))).toEqual(expected);
    const progress = { isDone: false };
    const recovering = openStore(directory).then(async (writer) => {
      await writer.close();
      progress.isDone = true;
    });
    while (!progress.isDone) expect(await contentsOf(reader.session("a"))).toEqual(expected);
    await recovering;
    expect(await contentsOf(reader.session("a"))).toEqual(expected);
    await reader.close();
  });

  /** What a crash in the middle of a recovery may leave: the origin's records are put there again, and not yet synced. */
  test("bytes that a fork shares with its origin, spoiled by a second crash, are read from the journal", async () => {
    const writer = new ChildProcess("hold-store", directory);
    await writer.printed(1);
    await writer.ask("append a one");
    await writer.ask("append a two");
    await writer.ask("fork a b");
    await writer.kill();
    const shared = join(directory, "a.jsonl");
    const bytes = await readFile(shared);
    const first = bytes.indexOf("\n") + 1;
    const spoiled = Buffer.from(bytes).fill(0, first, bytes.indexOf("\n", first));
    // In place: another file would not be the one that is shared.
    await writeFile(shared, spoiled, { flag: "r+" });
    const { store, damage } = await openCollecting(directory, { readOnly: true });
    expect(await contentsOf(store.session("b"))).toEqual(["one", "two"]);
    expect((await store.verify()).damage).toEqual([]);
    expect(damage).toEqual([]);
    await store.close();
  });

  test("but not where the journal has nothing to lay over: then it is damage", async () => {
    const writer = await openStore(directory);
    await writer.session("a").append(user("one"));
    await writer.session("a").fork("b");
    await writer.close();
    const shared = join(directory, "a.jsonl");
    const bytes = await readFile(shared);
    const first = bytes.indexOf("\n") + 1;
    await writeFile(shared, Buffer.from(bytes).fill(0, first, first + 40), { flag: "r+" });
    const { store } = await openCollecting(directory, { readOnly: true });
    expect((await store.verify({ keys: ["b"] })).damage).not.toEqual([]);
    await store.close();
  });
});
