/** A directory of another program, opened as a store: its files are ignored, reported once, and never changed. */

import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  openStore,
  type Damage,
  type LonghandError,
  type Store,
  type StoreOptions,
} from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { countingHost } from "../support/counting-host.ts";
import { jsonlBackend, JsonlSessions } from "../../src/index.ts";
import { makeGitProject, PROJECT_FILES, snapshotProject } from "../support/git-project.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
const damage: Damage[] = [];
const errors: LonghandError[] = [];
const foreign: (readonly string[])[] = [];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  for (const reports of [damage, errors, foreign]) reports.length = 0;
});
afterEach(async () => {
  await removeDirectory(directory);
});

async function open(options: StoreOptions = {}): Promise<Store> {
  return await openStore(directory, {
    onDamage: (found) => damage.push(found),
    onError: (error) => errors.push(error),
    onForeign: (files) => foreign.push(files),
    ...options,
  });
}

const silent = (): void => expect({ damage, errors }).toEqual({ damage: [], errors: [] });

async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list({ status: "any" })) keys.push(key);
  return keys;
}

describe("a git project", () => {
  beforeEach(async () => {
    await makeGitProject(directory);
  });

  const READING: readonly [string, (store: Store) => Promise<unknown>][] = [
    ["open and close", async () => await Promise.resolve()],
    ["list", async (store) => await keysOf(store)],
    ["search", async (store) => await store.search("hi")],
    ["verify", async (store) => expect((await store.verify()).damage).toEqual([])],
    ["verify by key", async (store) => expect((await store.verify({ keys: ["plain"] })).damage).toEqual([])],
    ["messages", async (store) => expect(await store.session("plain").messages()).toEqual([])],
    ["exists", async (store) => expect(await store.session("plain").exists()).toBe(false)],
    ["purge", async (store) => await store.purge({ dryRun: true })],
    ["reclaim", async (store) => await store.reclaim({ dryRun: true })],
  ];
  const WRITING: typeof READING = [
    ...READING,
    ["append", async (store) => await store.session("notes").append(user("hello"))],
    ["repair", async (store) => expect((await store.repair()).damage).toEqual([])],
    ["reclaim for real", async (store) => await store.reclaim()],
    ["purge for real", async (store) => await store.purge()],
  ];

  test.each(WRITING)("%s changes no file and reports no damage", async (_what, use) => {
    const before = await snapshotProject(directory);
    const store = await open();
    await use(store);
    await store.close();
    expect(await snapshotProject(directory)).toEqual(before);
    silent();
  });

  test.each(READING)("%s for reading only creates nothing", async (_what, use) => {
    const before = await readdir(directory);
    const store = await open({ readOnly: true });
    await use(store);
    await store.close();
    expect(await readdir(directory)).toEqual(before);
    silent();
  });

  test("what looks like another program's sessions is reported once for an opening, by its path", async () => {
    const store = await open();
    await keysOf(store);
    await store.close();
    const names = [
      "dataset.jsonl",
      "few-shot.json",
      "plain.jsonl",
      "prompts.json",
      "stamped.jsonl",
      "state.json",
    ];
    expect(foreign.map((files) => [...files].sort())).toEqual([names.map((name) => join(directory, name))]);
  });

  test("a key whose file name is taken is refused; the file stays, and other keys work", async () => {
    const before = await snapshotProject(directory);
    const store = await open();
    for (const key of ["plain", "empty", "evals"]) {
      await expect(store.session(key).append(user("mine"))).rejects.toMatchObject({
        code: "SESSION_EXISTS",
        message: expect.stringContaining(`${key}.jsonl`) as string,
      });
      await expect(store.session(key).delete({ forever: true })).rejects.toMatchObject({
        code: "SESSION_EXISTS",
      });
    }
    await store.session("notes").append(user("mine"));
    expect(await contentsOf(store.session("notes"))).toEqual(["mine"]);
    await expect(store.session("notes").fork("plain")).rejects.toMatchObject({ code: "SESSION_EXISTS" });
    await store.close();
    expect(await snapshotProject(directory)).toEqual(before);
  });

  test("migrate: true takes nothing of it over, either", async () => {
    const before = await snapshotProject(directory);
    await (await open({ migrate: true })).close();
    expect(await snapshotProject(directory)).toEqual(before);
    expect(damage).toEqual([]);
  });

  test("control: the snapshot notices a changed mode, time and name", async () => {
    const before = await snapshotProject(directory);
    await writeFile(join(directory, "plain.jsonl"), PROJECT_FILES["plain.jsonl"] ?? "");
    expect(await snapshotProject(directory)).not.toEqual(before);
  });
});

describe("a damaged session of ours is still damage", () => {
  test.each([
    ["emptied", ""],
    ["filled with NUL bytes", "\0".repeat(500)],
    ["filled with random bytes", "\x01\xfe7{".repeat(100)],
  ])("%s", async (_what, content) => {
    const store = await open();
    await store.session("notes").append(user("one"));
    await store.close();
    await writeFile(join(directory, "notes.jsonl"), content);
    const again = await open();
    expect(await keysOf(again)).toEqual([]);
    expect(damage.map(({ file }) => file)).toEqual([join(directory, "notes.jsonl")]);
    await expect(again.session("notes").messages()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
    expect((await again.verify()).damage).toHaveLength(1);
    await again.close();
  });

  test("also where the store's own directory is gone, as long as one line of it can be told", async () => {
    const store = await open();
    for (const content of ["one", "two", "three"]) await store.session("notes").append(user(content));
    await store.close();
    await rm(join(directory, ".longhand"), { recursive: true });
    const path = join(directory, "notes.jsonl");
    const { readFile } = await import("node:fs/promises");
    const bytes = await readFile(path);
    bytes.fill(0, 0, 60);
    await writeFile(path, bytes);
    const again = await open();
    await keysOf(again);
    expect(damage).toHaveLength(1);
    await again.close();
  });
});

test("without onForeign, an opening for writing warns once, and names the command", async () => {
  await writeFile(join(directory, "alice.jsonl"), '{"role":"user","content":"hi"}\n');
  const warnings: Error[] = [];
  const listen = (warning: Error): unknown => warnings.push(warning);
  process.on("warning", listen);
  await (await openStore(directory)).close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/alice\.jsonl.*longhand migrate/s),
  ]);
});

test("an opening reads the beginning of each file once, whatever its size", async () => {
  for (let number = 0; number < 300; number++)
    await writeFile(join(directory, `s${number}.jsonl`), '{"role":"user","content":"hi"}\n'.repeat(1000));
  const counting = countingHost();
  const store = await openStore(jsonlBackend(directory, { host: counting.host }), {
    readOnly: true,
    onForeign: (files) => foreign.push(files),
  });
  await store.close();
  expect(foreign.map((files) => files.length)).toEqual([300]);
  expect(counting.counts.reads).toBeLessThan(310);
  expect(counting.counts.bytesRead).toBeLessThanOrEqual(310 * 4096);
});

test("links and directories by such names are no sessions of anybody", async () => {
  await writeFile(join(directory, "real.txt"), '{"role":"user","content":"hi"}\n');
  await symlink(join(directory, "real.txt"), join(directory, "link.jsonl"));
  await mkdir(join(directory, "folder.jsonl"));
  const store = await open();
  expect(await keysOf(store)).toEqual([]);
  expect((await store.repair()).damage).toEqual([]);
  await store.close();
  silent();
  expect(foreign).toEqual([]);
});

test("a file in the place of the store's own directory is named, for reading and for writing", async () => {
  const own = join(directory, ".longhand");
  await writeFile(own, "");
  const refusal = {
    code: "DIRECTORY_UNSAFE",
    message: expect.stringContaining(`${own} is not a directory`) as string,
  };
  await expect(open()).rejects.toMatchObject(refusal);
  const reader = await open({ readOnly: true });
  await expect(reader.session("a").messages()).rejects.toMatchObject(refusal);
  await reader.close();
});

test("JsonlSessions of a directory migrates it, as PicoClaw does; of a store it does not", async () => {
  const at = "2026-01-02T03:04:05Z";
  const document = { key: "t:1", messages: [user("old")], created: at, updated: at };
  await writeFile(join(directory, "t_1.json"), JSON.stringify(document));
  await writeFile(join(directory, "prompts.json"), '{"messages":[]}');
  const over = new JsonlSessions(await open());
  expect(await over.listSessions()).toEqual([]);
  await over.close();
  const sessions = new JsonlSessions(directory, { onError: (error) => errors.push(error) });
  const writes = ["one", "two"].map(async (content) => await sessions.addMessage("t:1", "user", content));
  await Promise.all(writes);
  expect((await sessions.getHistory("t:1")).map(({ content }) => content)).toEqual(["old", "one", "two"]);
  await sessions.close();
  expect(await readdir(directory)).toEqual(expect.arrayContaining(["t_1.json.migrated", "prompts.json"]));
  expect(errors).toEqual([]);
});
