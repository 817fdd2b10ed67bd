/** Dropping takes records out of the view that are no longer there; the count is that of the messages that can be read. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../../src/index.ts";
import { contentsOf, user } from "../../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../../support/temporary-directory.ts";

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

test("everything can be dropped, and the count is then that of nothing", async () => {
  const store = await openStore(directory);
  const session = store.session("a");
  for (let number = 1; number <= 5; number++) await session.append(user(`message ${number}`));
  const { dropped } = await store.reclaim({ drop: { before: 1000 } });
  expect(dropped).toMatchObject([{ key: "a", first: 1, last: 5 }]);
  expect(await contentsOf(session)).toEqual([]);
  expect((await session.state())?.count).toBe(0);
  expect((await store.reclaim({ drop: { before: 6 } })).dropped).toBeUndefined();
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
