/** A session's file that another program replaces by an older version while the store has it open, or after a crash. */

import { copyFile, mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { encodeBlock } from "../../src/wal/block.ts";
import { HEAD_BYTES } from "../../src/wal/head.ts";
import { readJournal } from "../../src/wal/read-journal.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting, type CollectingStore } from "../support/open-collecting.ts";
import { damagedCopies, namesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let root: string;
let directory: string;
let path: string;
let older: string;

beforeEach(async () => {
  root = await makeTemporaryDirectory();
  directory = join(root, "store");
  path = sessionFile(directory, "k");
  older = join(root, "older.jsonl");
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(root);
});

const WAYS: readonly [string, () => Promise<void>][] = [
  ["copied over it", async () => await copyFile(older, path)],
  [
    "renamed over it",
    async () => {
      await copyFile(older, join(directory, "..", "copy"));
      await rename(join(directory, "..", "copy"), path);
    },
  ],
  ["cut to its length", async () => await truncate(path, (await readFile(older)).length)],
];

/** Resolves when the session's file has this text. */
async function applied(text: string): Promise<void> {
  await vi.waitFor(async () => expect(await readFile(path, "utf8")).toContain(text), { timeout: 10_000 });
}

/** "one" is in the older version; "two" and "thr" only in the newer. */
async function writeAndPutBack(
  append: (text: string) => Promise<unknown>,
  putBack: () => Promise<void>,
): Promise<void> {
  await append("one");
  await applied("one");
  await copyFile(path, older);
  await append("two");
  await append("thr");
  await applied("thr");
  await putBack();
}

async function keptFiles(): Promise<string[]> {
  return [...(await damagedCopies(directory)).keys()];
}

describe.each(WAYS)("an older file %s while the store is open", (_, putBack) => {
  let opened: CollectingStore;
  const append = async (text: string): Promise<unknown> => await opened.store.session("k").append(user(text));
  const refused = { code: "SESSION_CHANGED", detail: { file: expect.any(String) as string, key: "k" } };

  beforeEach(async () => {
    opened = await openCollecting(directory);
    await writeAndPutBack(append, putBack);
  });

  test("stops the session until a repair has put back what was acknowledged", async () => {
    await expect(append("for")).rejects.toMatchObject(refused);
    await expect(append("for")).rejects.toMatchObject(refused);
    const [kept] = await keptFiles();
    expect(kept).toMatch(/\.records$/);
    const keptPath = join(directory, ".longhand", "damaged", kept ?? "");
    expect(opened.damage).toMatchObject([{ file: path, key: "k", kept: keptPath }]);
    expect((await opened.store.verify()).damage).toMatchObject([{ file: keptPath, key: "k" }]);
    expect((await opened.store.repair()).damage).toHaveLength(1);
    expect(await append("for")).toEqual({ seq: 4 });
    expect(await contentsOf(opened.store.session("k"))).toEqual(["one", "two", "thr", "for"]);
    expect((await opened.store.verify()).damage).toEqual([]);
    await opened.store.close();
    const again = await openCollecting(directory, { readOnly: true });
    expect(await contentsOf(again.store.session("k"))).toEqual(["one", "two", "thr", "for"]);
    expect(again.damage).toEqual([]);
  });

  test("goes on by itself when the right file is put back", async () => {
    await expect(append("for")).rejects.toMatchObject(refused);
    const records = await readFile(
      join(directory, ".longhand", "damaged", (await keptFiles())[0] ?? ""),
      "utf8",
    );
    const lines = records.split("\n").filter((line) => line.startsWith('{"seq"'));
    await writeFile(path, `${await readFile(older, "utf8")}${lines.join("\n")}\n`);
    expect(await append("for")).toEqual({ seq: 4 });
    expect((await opened.store.verify()).damage).toEqual([]);
    await opened.store.close();
  });

  test("another process goes on from it only without what was kept; then both histories stay, never mixed", async () => {
    const other = await openCollecting(directory);
    await expect(other.store.session("k").append(user("new"))).rejects.toMatchObject(refused);
    const kept = join(directory, ".longhand", "damaged", (await keptFiles())[0] ?? "");
    await rename(kept, join(root, "moved"));
    expect(await other.store.session("k").append(user("new"))).toEqual({ seq: 2 });
    await other.store.close();
    await opened.store.close();
    await rename(join(root, "moved"), kept);
    const { store } = await openCollecting(directory);
    expect(await contentsOf(store.session("k"))).toEqual(["one", "new"]);
    expect(await keptFiles()).toHaveLength(1);
    expect((await store.verify()).damage).toMatchObject([{ key: "k", left: expect.any(String) as string }]);
    expect((await store.repair()).damage).toMatchObject([{ key: "k", left: expect.any(String) as string }]);
    expect(await contentsOf(store.session("k"))).toEqual(["one", "new"]);
    await store.close();
  });
});

test("an editor that saves the same lines anew stops one write and no more", async () => {
  const { store, damage } = await openCollecting(directory);
  await store.session("k").append(user("one"));
  await applied("one");
  await copyFile(path, older);
  await rename(older, path);
  await expect(store.session("k").append(user("two"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
  expect(await store.session("k").append(user("two"))).toEqual({ seq: 2 });
  expect([damage, await keptFiles()]).toEqual([[], []]);
  await store.close();
});

test("a file of the same length, copied over it, is found before a record is put behind it", async () => {
  const { store, errors } = await openCollecting(directory);
  await store.session("k").append(user("one"));
  await applied("one");
  // Another last line: what a second history with lines of the same lengths looks like.
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(/"crc":"[0-9a-f]{8}"\}\n$/, '"crc":"00000000"}\n'));
  await store.session("k").append(user("two"));
  await vi.waitFor(() => expect(errors.map(({ code }) => code)).toEqual(["SESSION_CHANGED"]));
  await expect(store.session("k").append(user("thr"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
  expect(await readFile(path, "utf8")).not.toContain("two");
  expect([...(await damagedCopies(directory)).values()].join()).toContain("two");
  await store.close();
});

describe("an older file put back before a killed writer is recovered", () => {
  async function killAfterPutBack(putBack: () => Promise<void>): Promise<void> {
    const writer = new ChildProcess("hold-store", directory);
    await writer.printed(1);
    await writeAndPutBack(async (text) => await writer.ask(`append k ${text}`), putBack);
    await writer.kill();
  }

  test.each(WAYS)("%s: what the journal has is put behind it again", async (_, putBack) => {
    await killAfterPutBack(putBack);
    for (const readOnly of [true, false]) {
      const { store, damage } = await openCollecting(directory, { readOnly });
      expect(await contentsOf(store.session("k"))).toEqual(["one", "two", "thr"]);
      expect(damage).toEqual([]);
      await store.close();
    }
  });

  /** The older file with a record of its own behind it, as long as those it takes the place of. */
  async function goOnFromOlder(): Promise<void> {
    await killAfterPutBack(async () => await Promise.resolve());
    const saved = join(root, "saved");
    await rename(join(directory, ".longhand"), saved);
    await copyFile(older, path);
    const { store } = await openCollecting(directory);
    expect(await store.session("k").append(user("new"))).toEqual({ seq: 2 });
    await store.close();
    await rm(join(directory, ".longhand"), { recursive: true });
    await rename(saved, join(directory, ".longhand"));
  }

  test("and gone on from: the journal's records are kept, reported, and not mixed with the new ones", async () => {
    await goOnFromOlder();
    const reader = await openCollecting(directory, { readOnly: true });
    expect(await contentsOf(reader.store.session("k"))).toEqual(["one", "new"]);
    expect(reader.damage).toMatchObject([{ file: path, key: "k" }]);
    const writer = await openCollecting(directory);
    expect(await contentsOf(writer.store.session("k"))).toEqual(["one", "new"]);
    expect(writer.damage).toMatchObject([{ file: path, key: "k", kept: expect.any(String) as string }]);
    const kept = [...(await damagedCopies(directory)).values()].join();
    expect(kept).toContain("two");
    expect(kept).toContain("thr");
    expect((await writer.store.verify()).damage).toMatchObject([{ left: expect.any(String) as string }]);
    await writer.store.close();
  });

  /** As an earlier version has written it: no record says what it was written after. */
  async function makeJournalOld(from: number): Promise<void> {
    const journals = join(directory, ".longhand", "journal");
    const [name = ""] = (await namesIn(journals)).filter((each) => each.endsWith(".journal"));
    const bytes = await readFile(join(journals, name));
    const contents = readJournal(bytes);
    if (contents === undefined) throw new Error("the journal is not readable");
    const records = contents.records.slice(from).map((record) => ({ ...record, after: undefined }));
    const old = Buffer.concat([bytes.subarray(0, HEAD_BYTES), encodeBlock(contents.head, 1, records)]);
    await writeFile(join(journals, name), old);
  }

  test("control: a record that does not say what it was written after is put behind the new ones", async () => {
    await goOnFromOlder();
    await makeJournalOld(-1);
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session("k"))).toEqual(["one", "new", "thr"]);
    expect(damage).toEqual([]);
    await store.close();
  });

  test("but even such a record is not written over a new one", async () => {
    await goOnFromOlder();
    await makeJournalOld(0);
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session("k"))).toEqual(["one", "new"]);
    expect(damage).toMatchObject([{ file: path, key: "k", kept: expect.any(String) as string }]);
    await store.close();
  });

  test("shorter than where the journal begins: kept, and put back once the file has the records before them", async () => {
    const first = await openCollecting(directory);
    await first.store.session("k").append(user("one"));
    await applied("one");
    await copyFile(path, older);
    await first.store.session("k").append(user("two"));
    await first.store.close();
    const whole = await readFile(path);
    const writer = new ChildProcess("hold-store", directory, "no-landing");
    await writer.printed(1);
    await writer.ask("append k thr");
    await writer.kill();
    await copyFile(older, path);
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session("k"))).toEqual(["one"]);
    expect(damage).toMatchObject([{ kept: expect.any(String) as string }]);
    expect((await store.repair()).damage).toMatchObject([{ left: expect.any(String) as string }]);
    await store.close();
    await writeFile(path, whole);
    const again = await openCollecting(directory);
    expect((await again.store.repair()).damage.map(({ left }) => left)).toEqual([undefined]);
    expect(await contentsOf(again.store.session("k"))).toEqual(["one", "two", "thr"]);
    expect((await again.store.verify()).damage).toEqual([]);
    await again.store.close();
  });
});

test("a directory put in the place of the store's gets no file of it", async () => {
  const { store } = await openCollecting(directory);
  await store.session("k").append(user("one"));
  await applied("one");
  await rename(directory, join(root, "moved"));
  await mkdir(directory, { mode: 0o700 });
  for (let attempt = 0; attempt < 3; attempt++)
    await expect(store.session("k").append(user("two"))).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect(await namesIn(directory)).toEqual([]);
  await store.close();
});
