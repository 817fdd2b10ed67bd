/** What upkeep tells while it runs and afterwards: how far it is, what went, what a repair would leave alone. */

import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isLonghandError, jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => void (directory = await makeTemporaryDirectory()));
afterEach(async () => removeDirectory(directory));

/** `a` has several segments; their records are numbered from 1 on. */
async function fill(records: number): Promise<Store> {
  const store = await openStore(jsonlBackend(directory, { segmentBytes: 2000 }));
  for (let number = 1; number <= records; number++)
    await store.session("a").append(user(`${number} ${"x".repeat(400)}`));
  await store.session("b").append(user("x"));
  // Records get into the files after their answer: another store may not see them at once.
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
  return store;
}

async function everySeq(store: Store, key: string): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of store.session(key).records()) seqs.push(seq);
  return seqs;
}

describe("progress", () => {
  test("of searching is told within a session too, and never goes back", async () => {
    const store = await fill(9);
    const told: [number, number][] = [];
    await store.search("x", { onProgress: (done, total) => told.push([done, total]) });
    expect(told.at(-1)).toEqual([2, 2]);
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b));
    expect(told.filter(([done]) => !Number.isInteger(done)).length).toBeGreaterThan(5);
    await store.close();
  });

  test("of listing is told session by session, with one that cannot be read too", async () => {
    await (await fill(1)).close();
    await writeFile(join(directory, "broken.jsonl"), "no\n");
    const { store } = await openCollecting(directory, { readOnly: true });
    const told: [number, number][] = [];
    const keys: string[] = [];
    const onProgress = (done: number, total: number): number => told.push([done, total]);
    for await (const { key } of store.list({ order: "key", onProgress })) keys.push(key);
    expect(keys).toEqual(["a", "b"]);
    expect(told).toEqual([
      [1, 3],
      [2, 3],
    ]);
    await store.close();
  });

  test.each([true, false])("of reclaiming one session moves, dry run: %s", async (dryRun) => {
    const store = await fill(15);
    const told: number[] = [];
    await store.reclaim({ keys: ["a"], dryRun, onProgress: (done, total) => told.push(done / total) });
    expect(told.at(-1)).toBe(1);
    expect(new Set(told).size).toBeGreaterThan(3);
    await store.close();
  });
});

describe("dropping", () => {
  test("names session, records and bytes, the same before as after, and that is what is gone", async () => {
    const store = await fill(12);
    const before = await everySeq(store, "a");
    const drop = { before: 9 };
    const planned = await store.reclaim({ keys: ["a"], drop, dryRun: true });
    expect(await everySeq(store, "a")).toEqual(before);
    const done = await store.reclaim({ keys: ["a"], drop });
    expect(done.dropped).toEqual(planned.dropped);
    const [dropped] = done.dropped ?? [];
    const id = (await store.session("a").state())?.id;
    expect(dropped).toMatchObject({ key: "a", id, first: 1 });
    expect(dropped?.last).toBeLessThan(9);
    expect(dropped?.bytes).toBeGreaterThan(400 * (dropped?.last ?? 0));
    expect((await everySeq(store, "a"))[0]).toBe((dropped?.last ?? 0) + 1);
    // Once more there is nothing to drop, and nothing is said to be.
    expect(await store.reclaim({ keys: ["a"], drop })).not.toHaveProperty("dropped");
    expect(await store.reclaim({ keys: ["b"] })).not.toHaveProperty("dropped");
    await store.close();
  });
});

describe("a torn tail", () => {
  const path = (): string => join(directory, "b.jsonl");

  test("that nobody may be writing is told by readers, who leave it where it is", async () => {
    await (await fill(1)).close();
    const whole = await readFile(path());
    await appendFile(path(), '{"seq":2,"at":"20');
    const torn = await readFile(path());
    const { store, damage } = await openCollecting(directory, { readOnly: true });
    expect(await store.session("b").state()).toMatchObject({ seq: 1, damaged: 1 });
    expect(damage).toMatchObject([{ file: path(), offset: whole.length, bytes: 17, kind: "torn", key: "b" }]);
    expect(await store.session("a").state()).toMatchObject({ damaged: 0 });
    expect(await readFile(path())).toEqual(torn);
    await store.close();
  });

  test("control: of a session that somebody holds it is not told, since it may be growing", async () => {
    const writer = await fill(1);
    const lock = await writer.session("b").lock();
    await appendFile(path(), '{"seq":2,"at":"20');
    const { store, damage } = await openCollecting(directory, { readOnly: true });
    expect(await store.session("b").state()).toMatchObject({ seq: 1, damaged: 0 });
    expect(damage).toEqual([]);
    await store.close();
    await lock[Symbol.asyncDispose]();
    await writer.close();
  });
});

describe("what a repair leaves alone", () => {
  test("is said by verify before, and by repair after; what it mends is not", async () => {
    await (await fill(1)).close();
    const broken = join(directory, "broken.jsonl");
    await writeFile(broken, '{"longhand":1,\n', { mode: 0o600 });
    const text = await readFile(join(directory, "a.jsonl"), "utf8");
    await writeFile(join(directory, "a.jsonl"), text.replace('"content":"1', '"content":"2'));
    const { store } = await openCollecting(directory);
    const verified = await store.verify();
    const left = expect.stringContaining("backup") as string;
    expect(verified.damage).toMatchObject([{ key: "a" }, { file: broken, left }]);
    expect(verified.damage[0]).not.toHaveProperty("left");
    const repaired = await store.repair();
    expect(repaired.damage).toMatchObject([{ key: "a" }, { file: broken, left }]);
    expect(repaired.lost).toMatchObject([{ key: "a", first: 1, last: 1 }]);
    expect(repaired.kept).toEqual([expect.stringContaining(join(directory, ".longhand/damaged/a.jsonl."))]);
    expect((await store.verify()).damage).toMatchObject([{ file: broken, left }]);
    await rm(broken);
    // A second repair has nothing to give up: what it would find is told by lines of the first.
    expect(await store.repair()).toEqual({ sessions: 2, records: 1, damage: [] });
    await store.close();
  });
});

test("an append to a key whose file is a directory says so", async () => {
  await (await fill(1)).close();
  await rm(join(directory, "b.jsonl"));
  await mkdir(join(directory, "b.jsonl"));
  const { store } = await openCollecting(directory);
  const failure = await store
    .session("b")
    .append(user("x"))
    .catch((error: unknown) => error);
  expect(isLonghandError(failure, "IO_FAILED") && failure.message).toContain(
    "a directory where a file must be",
  );
  await store.close();
});
