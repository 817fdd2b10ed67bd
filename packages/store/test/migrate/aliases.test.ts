/** A session that older programs reached by several keys is reached by all of them after it was migrated. */

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEY = "sk_v1_demo";
const ALIAS = "agent:main:telegram:direct:1";
let directory: string;

beforeEach(async () => {
  directory = `${await makeTemporaryDirectory()}/sessions`;
  await mkdir(directory, { mode: 0o700 });
  await writeFile(`${directory}/${KEY}.jsonl`, `${JSON.stringify({ role: "user", content: "one" })}\n`);
  const meta = { key: KEY, summary: "", skip: 0, count: 1, aliases: [ALIAS, "other:name", "", KEY, 7] };
  await writeFile(`${directory}/${KEY}.meta.json`, JSON.stringify(meta));
});

afterEach(async () => {
  await removeDirectory(directory);
});

test("reads and writes by an alias go to the session, also after a restart and for readers", async () => {
  const store = await openStore(directory);
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

test("a key that has a session of its own means itself; a damaged alias is told, and means nothing", async () => {
  const store = await openStore(directory);
  await store.session(KEY).fork(ALIAS);
  await store.session(ALIAS).append(user("my own"));
  expect(await contentsOf(store.session(KEY))).toEqual(["one"]);
  expect(await contentsOf(store.session(ALIAS))).toEqual(["one", "my own"]);
  for (const name of await readdir(`${directory}/aliases`)) {
    await writeFile(`${directory}/aliases/${name}`, '{"alias":"other:name","key":"wrong"}');
  }
  await expect(store.session("other:name").exists()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  await store.close();
});
