/** Seed faults 7, 8 and 30: migrations that replace newer messages, invent, hide or forget sessions. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonBackend, jsonlBackend, openStore, SessionManager, type Store } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { failingHost } from "../../src/testing/index.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { rejectsTyped } from "../support/rejects-typed.ts";
import { bytesIn, namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

async function put(name: string, content: string): Promise<void> {
  await writeFile(join(directory, name), content);
}

/** A whole file of the older program. */
function oldSession(key: string, updated: string, ...contents: readonly string[]): string {
  const messages = contents.map((content) => ({ role: "user", content }));
  return JSON.stringify({ key, messages, created: "2025-01-01T08:00:00Z", updated });
}

async function keysOf(store: Store, status: "active" | "archived" | "any" = "any"): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list({ order: "key", status })) keys.push(key);
  return keys;
}

/** No original can get its new name, as in a directory that may not be changed. */
function hostWithoutRenames(from = 1): { readonly host: typeof nodeHost; readonly refused: () => number } {
  let renames = 0;
  const host = failingHost(nodeHost, ({ operation, to }) => {
    if (operation !== "rename" || to?.endsWith(".migrated") !== true) return undefined;
    renames++;
    return renames < from ? undefined : { kind: "error", code: "EACCES" };
  });
  return { host, refused: () => host.faults };
}

describe("seed fault 7: migration clobbers newer data", () => {
  const KEY = "telegram:9";
  const STRAY = "telegram_9.json";
  const NEWER = ["new one", "new two", "new three"];

  async function writeNewer(): Promise<void> {
    const store = await openStore(directory, { migrate: true });
    for (const content of NEWER) await store.session(KEY).append(user(content));
    await store.close();
  }

  async function expectNewer(host = nodeHost): Promise<readonly string[]> {
    const { store, errors } = await openCollecting(jsonlBackend(directory, { host }), { migrate: true });
    expect(await contentsOf(store.session(KEY))).toEqual(NEWER);
    expect(await keysOf(store)).toEqual([KEY]);
    await store.close();
    return errors.map(({ message }) => message);
  }

  test("a stray old file, put back before every opening: the newer messages stay, it stays, and it is named", async () => {
    await writeNewer();
    const stray = oldSession(KEY, "2025-01-02T08:00:00Z", "old");
    for (let opening = 0; opening < 3; opening++) {
      await rm(join(directory, STRAY), { force: true });
      await put(STRAY, stray);
      expect(await expectNewer()).toEqual([expect.stringContaining(`${STRAY} was not migrated`)]);
      expect(await readFile(join(directory, STRAY), "utf8")).toBe(stray);
      // And once more, with nothing changed.
      await expectNewer();
    }
  });

  test("the same where files cannot be renamed", async () => {
    await writeNewer();
    await put(STRAY, oldSession(KEY, "2025-01-02T08:00:00Z", "old"));
    for (let opening = 0; opening < 3; opening++) await expectNewer(hostWithoutRenames().host);
  });

  test("migrated, continued, and put back again and again: it is not taken twice", async () => {
    const old = oldSession(KEY, "2025-01-02T08:00:00Z", "old");
    await put(STRAY, old);
    const first = await openStore(directory, { migrate: true });
    await first.session(KEY).append(user("newer"));
    await first.close();
    for (let opening = 0; opening < 3; opening++) {
      await put(STRAY, opening === 1 ? oldSession(KEY, "2025-01-02T09:00:00Z", "another old one") : old);
      const { store } = await openCollecting(directory, { migrate: true });
      expect(await contentsOf(store.session(KEY))).toEqual(["old", "newer"]);
      expect(await keysOf(store)).toEqual([KEY]);
      await store.close();
    }
  });

  test("its rename failed before: nothing was migrated, and later it is, once", async () => {
    const old = oldSession(KEY, "2025-01-02T08:00:00Z", "old");
    await put(STRAY, old);
    for (let opening = 0; opening < 3; opening++) {
      const { host, refused } = hostWithoutRenames();
      await rejectsTyped(openStore(jsonlBackend(directory, { host }), { migrate: true }));
      expect(refused()).toBeGreaterThan(0);
      expect(await readFile(join(directory, STRAY), "utf8")).toBe(old);
      expect((await namesIn(directory)).filter((name) => name.endsWith(".jsonl"))).toEqual([]);
    }
    const store = await openStore(directory, { migrate: true });
    for (const content of NEWER) await store.session(KEY).append(user(content));
    await store.close();
    const again = await openStore(directory, { migrate: true });
    expect(await contentsOf(again.session(KEY))).toEqual(["old", ...NEWER]);
    await again.close();
  });

  test("control: a stray file is looked at; one that is newer is kept beside the session, archived", async () => {
    await writeNewer();
    await put(STRAY, oldSession(KEY, "2999-01-01T00:00:00Z", "from the future"));
    const { store } = await openCollecting(directory, { migrate: true });
    expect(await contentsOf(store.session(KEY))).toEqual(NEWER);
    expect(await keysOf(store, "archived")).toEqual([KEY]);
    await store.close();
  });

  test("{} in junk.json becomes no session, and stays", async () => {
    await put("junk.json", "{}");
    await put("good.json", oldSession("good", "2025-01-02T08:00:00Z", "hello"));
    const { store } = await openCollecting(directory, { migrate: true });
    // Control: what is a session became one.
    expect(await keysOf(store)).toEqual(["good"]);
    expect(await store.session("junk").exists()).toBe(false);
    await store.close();
    expect(await readFile(join(directory, "junk.json"), "utf8")).toBe("{}");
  });

  test("an old key that ends in .meta is migrated", async () => {
    await put("notes.meta.json", oldSession("notes.meta", "2025-01-02T08:00:00Z", "kept"));
    const store = await openStore(directory, { migrate: true });
    expect(await keysOf(store)).toEqual(["notes.meta"]);
    expect(await contentsOf(store.session("notes.meta"))).toEqual(["kept"]);
    await store.close();
  });

  test("created and updated are kept", async () => {
    await put(STRAY, oldSession(KEY, "2025-03-04T05:06:07.890Z", "old"));
    const expected = { created: "2025-01-01T08:00:00.000Z", updated: "2025-03-04T05:06:07.890Z" };
    for (let opening = 0; opening < 2; opening++) {
      const store = await openStore(directory, { migrate: true });
      expect(await store.session(KEY).state()).toMatchObject(expected);
      await store.close();
    }
    // Control: it is the next message that changes one of them.
    const store = await openStore(directory, { migrate: true });
    await store.session(KEY).append(user("now"));
    const { created, updated } = (await store.session(KEY).state()) ?? {};
    expect(created).toBe(expected.created);
    expect(updated).not.toBe(expected.updated);
    await store.close();
  });
});

describe("seed fault 8: after a failed migration the older backend hides sessions and invents empty ones", () => {
  const KEYS = ["a:1", "b:2", "c:3"];

  beforeEach(async () => {
    for (const key of KEYS)
      await put(`${key.replace(":", "_")}.json`, oldSession(key, "2025-01-02T08:00:00Z", `in ${key}`));
    await put("lines.jsonl", '{"role":"user","content":"a line"}\n');
    await put(
      "lines.meta.json",
      '{"key":"lines:1","skip":0,"count":1,"created_at":"2025-01-02T08:00:00Z","updated_at":"2025-01-02T08:00:00Z"}',
    );
  });

  // The originals are five: any of their renames may be the one that fails.
  test.each([1, 2, 3, 4, 5])(
    "rename %i fails: the json backend sees all sessions, and only those",
    async (number) => {
      const before = await bytesIn(directory);
      const { host, refused } = hostWithoutRenames(number);
      await rejectsTyped(openStore(jsonlBackend(directory, { host }), { migrate: true }));
      expect(refused()).toBe(1);
      for (const [name, bytes] of before) expect((await bytesIn(directory)).get(name)).toBe(bytes);

      const { store, damage } = await openCollecting(jsonBackend(directory));
      expect(await keysOf(store, "active")).toEqual(KEYS);
      for (const key of KEYS) expect(await contentsOf(store.session(key))).toEqual([`in ${key}`]);
      await store.close();
      expect(damage).toEqual([]);

      const manager = new SessionManager(directory);
      expect((await manager.listSessions()).sort()).toEqual(KEYS);
      for (const key of KEYS) expect(await manager.getHistory(key)).toEqual([user(`in ${key}`)]);
      await manager.close();
    },
  );

  test("and the next migration that can be done has them all, with what was added meanwhile", async () => {
    await rejectsTyped(
      openStore(jsonlBackend(directory, { host: hostWithoutRenames(3).host }), { migrate: true }),
    );
    const fallback = await openStore(jsonBackend(directory));
    await fallback.session("b:2").append(user("meanwhile"));
    await fallback.close();
    const { store } = await openCollecting(directory, { migrate: true });
    expect(await keysOf(store)).toEqual([...KEYS, "lines:1"]);
    expect(await contentsOf(store.session("b:2"))).toEqual(["in b:2", "meanwhile"]);
    expect(await contentsOf(store.session("lines:1"))).toEqual(["a line"]);
    await store.close();
  });

  test("control: a migration that is not hindered moves them all", async () => {
    const { host, refused } = hostWithoutRenames(6);
    const store = await openStore(jsonlBackend(directory, { host }), { migrate: true });
    expect(refused()).toBe(0);
    expect(await keysOf(store)).toEqual([...KEYS, "lines:1"]);
    await store.close();
    expect((await namesIn(directory)).filter((name) => name.endsWith(".migrated"))).toHaveLength(5);
  });
});

describe("seed fault 30: sessions of ZeroClaw's JSONL are not there again until their next message", () => {
  test("no channel and no owner is needed: read, listed, searched and continued where it was", async () => {
    const lines = [user("feet, please"), { role: "assistant", content: "Noted: feet." }];
    await put("telegram_bea.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { store, damage, errors } = await openCollecting(directory, { migrate: true });
    const session = store.session("telegram_bea");
    expect(await contentsOf(session)).toEqual(["feet, please", "Noted: feet."]);
    expect(await keysOf(store, "active")).toEqual(["telegram_bea"]);
    expect((await store.search("noted")).map(({ key }) => key)).toEqual(["telegram_bea"]);
    const seq = (await session.state())?.seq ?? 0;
    expect(await session.append(user("and inches?"), { expectedSeq: seq })).toEqual({ seq: seq + 1 });
    expect(await contentsOf(session)).toEqual(["feet, please", "Noted: feet.", "and inches?"]);
    expect((await recordsOf(session)).map((record) => record.seq)).toEqual(
      Array.from({ length: seq + 1 }, (_, index) => index + 1),
    );
    // Control: it was the name that was asked for, not whatever there is.
    expect(await store.session("telegram_bob").exists()).toBe(false);
    await store.close();
    expect([damage, errors]).toEqual([[], []]);
  });
});
