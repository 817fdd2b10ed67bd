/** Acknowledged records that cannot be put into their session's file: kept, reported until they are back, never overtaken. */

import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findKeptAside } from "../../src/engine/kept-aside.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { damagedCopies, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let root: string;
let directory: string;
let path: string;
let older: string;
let away: string;

beforeEach(async () => {
  root = await makeTemporaryDirectory();
  directory = join(root, "store");
  path = sessionFile(directory, "k");
  older = join(root, "older.jsonl");
  away = join(root, "away.jsonl");
  const { store } = await openCollecting(directory);
  await store.session("k").append(user("one"));
  await store.close();
  await copyFile(path, older);
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(root);
});

/** Two processes take turns on the session, as the letters say, and are killed. */
async function takeTurns(plan: string): Promise<string[]> {
  const writers = new Map<string, ChildProcess>();
  for (const letter of new Set(plan)) {
    const writer = new ChildProcess("hold-store", directory);
    await writer.printed(1);
    writers.set(letter, writer);
  }
  const texts = Array.from(plan, (letter, index) => `${letter}${index + 2}`);
  for (const text of texts) await writers.get(text.charAt(0))?.ask(`append k ${text}`);
  // In the file as well, so that a file that is put back later has everything.
  await vi.waitFor(async () => expect(await readFile(path, "utf8")).toContain(texts.at(-1)));
  for (const writer of writers.values()) await writer.kill();
  return ["one", ...texts];
}

async function verified(readOnly = true): Promise<readonly { file: string; reason: string }[]> {
  const { store } = await openCollecting(directory, { readOnly });
  const { damage } = await store.verify();
  await store.close();
  return damage;
}

async function recordFiles(): Promise<string[]> {
  return [...(await damagedCopies(directory)).keys()].filter((name) => name.endsWith(".records"));
}

describe("a killed writer's session has no file when the store is next opened", () => {
  test("its records are kept, named by every verify, and a repair puts them behind the file that comes back", async () => {
    const texts = await takeTurns("AA");
    await rename(path, away);
    expect(await verified()).toMatchObject([{ reason: expect.stringContaining("seq 2 to 3") as string }]);
    const first = await openCollecting(directory);
    expect(first.damage).toMatchObject([{ kept: expect.stringMatching(/\.records$/) as string }]);
    await first.store.close();
    for (const readOnly of [true, false]) {
      expect(await verified(readOnly)).toMatchObject([
        {
          file: expect.stringMatching(/\.records$/) as string,
          reason: expect.stringContaining("seq 2 to 3") as string,
        },
      ]);
    }
    await copyFile(older, path);
    expect(await verified()).toHaveLength(1);
    const { store, damage } = await openCollecting(directory);
    await expect(store.session("k").append(user("other"))).rejects.toMatchObject({
      code: "SESSION_CHANGED",
      detail: { file: path, key: "k", kept: expect.stringMatching(/\.records$/) as string },
    });
    expect(damage).toMatchObject([{ file: path, key: "k" }]);
    expect((await store.repair()).damage.map(({ left }) => left)).toEqual([undefined]);
    expect(await contentsOf(store.session("k"))).toEqual(texts);
    expect(await store.session("k").append(user("next"))).toEqual({ seq: texts.length + 1 });
    expect((await store.verify()).damage).toEqual([]);
    await store.close();
  });

  test("their session and files are told without reading them, until they are back or the session is removed for good", async () => {
    expect(await findKeptAside(directory)).toEqual([]);
    await takeTurns("AA");
    await rename(path, away);
    await verified(false);
    const [name = ""] = await recordFiles();
    const kept = join(directory, ".longhand", "damaged", name);
    const found = [{ sessionId: name.split(".")[0], files: [kept] }];
    await writeFile(kept, "nothing that could be read");
    expect(await findKeptAside(directory)).toEqual(found);
    await copyFile(older, path);
    const { store } = await openCollecting(directory);
    // By the key of its session too.
    for (const options of [{}, { keys: ["k"] }])
      expect((await store.verify(options)).damage).toMatchObject([{ file: kept }]);
    expect((await store.verify({ keys: ["other"] })).damage).toEqual([]);
    await store.session("k").delete({ forever: true });
    expect(await findKeptAside(directory)).toEqual([]);
    await store.close();
  });

  test("a kept file with a damaged line is reported by every verify, also after a repair has put back the rest", async () => {
    const texts = await takeTurns("AAA");
    await rename(path, away);
    await verified(false);
    const [name = ""] = await recordFiles();
    const kept = join(directory, ".longhand", "damaged", name);
    await writeFile(kept, (await readFile(kept, "utf8")).replace('"A4"', '"XX"'));
    const spoiled = { file: kept, reason: expect.stringContaining("lines of it are damaged") as string };
    await copyFile(older, path);
    expect(await verified()).toMatchObject([spoiled]);
    const { store } = await openCollecting(directory);
    await store.repair();
    expect(await contentsOf(store.session("k"))).toEqual(texts.slice(0, 3));
    expect((await store.verify()).damage).toMatchObject([{ ...spoiled, left: expect.any(String) as string }]);
    expect(await recordFiles()).toEqual([name]);
    await store.close();
    // Its whole lines are in the session; the damaged one is not known to be.
    await copyFile(away, path);
    expect(await verified()).toMatchObject([spoiled]);
  });

  test("nothing is reported any more when the file itself comes back", async () => {
    const texts = await takeTurns("AA");
    await rename(path, away);
    await verified(false);
    await rename(away, path);
    const { store, damage } = await openCollecting(directory);
    expect((await store.verify()).damage).toEqual([]);
    expect(await contentsOf(store.session("k"))).toEqual(texts);
    expect(await store.session("k").append(user("next"))).toEqual({ seq: texts.length + 1 });
    expect(damage).toEqual([]);
    await store.close();
  });

  test("kept files of several writers are put back in the order of their records", async () => {
    const texts = await takeTurns("ABBAB");
    await rename(path, away);
    await verified(false);
    expect(await recordFiles()).toHaveLength(2);
    await copyFile(older, path);
    const { store } = await openCollecting(directory);
    expect((await store.repair()).damage.map(({ left }) => left)).toEqual([undefined, undefined]);
    expect(await contentsOf(store.session("k"))).toEqual(texts);
    expect((await store.verify()).damage).toEqual([]);
    expect(await recordFiles()).toEqual([]);
    await store.close();
  });

  test("records that no longer fit are reported when the session is next written to", async () => {
    await takeTurns("AAA");
    await rename(path, away);
    await verified(false);
    const [name = ""] = await recordFiles();
    const kept = join(directory, ".longhand", "damaged", name);
    // Without the first of them nothing says what they come behind.
    const bytes = await readFile(kept, "utf8");
    await writeFile(kept, bytes.split("\n").slice(2).join("\n"));
    await copyFile(older, path);
    const { store, damage } = await openCollecting(directory);
    expect(await store.session("k").append(user("other"))).toEqual({ seq: 2 });
    expect(damage).toMatchObject([{ file: path, key: "k", kept }]);
    expect((await store.verify()).damage).toMatchObject([{ file: kept, left: expect.any(String) as string }]);
    await store.close();
  });
});

describe.each(["AABB", "BBAA", "ABABAB", "BABA"])("two killed writers that took turns (%s)", (plan) => {
  test("an older file is put back: what both have acknowledged is put behind it again", async () => {
    const texts = await takeTurns(plan);
    await copyFile(older, path);
    for (const readOnly of [true, false]) {
      const { store, damage } = await openCollecting(directory, { readOnly });
      expect(await contentsOf(store.session("k"))).toEqual(texts);
      expect(damage).toEqual([]);
      await store.close();
    }
    expect(await verified()).toEqual([]);
  });
});

describe("the session's file is removed under an open store", () => {
  test("nothing more is written to the key until the file is back", async () => {
    const { store } = await openCollecting(directory);
    await store.session("k").append(user("two"));
    await rename(path, away);
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(store.session("k").append(user("thr"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    await rename(away, path);
    expect(await store.session("k").append(user("thr"))).toEqual({ seq: 3 });
    expect(await contentsOf(store.session("k"))).toEqual(["one", "two", "thr"]);
    await store.close();
  });

  test("nor is an archived session of the key brought back in its place", async () => {
    const { store } = await openCollecting(directory);
    await store.session("k").archive();
    await store.session("k").delete();
    await store.session("k").append(user("new"));
    await rm(path);
    await expect(store.session("k").append(user("two"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    await store.session("k").restore();
    await store.session("k").archive();
    await expect(store.session("k").append(user("two"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    await store.close();
  });

  test("or a repair was run: then a new session begins, and what was acknowledged stays reported", async () => {
    const { store } = await openCollecting(directory);
    const before = (await store.session("k").state())?.id;
    await store.session("k").append(user("two"));
    await rm(path);
    await expect(store.session("k").append(user("thr"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    expect((await store.repair()).damage).toMatchObject([{ left: expect.any(String) as string }]);
    expect(await store.session("k").append(user("thr"))).toEqual({ seq: 1 });
    expect((await store.session("k").state())?.id).not.toBe(before);
    expect((await store.verify()).damage).toMatchObject([
      { reason: expect.stringContaining("seq 1 to 2") as string },
    ]);
    await store.close();
  });
});
