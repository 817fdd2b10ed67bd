/** Seed fault 28: something else by the name of a session file. */

import { execFileSync } from "node:child_process";
import { lstat, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { damagedCopies, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

/** The seed's reader went round for ever; one that waits would end here. */
const NO_HANG = 300_000;
let parent: string;
let directory: string;
let cleanUp: () => void;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
  cleanUp = () => undefined;
  const store = await openStore(directory);
  await store.session("good").append(user("hello"));
  await store.session("other").append(user("outside"));
  await store.close();
});

afterEach(async () => {
  cleanUp();
  await killChildren();
  await removeDirectory(parent);
});

const FOREIGN: readonly [string, (path: string) => Promise<unknown>][] = [
  ["a directory", async (path) => await mkdir(path)],
  ["a FIFO that nobody writes to", (path) => Promise.resolve(execFileSync("mkfifo", [path]))],
  ["a link to another session", async (path) => await symlink(sessionFile(directory, "other"), path)],
  [
    "a link to a file outside",
    async (path) => {
      await writeFile(join(parent, "outside.jsonl"), "not yours\n");
      await symlink(join(parent, "outside.jsonl"), path);
    },
  ],
  ["a link to nothing", async (path) => await symlink(join(parent, "nothing"), path)],
  ["a link to itself", async (path) => await symlink(path, path)],
  [
    "a socket",
    async (path) => {
      const server = createServer();
      cleanUp = () => server.close();
      await new Promise<void>((resolve) => server.listen(path, resolve));
    },
  ],
];

describe("seed fault 28: load() on a path that errors on read loops for ever", { timeout: NO_HANG }, () => {
  test.each(FOREIGN)("%s: a typed error, and nobody else is affected", async (_, place) => {
    const path = sessionFile(directory, "bad");
    await place(path);
    const before = await lstat(path);
    for (const readOnly of [false, true]) {
      const { store, damage } = await openCollecting(directory, { readOnly });
      const session = store.session("bad");
      const refusal = { name: "LonghandError", code: "IO_FAILED", detail: { file: path } };
      await expect(session.messages()).rejects.toMatchObject(refusal);
      await expect(session.state()).rejects.toMatchObject(refusal);
      if (!readOnly) {
        await expect(session.append(user("x"))).rejects.toMatchObject(refusal);
        await expect(session.replace([user("x")])).rejects.toMatchObject(refusal);
        await store.session("good").append(user("again"));
      }
      expect((await contentsOf(store.session("good"))).slice(0, 2)).toEqual(["hello", "again"]);
      const listed: string[] = [];
      for await (const { key } of store.list({ order: "key" })) listed.push(key);
      expect(listed).toEqual(["good", "other"]);
      expect(await store.search("hello")).toMatchObject([{ key: "good", seq: 1 }]);
      expect(damage).toMatchObject([{ file: path, kind: "corrupt" }]);
      await store.close();
    }
    const after = await lstat(path);
    expect([after.ino, after.mode]).toEqual([before.ino, before.mode]);
    expect(await readFile(sessionFile(directory, "other"), "utf8")).toMatch(/^.*\n.*"outside".*\n$/);
  });

  test("in the way of recovery: what a dead writer left for other sessions is landed, the rest is set aside", async () => {
    const writer = new ChildProcess("hold-store", directory, "no-landing");
    await writer.printed(1);
    await writer.ask("append bad secret");
    await writer.ask("append good again");
    await writer.kill();
    await rm(sessionFile(directory, "bad"));
    await mkdir(sessionFile(directory, "bad"));
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session("good"))).toEqual(["hello", "again"]);
    await store.close();
    expect(damage).toMatchObject([
      { kind: "corrupt", reason: expect.stringContaining("bad.jsonl") as string },
    ]);
    const [copy] = (await damagedCopies(directory)).values();
    expect(copy).toContain("secret");
  });
});
