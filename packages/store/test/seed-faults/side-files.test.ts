/** Seed faults 5 and 16: there is no second file to lose or damage, and nothing is readable by others or left about. */

import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { ProcessKilled, SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let umask: number;

beforeEach(async () => {
  directory = join(await makeTemporaryDirectory(), "sessions");
  umask = process.umask(0o022);
});

afterEach(async () => {
  process.umask(umask);
  await removeDirectory(join(directory, ".."));
});

async function writeConversation(): Promise<unknown> {
  const store = await openStore(directory);
  const session = store.session("telegram:9");
  await session.append([user("one"), user("two"), user("three")]);
  await session.setSummary("they counted");
  await session.truncate({ keepLast: 2 });
  const written = { state: await session.state(), records: await recordsOf(session) };
  await store.close();
  return written;
}

async function readConversation(): Promise<unknown> {
  const { store, damage, errors } = await openCollecting(directory);
  const session = store.session("telegram:9");
  const read = { state: await session.state(), records: await recordsOf(session) };
  expect(await contentsOf(session)).toEqual(["two", "three"]);
  const listed: string[] = [];
  for await (const { key } of store.list()) listed.push(key);
  expect(listed).toEqual(["telegram:9"]);
  expect([damage, errors]).toEqual([[], []]);
  await store.close();
  return read;
}

describe("seed fault 5: an empty or damaged side file empties the history", () => {
  test("a session is one file: beside it there are only directories of the store's own", async () => {
    await writeConversation();
    const files: string[] = [];
    for (const name of await namesIn(directory)) {
      if ((await lstat(join(directory, name))).isFile()) files.push(name);
    }
    expect(files.filter((name) => !name.startsWith(".longhand/cache/"))).toEqual([
      expect.stringMatching(/^\.longhand\/leases\/[0-9a-f]{2}\/telegram_9~\w{16}\.\d+$/) as string,
      expect.stringMatching(/^telegram_9~\w{16}\.jsonl$/) as string,
    ]);
  });

  test("everything of the store's own is deleted after a close: nothing is lost", async () => {
    const written = await writeConversation();
    await rm(join(directory, ".longhand"), { recursive: true });
    expect(await readConversation()).toEqual(written);
  });

  test.each([
    ["emptied", ""],
    ["full of nonsense", "\0\xffnonsense{"],
    ["cut short", '{"held":true,"instance":"01M'],
  ])("every file of the store's own is %s after a close: nothing is lost", async (_, content) => {
    const written = await writeConversation();
    const own = join(directory, ".longhand");
    const files: string[] = [];
    for (const name of await namesIn(own)) if ((await lstat(join(own, name))).isFile()) files.push(name);
    // The leases: an opening that is not asked to migrate writes nothing else.
    expect(files.length).toBeGreaterThanOrEqual(1);
    for (const name of files) await writeFile(join(own, name), content, "latin1");
    expect(await readConversation()).toEqual(written);
  });
});

describe("seed fault 16: modes and leftovers", () => {
  test.each([0o000, 0o022, 0o077])("files are 0600 and directories 0700 under umask %o", async (mask) => {
    process.umask(mask);
    await writeConversation();
    const names = await namesIn(directory);
    expect(names.length).toBeGreaterThan(5);
    for (const name of ["", ...names]) {
      const stats = await lstat(join(directory, name));
      expect([name, (stats.mode & 0o777).toString(8)]).toEqual([name, stats.isDirectory() ? "700" : "600"]);
    }
  });

  test("a crash while a session is created leaves no temporary file once the store was opened again", async () => {
    const machine = new SimulatedMachine(3);
    const host = machine.startProcess();
    const store = await openStore(jsonlBackend("/store", { host }));
    machine.onOperation(({ operation, path }) => {
      if (operation === "sync" && path.startsWith("/store/.longhand/new/")) host.kill();
    });
    await expect(store.session("a").append(user("one"))).rejects.toMatchObject({
      cause: expect.any(ProcessKilled) as ProcessKilled,
    });
    const recovered = machine.capture().afterKill().startProcess();
    const isTemporary = (name: string): boolean => name.startsWith(".new-");
    expect((await recovered.files.readDirectory("/store/.longhand/new")).filter(isTemporary)).toHaveLength(1);
    const again = await openStore(jsonlBackend("/store", { host: recovered }));
    expect((await recovered.files.readDirectory("/store/.longhand/new")).filter(isTemporary)).toEqual([]);
    expect(await again.session("a").exists()).toBe(false);
    expect(await again.session("a").append(user("one"))).toEqual({ seq: 1 });
    await again.close();
  });

  test("what others keep in the directory is left alone", async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const others = ["notes.txt", "old.txt", ".hidden", "x.jsonl.tmp", "README.md"];
    for (const name of others) await writeFile(join(directory, name), "mine");
    await writeConversation();
    await readConversation();
    expect(await readdir(directory)).toEqual(expect.arrayContaining(others));
  });
});
