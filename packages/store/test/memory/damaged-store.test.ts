/** Damage in the store of a memory: what cannot be read there is not wiped off the pages, nor out of the log. */

import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryBackend, openStore, type Damage } from "../../src/index.ts";
import { openMemory } from "../../src/memory.ts";
import type { Memory, MemoryEntry } from "../../src/memory/types.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { filesWith, refusedWith } from "./support/memory-in.ts";

const ann = { user: "ann" } as const;
const bob = { user: "bob" } as const;

let directory: string;
let memory: Memory;
let damage: Damage[];
let entries: MemoryEntry[];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  damage = [];
  entries = [];
  await open();
  for (const text of ["has a boat", "likes tea", "sings"])
    entries.push(await memory.remember({ text, scope: ann }));
  entries.push(await memory.remember({ text: "plays chess", scope: bob }));
});
afterEach(async () => {
  await memory.close();
  await removeDirectory(directory);
});

async function open(): Promise<void> {
  memory = await openMemory({
    directory,
    sessions: await openStore(memoryBackend()),
    onDamage: (found) => damage.push(found),
  });
}

async function page(): Promise<string> {
  return await readFile(join(directory, "MEMORY.md"), "utf8");
}

async function fileWith(words: string): Promise<string> {
  const [file = "", ...others] = (await filesWith(join(directory, "store"), words)).filter((path) =>
    path.endsWith(".jsonl"),
  );
  expect(others).toEqual([]);
  return file;
}

/** Another byte in the middle of the words. */
async function flip(words: string): Promise<string> {
  const file = await fileWith(words);
  const bytes = await readFile(file);
  const offset = bytes.indexOf(words) + 1;
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
  await writeFile(file, bytes);
  return file;
}

async function sessionFiles(): Promise<Record<string, string>> {
  const store = join(directory, "store");
  const names = (await readdir(store)).filter((name) => name.endsWith(".jsonl"));
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(store, name), "latin1")] as const),
    ),
  );
}

test("an entry that cannot be read stays on the page; edits by hand are still taken in", async () => {
  await memory.close();
  const before = await page();
  const file = await flip("likes tea");
  await open();
  expect((await memory.entries({ scope: ann })).map(({ text }) => text)).toEqual(["has a boat", "sings"]);
  expect(damage.map((found) => found.file)).toEqual([file]);
  await memory.refresh();
  await memory.close();
  expect(await page()).toBe(before);

  await open();
  const edited = before.replace("plays chess", "plays go");
  await writeFile(join(directory, "MEMORY.md"), edited);
  expect((await memory.refresh()).map(({ text }) => text)).toContain("plays go");
  expect(await memory.refresh()).toEqual([]);
  expect(await page()).toBe(edited);
});

test("nothing is forgotten while that would lose what cannot be read", async () => {
  await memory.close();
  const file = await flip("likes tea");
  await open();
  const before = await sessionFiles();
  for (const entry of [entries[0], entries[3]]) {
    const error = await refusedWith(memory.forget(entry?.id ?? ""), "SESSION_DAMAGED");
    expect(error.message).toContain(file);
    expect(error.message).toContain(`longhand repair --sessions ${join(directory, "store")}`);
  }
  expect(await sessionFiles()).toEqual(before);
  expect((await memory.entry(entries[0]?.id ?? ""))?.status).toBe("current");
});

test("not even where the damage is first met while the log is copied", async () => {
  await memory.refresh();
  await memory.close();
  await open();
  const file = await flip("likes tea");
  const before = await sessionFiles();
  const error = await refusedWith(memory.forget(entries[0]?.id ?? ""), "SESSION_DAMAGED");
  expect(error.detail["file"]).toBe(file);
  expect(await sessionFiles()).toEqual(before);
});

test("after a repair it goes on, and what is still on the page is remembered again", async () => {
  await memory.close();
  await flip("likes tea");
  await open();
  await memory.close();
  const store = await openStore(join(directory, "store"), { onDamage: () => undefined });
  expect((await store.repair()).lost?.length).toBe(1);
  await store.close();
  await open();
  await memory.forget(entries[0]?.id ?? "");
  expect(await page()).not.toContain("has a boat");
  expect(await filesWith(directory, "has a boat")).toEqual([]);
  const left = await memory.entries({ scope: ann });
  expect(left.map(({ text, source }) => [text, source.by])).toEqual([
    ["sings", "request"],
    ["likes tea", "hand"],
  ]);
  expect(await page()).toContain("- likes tea <!-- ");
  expect(await memory.refresh()).toEqual([]);
});

test("a file put back from a backup is read again, and the page is as it was", async () => {
  await memory.close();
  const before = await page();
  const file = await fileWith("likes tea");
  const backup = join(directory, "backup");
  await copyFile(file, backup);
  await flip("likes tea");
  await open();
  expect((await memory.entries({ scope: ann })).length).toBe(2);
  await copyFile(backup, file);
  await memory.refresh();
  expect((await memory.entries({ scope: ann })).length).toBe(3);
  expect(await page()).toBe(before);
});

test("a scope whose whole log cannot be read keeps its section", async () => {
  await memory.close();
  const before = await page();
  const file = await fileWith("likes tea");
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(5) ^ 1, 5);
  await writeFile(file, bytes);
  expect((await refusedWith(open(), "SESSION_DAMAGED")).detail["file"]).toBe(file);
  expect(await page()).toBe(before);
});
