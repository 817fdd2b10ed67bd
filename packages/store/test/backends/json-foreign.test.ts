/** Whole-file JSON beside `.json` files of other programs: those are no sessions, and are never written over. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonBackend } from "../../src/backends/json/json-backend.ts";
import { SessionManager } from "../../src/backends/json/session-manager.ts";
import { openStore } from "../../src/open-store.ts";
import type { Damage } from "../../src/format/session-record.ts";
import type { Store } from "../../src/contract/types.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
const damage: Damage[] = [];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  damage.length = 0;
});
afterEach(async () => {
  await removeDirectory(directory);
});

const onDamage = (found: Damage): unknown => damage.push(found);
const open = async (ownFilesOnly = false): Promise<Store> =>
  await openStore(jsonBackend(directory, { ownFilesOnly }), { onDamage });

async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys;
}

const MESSAGES = [{ role: "user", content: "Summarize: {{text}}" }];
const TIMES = { created: "2026-01-02T03:04:05Z", updated: "2026-01-02T03:04:06Z" };
const PROMPTS: readonly (readonly [string, object])[] = [
  ["a request to a model", { model: "m", messages: MESSAGES }],
  ["a file with a key of its own", { key: "prompts", messages: MESSAGES }],
  ["one with a time only", { key: "prompts", messages: MESSAGES, created: TIMES.created }],
];

test.each(PROMPTS)("%s is no session: its key is refused, and the file stays", async (_what, content) => {
  const file = join(directory, "prompts.json");
  const text = JSON.stringify(content);
  await writeFile(file, text);
  const refusal = {
    code: "SESSION_EXISTS",
    message: expect.stringContaining(file) as string,
    detail: { file },
  };

  const store = await open();
  expect(await keysOf(store)).toEqual([]);
  expect(await store.session("prompts").messages()).toEqual([]);
  await expect(store.session("prompts").append(user("mine"))).rejects.toMatchObject(refusal);
  expect(await store.session("prompts").messages()).toEqual([]);
  await store.session("other").append(user("goes on"));
  expect((await store.verify()).damage).toEqual([]);
  await store.close();

  const manager = new SessionManager(directory, { onDamage });
  await manager.addMessage("prompts", "user", "mine");
  await expect(manager.save("prompts")).rejects.toMatchObject(refusal);
  await manager.close();

  expect(await readFile(file, "utf8")).toBe(text);
  expect((await readdir(directory)).sort()).toEqual(["other.json", "prompts.json"]);
  expect(damage).toEqual([]);
});

test("a session of PicoClaw goes on, unless only files of Longhand may be used", async () => {
  const file = join(directory, "a.json");
  const text = JSON.stringify({ key: "a", messages: MESSAGES, ...TIMES });
  await writeFile(file, text);
  const careful = await open(true);
  expect(await keysOf(careful)).toEqual([]);
  await expect(careful.session("a").append(user("mine"))).rejects.toMatchObject({
    code: "SESSION_EXISTS",
    detail: { file },
  });
  await careful.session("b").append(user("one"));
  await careful.close();
  expect(await readFile(file, "utf8")).toBe(text);
  // What it has written itself goes on.
  const again = await open(true);
  await again.session("b").append(user("two"));
  expect(await contentsOf(again.session("b"))).toEqual(["one", "two"]);
  await again.close();
  // Control: the backend that was asked for exactly that writes it.
  const store = await open();
  await store.session("a").append(user("mine"));
  await store.close();
  expect(await readFile(file, "utf8")).not.toBe(text);
});
