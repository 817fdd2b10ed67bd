/** Dropping takes records out of the view that are no longer there; the count is that of the messages that can be read. */

import { readdir } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

test("count and view agree after live messages were dropped, and after a restart", async () => {
  const store = await openStore(jsonlBackend(directory, { segmentBytes: 600 }));
  const session = store.session("a");
  for (let number = 1; number <= 20; number++) await session.append(user(`message ${number}`));
  expect((await session.state())?.count).toBe(20);
  await store.reclaim({ drop: { before: 12 } });
  const left = await contentsOf(session);
  expect(left.length).toBeLessThan(20);
  expect(left.at(-1)).toBe("message 20");
  expect((await session.state())?.count).toBe(left.length);
  await expect(session.messages({ from: 1 })).rejects.toMatchObject({ code: "RECORD_DROPPED" });
  await store.close();
  const again = await openStore(directory);
  expect(await contentsOf(again.session("a"))).toEqual(left);
  expect((await again.session("a").state())?.count).toBe(left.length);
  expect((await again.verify()).damage).toEqual([]);
  await again.close();
});

test("a file that was never sealed is not dropped, whatever the bound, however often", async () => {
  const store = await openStore(directory);
  const session = store.session("a");
  for (let number = 1; number <= 5; number++) await session.append(user(`message ${number}`));
  const before = await contentsOf(session);
  for (const bound of [1000, new Date(8.64e15), 1000]) {
    expect((await store.reclaim({ drop: { before: bound }, dryRun: true })).dropped).toBeUndefined();
    expect((await store.reclaim({ drop: { before: bound } })).dropped).toBeUndefined();
  }
  expect(await contentsOf(session)).toEqual(before);
  expect((await session.state())?.seq).toBe(5);
  await store.close();
});

test("the same drop again takes nothing more, not the messages beside it and not its own record", async () => {
  const store = await openStore(jsonlBackend(directory, { segmentBytes: 3000 }));
  const session = store.session("a");
  for (let number = 1; number <= 60; number++) await session.append(user(`message ${number}`));
  const { dropped } = await store.reclaim({ drop: { before: 1_000_000 } });
  expect(dropped?.[0]?.first).toBe(1);
  const left = await contentsOf(session);
  expect(left.at(-1)).toBe("message 60");
  const records: unknown[] = [];
  for await (const record of session.records()) records.push(record);
  expect(records.at(-1)).toMatchObject({ op: "truncate", keepFrom: (dropped?.[0]?.last ?? 0) + 1 });
  for (let round = 0; round < 3; round++) {
    expect((await store.reclaim({ drop: { before: 1_000_000 }, dryRun: true })).dropped).toBeUndefined();
    expect((await store.reclaim({ drop: { before: 1_000_000 } })).dropped).toBeUndefined();
  }
  const again: unknown[] = [];
  for await (const record of session.records()) again.push(record);
  expect(again).toEqual(records);
  expect(await contentsOf(session)).toEqual(left);
  // What a drop has sealed early can go when a later file was sealed because it was long.
  for (let number = 61; number <= 120; number++) await session.append(user(`message ${number}`));
  expect((await store.reclaim({ drop: { before: 62 } })).dropped).toMatchObject([
    { first: 61 - left.length },
  ]);
  expect((await store.verify()).damage).toEqual([]);
  await store.close();
});

test("seal: small sessions are compressed and every record stays; a second time there is nothing to do", async () => {
  const store = await openStore(directory);
  const session = store.session("a");
  for (let number = 1; number <= 200; number++)
    await session.append(user(`the same words, number ${number}`));
  const before = await contentsOf(session);
  const estimate = await store.reclaim({ seal: true, dryRun: true });
  expect(await readdir(directory)).not.toContain("segments");
  const { bytesBefore, bytesAfter } = await store.reclaim({ seal: true });
  expect(bytesAfter).toBeLessThan(bytesBefore / 2);
  // The new active file, with its header and checkpoint, is not in the estimate.
  expect(Math.abs(estimate.bytesAfter - bytesAfter)).toBeLessThan(2_000);
  expect(await contentsOf(session)).toEqual(before);
  const files = await readdir(`${directory}/segments`, { recursive: true });
  expect(files.filter((name) => name.includes(".jsonl"))).toHaveLength(1);
  const second = await store.reclaim({ seal: true });
  expect(second.bytesAfter).toBe(second.bytesBefore);
  expect(await readdir(`${directory}/segments`, { recursive: true })).toEqual(files);
  await session.append(user("more"));
  expect(await contentsOf(session)).toEqual([...before, "more"]);
  expect((await store.verify()).damage).toEqual([]);
  await store.close();
});

test("everything can be dropped if sealing is asked for, and the count is then that of nothing", async () => {
  const store = await openStore(directory);
  const session = store.session("a");
  for (let number = 1; number <= 5; number++) await session.append(user(`message ${number}`));
  const estimate = await store.reclaim({ seal: true, drop: { before: 1000 }, dryRun: true });
  const { dropped } = await store.reclaim({ seal: true, drop: { before: 1000 } });
  expect(dropped).toMatchObject([{ key: "a", first: 1, last: 5 }]);
  expect(estimate.dropped).toEqual(dropped);
  expect(await contentsOf(session)).toEqual([]);
  expect((await session.state())?.count).toBe(0);
  // Never the record that says so.
  for (let round = 0; round < 3; round++)
    expect((await store.reclaim({ seal: true, drop: { before: 1000 } })).dropped).toBeUndefined();
  const records: unknown[] = [];
  for await (const record of session.records()) records.push(record);
  expect(records).toMatchObject([{ seq: 6, op: "truncate", keepFrom: 6 }]);
  await session.append(user("message 6"));
  expect(await contentsOf(session)).toEqual(["message 6"]);
  await store.close();
  const again = await openStore(directory, { readOnly: true });
  expect(await contentsOf(again.session("a"))).toEqual(["message 6"]);
  expect((await again.verify()).damage).toEqual([]);
  await again.close();
});

test("a rewind to a record that is kept shows and counts what is still there", async () => {
  const store = await openStore(jsonlBackend(directory, { segmentBytes: 600 }));
  const session = store.session("a");
  for (let number = 1; number <= 20; number++) await session.append(user(`message ${number}`));
  await store.reclaim({ drop: { before: 12 } });
  await session.rewind({ to: 18 });
  const left = await contentsOf(session);
  expect(left.at(-1)).toBe("message 18");
  expect((await session.state())?.count).toBe(left.length);
  await store.close();
});

test("a fork at a record before the drop counts what it shows, after a restart too", async () => {
  const store = await openStore(jsonlBackend(directory, { segmentBytes: 600 }));
  const session = store.session("a");
  for (let number = 1; number <= 20; number++) await session.append(user(`message ${number}`));
  await store.reclaim({ drop: { before: 12 } });
  const child = await session.fork("b", { at: 18 });
  const left = await contentsOf(child);
  expect(left.at(-1)).toBe("message 18");
  expect((await child.state())?.count).toBe(left.length);
  await store.close();
  const again = await openStore(directory);
  expect(await contentsOf(again.session("b"))).toEqual(left);
  expect((await again.session("b").state())?.count).toBe(left.length);
  expect((await again.verify()).damage).toEqual([]);
  await again.close();
});

test("control: a fork of a session from which nothing was dropped counts everything", async () => {
  const store = await openStore(jsonlBackend(directory, { segmentBytes: 600 }));
  const session = store.session("a");
  for (let number = 1; number <= 20; number++) await session.append(user(`message ${number}`));
  expect((await (await session.fork("b", { at: 18 })).state())?.count).toBe(18);
  await store.close();
});
