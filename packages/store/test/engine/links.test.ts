/** Symbolic links in the place of directories of a store: nothing behind them is listed, written or removed. */

import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/index.ts";
import { layoutOf, leaseNameOf, leaseShard } from "../../src/format/layout.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { bytesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let root: string;
let directory: string;
let outside: string;

beforeEach(async () => {
  root = await makeTemporaryDirectory();
  directory = join(root, "store");
  outside = join(root, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "0.jsonl"), "not ours");
  await writeFile(join(outside, "thesis.txt"), "not ours");
});

afterEach(async () => {
  await removeDirectory(root);
});

/** A session with a sealed file. */
async function seal(store: Store, key: string): Promise<string> {
  await store.session(key).append(user(`${key} 1`));
  await store.reclaim({ seal: true, keys: [key] });
  await store.session(key).append(user(`${key} 2`));
  return (await store.session(key).state())?.id ?? "";
}

async function linkInPlaceOf(path: string, to: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await symlink(to, path);
}

describe("the directory of a session's sealed files is a link", () => {
  let gone: string;
  let victim: string;
  let link: string;

  beforeEach(async () => {
    const { store } = await openCollecting(directory);
    gone = await seal(store, "gone");
    victim = await seal(store, "victim");
    await store.session("gone").delete();
    await store.close();
    link = join(directory, "segments", gone);
  });

  test("to another session's: purge removes nothing, verify and repair name it", async () => {
    await linkInPlaceOf(link, victim);
    const { store } = await openCollecting(directory);
    await expect(store.purge()).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE", detail: { file: link } });
    for (const report of [await store.verify(), await store.repair()]) {
      expect(report.damage.length).toBeGreaterThan(0);
      for (const { left } of report.damage) expect(left).toContain("link");
    }
    expect(await contentsOf(store.session("victim"))).toEqual(["victim 1", "victim 2"]);
    await store.close();
    const again = await openCollecting(directory);
    expect(await contentsOf(again.store.session("victim"))).toEqual(["victim 1", "victim 2"]);
    await again.store.close();
  });

  test("to outside of the store: neither purge nor a deletion for good touches what is there", async () => {
    await linkInPlaceOf(link, outside);
    const before = await bytesIn(outside);
    const { store } = await openCollecting(directory);
    await expect(store.purge()).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE" });
    await expect(store.session("gone").delete({ forever: true })).rejects.toMatchObject({
      code: "DIRECTORY_UNSAFE",
    });
    await store.close();
    expect(await bytesIn(outside)).toEqual(before);
  });

  test("it does not keep a store from opening whose purge was cut short", async () => {
    const trash = join(directory, "trash");
    const [name = ""] = await readdir(trash);
    const { store } = await openCollecting(directory);
    await store.close();
    const dead = "01M7GANKT8040G2081040G2081";
    await rename(join(trash, name), join(directory, `.new-${dead}-1.${gone}`));
    await mkdir(join(directory, ".longhand", "removed"), { recursive: true });
    await writeFile(join(directory, ".longhand", "removed", gone), "{}\n");
    await linkInPlaceOf(link, victim);
    const again = await openCollecting(directory);
    expect(await contentsOf(again.store.session("victim"))).toEqual(["victim 1", "victim 2"]);
    await again.store.close();
  });

  test("a seal, a reclaim and a fork write nothing behind it", async () => {
    await linkInPlaceOf(join(directory, "segments", victim), outside);
    const before = await bytesIn(outside);
    const { store } = await openCollecting(directory);
    const unsafe = { code: "DIRECTORY_UNSAFE" };
    await expect(store.reclaim({ seal: true, keys: ["victim"] })).rejects.toMatchObject(unsafe);
    await expect(store.session("victim").fork("child")).rejects.toMatchObject({
      code: expect.stringMatching(/^(DIRECTORY_UNSAFE|SESSION_DAMAGED)$/) as string,
    });
    await store.close();
    expect(await bytesIn(outside)).toEqual(before);
  });
});

describe.each(["segments", "archive", "trash", "aliases", ".longhand/removed"])("%s is a link", (name) => {
  test("nothing goes there, and what is there stays", async () => {
    const first = await openCollecting(directory);
    await seal(first.store, "k");
    await first.store.session("t").append(user("t"));
    await first.store.session("t").delete();
    await first.store.close();
    await linkInPlaceOf(join(directory, name), outside);
    const before = await bytesIn(outside);
    const found: unknown[] = [];
    const note = (error: unknown): unknown => found.push((error as { code?: string }).code);
    const opened = await openCollecting(directory).catch(note);
    if (typeof opened === "object" && opened !== null && "store" in opened) {
      const { store } = opened as Awaited<ReturnType<typeof openCollecting>>;
      const session = store.session("k");
      await store.reclaim({ seal: true }).catch(note);
      await session.archive().catch(note);
      await session.delete({ forever: true }).catch(note);
      await store.purge().catch(note);
      await store.verify().catch(note);
      await store.close().catch(note);
    }
    expect(found).toContain("DIRECTORY_UNSAFE");
    expect(await bytesIn(outside)).toEqual(before);
  });
});

test("a directory of leases that is a link is not written to", async () => {
  const first = await openCollecting(directory);
  await first.store.session("a").append(user("one"));
  await first.store.close();
  await linkInPlaceOf(leaseShard(layoutOf(directory), leaseNameOf("k")), outside);
  const before = await bytesIn(outside);
  const { store } = await openCollecting(directory);
  await expect(store.session("k").append(user("one"))).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE" });
  await store.close();
  expect(await bytesIn(outside)).toEqual(before);
});
