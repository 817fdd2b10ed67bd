/** A session that older programs reached by several keys is reached by all of them after it was migrated. */

import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEY = "sk_v1_demo";
const AT = "2026-01-02T03:04:05Z";
const ALIAS = "agent:main:telegram:direct:1";
let directory: string;

beforeEach(async () => {
  directory = `${await makeTemporaryDirectory()}/sessions`;
  await mkdir(directory, { mode: 0o700 });
  await writeFile(`${directory}/${KEY}.jsonl`, `${JSON.stringify({ role: "user", content: "one" })}\n`);
  const meta = {
    key: KEY,
    summary: "",
    skip: 0,
    count: 1,
    created_at: AT,
    updated_at: AT,
    aliases: [ALIAS, "other:name", "", KEY, 7],
  };
  await writeFile(`${directory}/${KEY}.meta.json`, JSON.stringify(meta));
});

afterEach(async () => {
  await removeDirectory(directory);
});

test("reads and writes by an alias go to the session, also after a restart and for readers", async () => {
  const store = await openStore(directory, { migrate: true });
  expect(await contentsOf(store.session(ALIAS))).toEqual(["one"]);
  await store.session(ALIAS).append(user("two"));
  expect((await store.session("other:name").state())?.key).toBe(KEY);
  await store.close();
  expect(await readdir(`${directory}/aliases`)).toHaveLength(2);
  const reader = await openStore(directory, { readOnly: true });
  expect(await contentsOf(reader.session(ALIAS))).toEqual(["one", "two"]);
  const keys: string[] = [];
  for await (const { key } of reader.list()) keys.push(key);
  expect(keys).toEqual([KEY]);
  await reader.close();
});

test("a damaged alias is told, and means nothing until a person has removed it", async () => {
  const store = await openStore(directory, { migrate: true });
  for (const name of await readdir(`${directory}/aliases`)) {
    await writeFile(`${directory}/aliases/${name}`, '{"alias":"other:name","key":"wrong"}');
  }
  await store.close();
  const again = await openStore(directory, { migrate: true });
  const other = again.session("other:name");
  await expect(other.exists()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  await expect(other.append(user("x"))).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  await rm(`${directory}/aliases`, { recursive: true });
  await other.append(user("my own"));
  expect(await contentsOf(other)).toEqual(["my own"]);
  await again.close();
});

test("a fork to a name of the session itself is refused at once, and the session can be written to afterwards", async () => {
  const store = await openStore(directory, { migrate: true });
  await expect(store.session(KEY).fork(ALIAS)).rejects.toMatchObject({ code: "SESSION_EXISTS" });
  await expect(store.session(ALIAS).fork(KEY)).rejects.toMatchObject({ code: "SESSION_EXISTS" });
  await expect(store.session(ALIAS).fork("other:name")).rejects.toMatchObject({ code: "SESSION_EXISTS" });
  expect(await store.session(KEY).append(user("two"))).toMatchObject({ seq: expect.any(Number) as number });
  await store.close();
});

test("no other session is begun, forked or looked for in its place", async () => {
  const store = await openStore(directory, { migrate: true });
  await store.session("x").append(user("x"));
  await expect(store.session("x").fork(ALIAS)).rejects.toMatchObject({ code: "SESSION_EXISTS" });
  expect((await store.search("one", { keys: [ALIAS] })).map(({ key }) => key)).toEqual([KEY]);
  expect((await store.verify({ keys: [ALIAS] })).sessions).toBe(1);
  await store.session(ALIAS).archive();
  await store.session(ALIAS).append(user("two"));
  expect(await contentsOf(store.session(KEY))).toEqual(["one", "two"]);
  await store.session(ALIAS).delete();
  expect(await store.session(KEY).exists()).toBe(false);
  await store.session(ALIAS).restore();
  expect(await contentsOf(store.session(KEY))).toEqual(["one", "two"]);
  await store.close();
});

test("writes keep the order of the calls, by an alias and by any other key, and closing waits for them", async () => {
  const store = await openStore(directory, { migrate: true });
  const keys = [ALIAS, "other"];
  const expected = Array.from({ length: 60 }, (_, number) => String(number));
  const answers = keys.flatMap((key) =>
    expected.map(async (content) => await store.session(key).append(user(content))),
  );
  await store.close();
  await Promise.all(answers);
  const reader = await openStore(directory, { readOnly: true });
  expect(await contentsOf(reader.session(ALIAS))).toEqual(["one", ...expected]);
  expect(await contentsOf(reader.session("other"))).toEqual(expected);
  await reader.close();
});

describe("a key that has a session of its own when the alias comes", () => {
  const own = async (prepare: (store: Store) => Promise<void>): Promise<Store> => {
    const aside = `${directory}-aside`;
    await rename(directory, aside);
    const before = await openStore(directory, { migrate: true });
    await before.session(ALIAS).append(user("my own"));
    await prepare(before);
    await before.close();
    for (const name of await readdir(aside)) await rename(`${aside}/${name}`, `${directory}/${name}`);
    await rm(aside, { recursive: true });
    const store = await openStore(directory, { migrate: true });
    expect(await contentsOf(store.session(KEY))).toEqual(["one"]);
    return store;
  };

  test("means itself, and goes on to when it was archived", async () => {
    const store = await own(async () => await Promise.resolve());
    await store.session(ALIAS).archive();
    expect(await contentsOf(store.session(ALIAS))).toEqual(["my own"]);
    await store.session(ALIAS).append(user("more"));
    expect(await contentsOf(store.session(ALIAS))).toEqual(["my own", "more"]);
    expect(await contentsOf(store.session(KEY))).toEqual(["one"]);
    await store.close();
  });

  test.each(["archive", "delete"] as const)("means itself after %s", async (put) => {
    const store = await own(async (before) => await before.session(ALIAS)[put]());
    await store.session(ALIAS).restore();
    expect(await contentsOf(store.session(ALIAS))).toEqual(["my own"]);
    await store.close();
  });

  test("deletes nothing but its own, however often and by whom", async () => {
    const store = await own(async () => await Promise.resolve());
    await store.session(ALIAS).delete({ forever: true });
    await store.session(ALIAS).delete({ forever: true });
    await store.close();
    const again = await openStore(directory, { migrate: true });
    await again.session(ALIAS).delete({ forever: true });
    expect(await contentsOf(again.session(KEY))).toEqual(["one"]);
    expect(await again.session(ALIAS).exists()).toBe(false);
    await again.close();
  });
});

test("a process that was open before the migration learns of the alias before it reads or begins a session", async () => {
  const aside = `${directory}-aside`;
  await rename(directory, aside);
  const early = await openStore(directory, { migrate: true });
  const reader = await openStore(directory, { readOnly: true });
  for (const name of await readdir(aside)) await rename(`${aside}/${name}`, `${directory}/${name}`);
  await (await openStore(directory, { migrate: true })).close();
  const answers = ["two", "three"].map(async (content) => await early.session(ALIAS).append(user(content)));
  await Promise.all(answers);
  expect(await contentsOf(early.session(KEY))).toEqual(["one", "two", "three"]);
  expect(await contentsOf(early.session("other:name"))).toEqual(["one", "two", "three"]);
  expect(await contentsOf(reader.session(ALIAS))).toEqual(["one", "two", "three"]);
  await reader.close();
  await early.close();
});
