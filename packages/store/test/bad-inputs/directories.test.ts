/**
 * Directories that have broken other stores, D1 to D12, on the real file system. Those that need root or a mount:
 * directories.system.test.ts; very many sessions: very-many-sessions.sized.test.ts.
 */

import * as fs from "node:fs/promises";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { keysOf, rejectsWith } from "../../src/testing/case-language.ts";
import { areOneStore } from "../support/are-one-store.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { refusalOf, rejectsTyped } from "../support/rejects-typed.ts";
import { bytesIn, namesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await fs.realpath(await makeTemporaryDirectory());
  directory = join(parent, "s");
});

afterEach(async () => {
  await removeDirectory(parent);
}, 120_000);

async function makeStore(...contents: readonly string[]): Promise<void> {
  const store = await openStore(directory);
  for (const content of contents) await store.session("a").append(user(content));
  await store.close();
}

async function isThere(path: string): Promise<boolean> {
  return await fs.lstat(path).then(
    () => true,
    () => false,
  );
}

/** Of a store whose directory is gone: it may say that something could not be put away, in our own words. */
async function closeLost(store: Store): Promise<void> {
  await refusalOf(store.close());
}

describe("rights", () => {
  test("D1 a missing directory is made private, and its name is durable", async () => {
    const deep = join(parent, "x", "y", "s");
    const calls: string[] = [];
    const host = observedHost(nodeHost, ({ operation, path }) => {
      calls.push(`${operation} ${relative(parent, path)}`);
    });
    const store = await openStore(jsonlBackend(deep, { host }));
    await store.session("a").append(user("one"));
    await store.close();
    for (const [name, above] of [
      ["x", ""],
      ["x/y", "x"],
      ["x/y/s", "x/y"],
      ["x/y/s/.longhand", "x/y/s"],
    ] as const) {
      expect(((await fs.stat(join(parent, name))).mode & 0o7777).toString(8)).toBe("700");
      const made = calls.indexOf(`makeDirectory ${name}`);
      expect(made).toBeGreaterThanOrEqual(0);
      expect(calls.indexOf(`syncDirectory ${above}`, made)).toBeGreaterThan(made);
    }
  });

  test("D6 a directory that anyone may write to, without the sticky bit, is refused", async () => {
    await fs.mkdir(directory);
    await fs.chmod(directory, 0o777);
    const error = await rejectsWith("DIRECTORY_UNSAFE", openStore(directory));
    expect(error.message).toContain(directory);
    expect(await fs.readdir(directory)).toEqual([]);
    await fs.chmod(directory, 0o700);
    await makeStore("fine");
  });
});

describe("links and mounts", () => {
  test("D4 a link to the directory is resolved once: where it points later does not matter", async () => {
    await makeStore("one");
    const elsewhere = join(parent, "elsewhere");
    await fs.mkdir(elsewhere, { mode: 0o700 });
    const link = join(parent, "link");
    await fs.symlink(directory, link);
    const store = await openStore(link);
    expect(store.directory).toBe(directory);
    await store.session("a").append(user("two"));
    await fs.unlink(link);
    await fs.symlink(elsewhere, link);
    await store.session("a").append(user("three"));
    await store.session("b").append(user("new"));
    expect(await keysOf(store)).toEqual(["a", "b"]);
    await store.close();
    expect(await fs.readdir(elsewhere)).toEqual([]);
    const again = await openStore(directory, { readOnly: true });
    expect(await contentsOf(again.session("a"))).toEqual(["one", "two", "three"]);
    await again.close();
  });

  test("D5 a parent that is swapped for a link later is noticed, and nothing is written behind the link", async () => {
    const [home, away, elsewhere] = ["home", "away", "elsewhere"].map((name) => join(parent, name)) as [
      string,
      string,
      string,
    ];
    directory = join(home, "s");
    await makeStore("one");
    await fs.mkdir(join(elsewhere, "s"), { recursive: true, mode: 0o700 });
    const { store } = await openCollecting(directory);
    await store.session("a").append(user("two"));
    await fs.rename(home, away);
    await fs.symlink(elsewhere, home);
    await rejectsTyped(store.session("a").append(user("three")));
    await rejectsTyped(store.session("new").append(user("four")));
    await closeLost(store);
    expect(await namesIn(elsewhere)).toEqual(["s"]);
    await fs.unlink(home);
    await fs.rename(away, home);
    // What was refused is there whole or not at all; what was acknowledged is there.
    const again = await openStore(directory);
    expect((await contentsOf(again.session("a"))).slice(0, 2)).toEqual(["one", "two"]);
    await again.close();
  });

  test("D12 two stores on one directory by different paths have one lock", async () => {
    await makeStore();
    const link = join(parent, "link");
    await fs.symlink(directory, link);
    await areOneStore(directory, await openStore(`${directory}/../s/`), await openStore(link));
  });
});

describe("what else is in it", () => {
  test("D8 strange files are left alone, whatever is done", async () => {
    await makeStore("one");
    const strange = [
      "README",
      ".DS_Store",
      "notes.txt",
      "a.jsonl.bak",
      "a.jsonl~",
      "x.tmp",
      "x.lock",
      "core",
    ];
    for (const name of [...strange, "package.json", ".longhand/cache.txt", ".longhand/journal/README"])
      await fs.writeFile(join(directory, name), `{"this is": "${name}"}`, { mode: 0o600 });
    await fs.mkdir(join(directory, ".git/refs"), { recursive: true });
    await fs.writeFile(join(directory, ".git/HEAD"), "ref: refs/heads/main\n");
    await fs.symlink("nowhere", join(directory, "dangling"));
    await fs.mkdir(join(directory, "lost+found"));
    const before = await bytesIn(directory);
    before.delete(relative(directory, sessionFile(directory, "a")));
    for (const name of [...before.keys()])
      if (/^\.longhand\/(leases|cache)\//.test(name)) before.delete(name);
    const { store, damage, errors } = await openCollecting(directory);
    expect(await keysOf(store)).toEqual(["a"]);
    await store.session("a").append(user("two"));
    await store.session("b").append(user("three"));
    await store.session("b").archive();
    await store.session("c").append(user("four"));
    await store.session("c").delete({ forever: true });
    expect((await store.verify()).damage).toEqual([]);
    await store.repair();
    await store.reclaim();
    await store.purge();
    await store.close();
    expect([...damage, ...errors]).toEqual([]);
    const after = await bytesIn(directory);
    for (const [name, bytes] of before) expect([name, after.get(name)]).toEqual([name, bytes]);
    expect(await fs.readlink(join(directory, "dangling"))).toBe("nowhere");
    expect(await isThere(join(directory, "lost+found"))).toBe(true);
  });

  test("D10 a directory that is deleted under a running store is a typed error, and does not come back", async () => {
    await makeStore("one");
    const { store } = await openCollecting(directory);
    await store.session("a").append(user("two"));
    await fs.rm(directory, { recursive: true });
    const error = await rejectsTyped(store.session("a").append(user("three")));
    expect(error.message).toContain(directory);
    await rejectsTyped(store.session("new").append(user("four")));
    await rejectsTyped(store.session("new").append([user("five"), user("six")]));
    await closeLost(store);
    expect(await isThere(directory)).toBe(false);
  });
});
