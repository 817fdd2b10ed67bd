/** Directories that have broken other stores, D1 to D12: those that need root or a mount. The others: directories.test.ts. */

import * as fs from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type LonghandError, type Store } from "../../src/index.ts";
import { collect, keysOf, rejectsWith } from "../../src/testing/case-language.ts";
import { areOneStore } from "../support/are-one-store.ts";
import { asNobody, NOBODY } from "../support/as-nobody.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { isRoot, leaveOut } from "../support/leave-out.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { refusalOf, rejectsTyped } from "../support/rejects-typed.ts";
import { bytesIn, namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { remountReadOnly, withMount } from "../support/with-mount.ts";

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

describe("rights", () => {
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
});

describe("mounts", () => {
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

  test("D12 also where the other path is a second mount of it", async ({ skip }) => {
    await makeStore();
    const second = join(parent, "second");
    await fs.mkdir(second);
    await withMount(skip, ["--bind", directory], second, async () => {
      await areOneStore(directory, await openStore(directory), await openStore(second));
    });
  });
});

describe("full disks", () => {
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
