/** Directories that have broken other stores, D1 to D12, on the real file system. */

import * as fs from "node:fs/promises";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type LonghandError, type Store } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { collect, keysOf, rejectsWith } from "../../src/testing/case-language.ts";
import { asNobody, NOBODY } from "../support/as-nobody.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { isRoot, leaveOut } from "../support/leave-out.ts";
import { observedHost } from "../support/observed-host.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { refusalOf, rejectsTyped } from "../support/rejects-typed.ts";
import { bytesIn, namesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { remountReadOnly, withMount } from "../support/with-mount.ts";
import { writeManySessions } from "../support/write-many-sessions.ts";

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

  test("D2 a directory that may not be written to: a typed error; reads still work", async () => {
    await makeStore("one", "two");
    await fs.chmod(parent, 0o755);
    const names = [directory, ...(await namesIn(directory)).map((name) => join(directory, name))];
    if (isRoot) for (const name of names) await fs.lchown(name, NOBODY, NOBODY);
    const folders: string[] = [];
    for (const name of names) if ((await fs.lstat(name)).isDirectory()) folders.push(name);
    for (const name of folders) await fs.chmod(name, 0o500);
    try {
      const before = await bytesIn(directory);
      const [refusal] = await asNobody([directory], ["append a three"]);
      expect(refusal).toMatchObject({ error: "IO_FAILED", detail: { errno: "EACCES" } });
      expect(refusal).toMatchObject({ message: expect.stringContaining(directory) as string });
      const answers = await asNobody([directory, "read-only"], ["read a", "append a three"]);
      expect(answers).toMatchObject([{ opened: true }, ["one", "two"], { error: "STORE_READ_ONLY" }]);
      expect(await bytesIn(directory)).toEqual(before);
    } finally {
      for (const name of folders) await fs.chmod(name, 0o700);
    }
  });

  test("D2 control: the same directory, writable, is written to", async () => {
    await makeStore("one");
    await fs.chmod(parent, 0o755);
    const names = [directory, ...(await namesIn(directory)).map((name) => join(directory, name))];
    if (isRoot) for (const name of names) await fs.lchown(name, NOBODY, NOBODY);
    const answers = await asNobody([directory], ["append a two", "read a", "close"]);
    expect(answers).toEqual([{ opened: true }, { seq: 2 }, ["one", "two"], { closed: true }]);
  });

  test("D3 a read-only file system: a typed error; reads still work", async ({ skip }) => {
    const mounted = join(parent, "m");
    await fs.mkdir(mounted);
    await withMount(skip, ["-t", "tmpfs", "-o", "size=16m,mode=700", "longhand"], mounted, async () => {
      directory = join(mounted, "s");
      await makeStore("one", "two");
      await remountReadOnly(mounted);
      const error = await rejectsWith("IO_FAILED", openStore(directory));
      expect(error).toMatchObject({ detail: { errno: "EROFS" } });
      expect(error.message).toContain("readOnly");
      const { store, damage } = await openCollecting(directory, { readOnly: true });
      expect(await contentsOf(store.session("a"))).toEqual(["one", "two"]);
      expect(await keysOf(store)).toEqual(["a"]);
      expect((await store.verify()).damage).toEqual([]);
      await rejectsWith("STORE_READ_ONLY", store.session("a").append(user("three")));
      await store.close();
      expect(damage).toEqual([]);
      // A store that does not exist there cannot be made.
      await rejectsWith("IO_FAILED", openStore(join(mounted, "new")));
    });
  });

  test("D6 a directory of another user is refused", async ({ skip }) => {
    if (!isRoot) leaveOut(skip, "it needs root to give a directory away");
    await fs.chmod(parent, 0o755);
    await fs.mkdir(directory);
    await fs.chown(directory, NOBODY - 1, NOBODY - 1);
    // Sticky and open to all: nobody may write in it, and it is still not his.
    await fs.chmod(directory, 0o1777);
    const [refusal] = await asNobody([directory]);
    expect(refusal).toMatchObject({ error: "DIRECTORY_UNSAFE" });
    expect(refusal).toMatchObject({ message: expect.stringContaining(directory) as string });
    expect(await fs.readdir(directory)).toEqual([]);
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

  test("D9 an archive on another file system is refused, and nothing is moved", async ({ skip }) => {
    await makeStore("one", "two");
    const archive = join(directory, "archive");
    await fs.mkdir(archive, { mode: 0o700 });
    await withMount(skip, ["-t", "tmpfs", "-o", "size=16m,mode=700", "longhand"], archive, async () => {
      const { store } = await openCollecting(directory);
      const error = await rejectsTyped(store.session("a").archive());
      expect(error.message).toMatch(/EXDEV|another file system/);
      expect(await store.session("a").state()).toMatchObject({ status: "active", seq: 2 });
      expect(await store.session("a").append(user("three"))).toEqual({ seq: 3 });
      await store.close();
      expect(await fs.readdir(archive)).toEqual([]);
    });
    const again = await openStore(directory, { readOnly: true });
    expect(await contentsOf(again.session("a"))).toEqual(["one", "two", "three"]);
    await again.close();
  });

  test("D9 segments on another file system are refused, and nothing is moved", async ({ skip }) => {
    await makeStore("one", "two");
    const segments = join(directory, "segments");
    await fs.mkdir(segments, { mode: 0o700 });
    await withMount(skip, ["-t", "tmpfs", "-o", "size=16m,mode=700", "longhand"], segments, async () => {
      const { store } = await openCollecting(directory);
      const error = await rejectsTyped(store.session("a").fork("b"));
      expect(error.message).toMatch(/EXDEV|another file system/);
      expect(await store.session("a").append(user("three"))).toEqual({ seq: 3 });
      expect(await keysOf(store)).toEqual(["a"]);
      await store.close();
    });
    const again = await openStore(directory, { readOnly: true });
    expect(await contentsOf(again.session("a"))).toEqual(["one", "two", "three"]);
    expect((await again.verify()).damage).toEqual([]);
    await again.close();
  });

  /** One after another or at once, through either path: one order, no seq twice. */
  async function areOne(one: Store, other: Store): Promise<void> {
    const held = await one.session("a").lock();
    await rejectsWith("SESSION_LOCKED", other.session("a").lock({ wait: 100 }));
    await held[Symbol.asyncDispose]();
    const writes = Array.from({ length: 20 }, async (_, index) => {
      const store = index % 2 === 0 ? one : other;
      return (await store.session("a").append(user(String(index)))).seq;
    });
    const seqs = (await Promise.all(writes)).sort((first, second) => first - second);
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    await one.close();
    await other.close();
    const { store, damage } = await openCollecting(directory);
    expect(
      (await contentsOf(store.session("a"))).map(Number).sort((first, second) => first - second),
    ).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect((await store.verify()).damage).toEqual([]);
    expect(damage).toEqual([]);
    await store.close();
  }

  test("D12 two stores on one directory by different paths have one lock", async () => {
    await makeStore();
    const link = join(parent, "link");
    await fs.symlink(directory, link);
    await areOne(await openStore(`${directory}/../s/`), await openStore(link));
  });

  test("D12 also where the other path is a second mount of it", async ({ skip }) => {
    await makeStore();
    const second = join(parent, "second");
    await fs.mkdir(second);
    await withMount(skip, ["--bind", directory], second, async () => {
      await areOne(await openStore(directory), await openStore(second));
    });
  });
});

describe("what else is in it", () => {
  // Nothing is expected of the time it takes. LONGHAND_MANY_SESSIONS=100000 takes two minutes, most of it to make the files.
  test("D7 very many sessions are listed in pages", { timeout: 600_000 }, async () => {
    const many = Number(process.env["LONGHAND_MANY_SESSIONS"] ?? 10_000);
    const middle = many / 2;
    const keys = Array.from({ length: many }, (_, index) => `k${String(index).padStart(6, "0")}`);
    writeManySessions(directory, keys);
    const { store, damage } = await openCollecting(directory);
    const page = await collect(store.list({ order: "key", limit: 100, after: keys[middle - 1] ?? "" }));
    expect(page.map(({ key }) => key)).toEqual(keys.slice(middle, middle + 100));
    const one = keys[middle] ?? "";
    expect(await contentsOf(store.session(one))).toEqual([`in ${one}`]);
    expect(await store.session(one).append(user("more"))).toEqual({ seq: 2 });
    expect(damage).toEqual([]);
    await store.close();
  });

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

  /** Fills what is left, sees a typed error, frees it, and finds everything acknowledged. */
  async function survivesFull(
    mounted: string,
    fill: (store: Store, index: number) => Promise<unknown>,
  ): Promise<void> {
    directory = join(mounted, "s");
    const ballast = join(mounted, "ballast");
    await fs.mkdir(ballast);
    for (let index = 0; index < 16; index++)
      await fs.writeFile(join(ballast, String(index)), Buffer.alloc(128 * 1024));
    const { store } = await openCollecting(directory);
    const acknowledged: number[] = [];
    let refusal: LonghandError | undefined;
    for (let index = 0; index < 10_000 && refusal === undefined; index++) {
      refusal = await refusalOf(fill(store, index));
      if (refusal === undefined) acknowledged.push(index);
    }
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(refusal?.code).toBe("DISK_FULL");
    // Still full, still the same answer, and reading goes on.
    await rejectsWith("DISK_FULL", fill(store, acknowledged.length));
    expect((await collect(store.list())).length).toBeGreaterThan(0);
    await fs.rm(ballast, { recursive: true });
    const next = acknowledged.length;
    await fill(store, next);
    await store.close();
    const again = await openCollecting(directory);
    const found: string[] = [];
    for (const key of await keysOf(again.store)) found.push(...(await contentsOf(again.store.session(key))));
    const numbers = found.map((content) => Number(content.split(" ")[0])).sort((one, other) => one - other);
    expect(numbers).toEqual([...acknowledged, next]);
    expect((await again.store.verify()).damage).toEqual([]);
    expect(again.damage).toEqual([]);
    await again.store.close();
  }

  test("D11 a full disk: a typed error, nothing acknowledged is lost, and it goes on when there is room", async ({
    skip,
  }) => {
    const mounted = join(parent, "m");
    await fs.mkdir(mounted);
    await withMount(skip, ["-t", "tmpfs", "-o", "size=4m,mode=700", "longhand"], mounted, async () => {
      const message = (index: number): string => `${index} ${"x".repeat(20_000)}`;
      await survivesFull(
        mounted,
        async (store, index) => await store.session("a").append(user(message(index))),
      );
    });
  });

  test("D11 no inodes left: a typed error, nothing acknowledged is lost, and it goes on when there are some", async ({
    skip,
  }) => {
    const mounted = join(parent, "m");
    await fs.mkdir(mounted);
    const options = "size=32m,nr_inodes=120,mode=700";
    await withMount(skip, ["-t", "tmpfs", "-o", options, "longhand"], mounted, async () => {
      await survivesFull(
        mounted,
        async (store, index) => await store.session(`k${index}`).append(user(`${index}`)),
      );
    });
  });
});
