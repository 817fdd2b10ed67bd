/**
 * Many readers, one writer at a time for a session: who comes next waits in line, knows whom for, takes over from the
 * dead with everything they acknowledged, and never robs the living, not even one that is stopped.
 */

import { readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { rejectsTyped } from "../support/rejects-typed.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEY = "a";
const SHORT = 500;
const NO_HANG = 300_000;
let directory: string;
let stores: Store[];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  stores = [];
});

afterEach(async () => {
  await killChildren();
  for (const store of stores) await store.close();
  await removeDirectory(directory);
});

async function openHere(lockWait = 30_000): Promise<Store> {
  const store = await openStore(jsonlBackend(directory, { lockWait }));
  stores.push(store);
  return store;
}

async function openReader(): Promise<Store> {
  const store = await openStore(directory, { readOnly: true });
  stores.push(store);
  return store;
}

async function startOwner(...parameters: readonly string[]): Promise<ChildProcess> {
  const owner = new ChildProcess("hold-store", directory, ...parameters);
  await owner.printed(1);
  expect(owner.lines).toEqual(['{"opened":true}']);
  return owner;
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${index + 1}`);

describe("promise 6: any number of readers while one writes", { timeout: NO_HANG }, () => {
  const COUNT = 60;

  test("each sees a beginning of what is written, which only grows, and in the end all of it", async () => {
    const writer = await openHere();
    await writer.session(KEY).append(user("text 1"));
    const readers = [...(await Promise.all(Array.from({ length: 8 }, openReader))), await openHere()];
    const lock = await writer.session(KEY).lock();
    const progress = { isOver: false };
    const wrong: string[] = [];
    let readings = 0;
    const reading = readers.map(async (reader) => {
      let seen = 0;
      while (!isOver(progress)) {
        const contents = await contentsOf(reader.session(KEY));
        const isPrefix = contents.every((content, index) => content === `text ${index + 1}`);
        if (!isPrefix || contents.length < seen) wrong.push(`after ${seen}: ${contents.join()}`);
        seen = contents.length;
        readings++;
      }
    });
    for (let number = 2; number <= COUNT; number++) await writer.session(KEY).append(user(`text ${number}`));
    progress.isOver = true;
    await Promise.all(reading);
    expect(wrong).toEqual([]);
    expect(readings).toBeGreaterThan(readers.length);
    await lock[Symbol.asyncDispose]();
    await writer.close();
    for (const reader of readers) expect(await contentsOf(reader.session(KEY))).toEqual(texts(COUNT));
    // Control: they are readers and nothing else.
    expect((await rejectsTyped((await openReader()).session(KEY).append(user("x")))).code).toBe(
      "STORE_READ_ONLY",
    );
  });

  /** It changes while we wait, which the compiler cannot see. */
  function isOver(progress: { readonly isOver: boolean }): boolean {
    return progress.isOver;
  }

  test("a reader in another process reads what is locked here", async () => {
    const writer = await openHere();
    await writer.session(KEY).append(user("text 1"));
    await writer.session(KEY).lock();
    const reader = await startOwner("read-only");
    expect(await reader.ask(`read ${KEY}`)).toBe('["text 1"]');
    expect(JSON.parse(await reader.ask(`append ${KEY} x`))).toMatchObject({ error: "STORE_READ_ONLY" });
  });
});

describe("promise 6: one writer at a time, the next waits in line", { timeout: NO_HANG }, () => {
  /** How many were inside at the same time, at most. */
  async function takeTurns(enter: (store: Store) => Promise<AsyncDisposable>): Promise<number> {
    const writers = await Promise.all(Array.from({ length: 5 }, async () => await openHere()));
    let inside = 0;
    let most = 0;
    await Promise.all(
      writers.map(async (store, number) => {
        for (let turn = 0; turn < 3; turn++) {
          const lock = await enter(store);
          inside++;
          most = Math.max(most, inside);
          for (const part of ["begins", "ends"])
            await store.session(KEY).append(user(`${number} ${turn} ${part}`));
          inside--;
          await lock[Symbol.asyncDispose]();
        }
      }),
    );
    return most;
  }

  test("of five that lock, one is inside; each gets its turns, and no turn is mixed with another", async () => {
    expect(await takeTurns(async (store) => await store.session(KEY).lock({ wait: 30_000 }))).toBe(1);
    const contents = await contentsOf((await openHere()).session(KEY));
    expect(contents).toHaveLength(5 * 3 * 2);
    const turns = contents.filter((_, index) => index % 2 === 0).map((text) => text.replace(" begins", ""));
    expect(new Set(turns).size).toBe(5 * 3);
    expect(contents).toEqual(turns.flatMap((turn) => [`${turn} begins`, `${turn} ends`]));
  });

  test("control: without the lock they are inside at the same time, and still no write is lost", async () => {
    const nothing = { [Symbol.asyncDispose]: async () => await Promise.resolve() };
    expect(await takeTurns(async () => await Promise.resolve(nothing))).toBeGreaterThan(1);
    expect(new Set(await contentsOf((await openHere()).session(KEY))).size).toBe(5 * 3 * 2);
  });

  test("who waits gets it when the owner, in another process, gives it up", async () => {
    const owner = await startOwner();
    await owner.ask(`lock ${KEY}`);
    const outcome = { isKnown: false };
    const waiting = (await openHere())
      .session(KEY)
      .append(user("text 2"))
      .finally(() => (outcome.isKnown = true));
    // Control: as long as it is locked, it waits; somebody else's patience ends meanwhile.
    expect((await rejectsTyped((await openHere(SHORT)).session(KEY).append(user("x")))).code).toBe(
      "SESSION_LOCKED",
    );
    expect(outcome.isKnown).toBe(false);
    expect(await owner.ask(`append ${KEY} text 1`)).toBe('{"seq":1}');
    expect(await owner.ask("close")).toBe('{"closed":true}');
    expect(await waiting).toEqual({ seq: 2 });
  });
});

describe("promise 6: the owner can be named", { timeout: NO_HANG }, () => {
  test("after the wait: its process, its host, since when", async () => {
    const owner = await startOwner();
    await owner.ask(`lock ${KEY}`);
    const store = await openHere(SHORT);
    const session = store.session(KEY);
    for (const attempt of [
      async () => await session.append(user("x")),
      async () => await session.archive(),
      async () => await session.lock({ wait: 100 }),
    ]) {
      const { code, detail, message } = await rejectsTyped(attempt());
      expect(code).toBe("SESSION_LOCKED");
      expect(detail).toMatchObject({ key: KEY, pid: owner.pid, host: hostname(), liveness: "alive" });
      const since = String(detail["since"]);
      expect(new Date(since).toISOString()).toBe(since);
      for (const told of [`process ${owner.pid} on ${hostname()}`, since, JSON.stringify(KEY)])
        expect(message).toContain(told);
    }
    // Control: another session is nobody's.
    expect(await store.session("b").append(user("free"))).toEqual({ seq: 1 });
  });
});

describe("promise 6: a dead owner's place is taken over", { timeout: NO_HANG }, () => {
  const COUNT = 12;

  /** Everything it acknowledged is in its journal, and nothing in the session's file. */
  async function leaveDead(): Promise<void> {
    const owner = await startOwner("no-landing");
    await owner.ask(`lock ${KEY}`);
    for (const [index, text] of texts(COUNT).entries())
      expect(await owner.ask(`append ${KEY} ${text}`)).toBe(`{"seq":${index + 1}}`);
    await owner.kill();
  }

  test("with everything it acknowledged, by who comes later", async () => {
    await leaveDead();
    const store = await openHere(SHORT);
    expect(await store.session(KEY).append(user("after"))).toEqual({ seq: COUNT + 1 });
    expect(await contentsOf(store.session(KEY))).toEqual([...texts(COUNT), "after"]);
  });

  test("and by who was waiting while it died", async () => {
    const owner = await startOwner("no-landing");
    await owner.ask(`lock ${KEY}`);
    const store = await openHere();
    const waiting = store.session(KEY).append(user("after"));
    for (const text of texts(COUNT)) await owner.ask(`append ${KEY} ${text}`);
    await owner.kill();
    expect(await waiting).toEqual({ seq: COUNT + 1 });
    expect(await contentsOf(store.session(KEY))).toEqual([...texts(COUNT), "after"]);
  });

  test("control: without what it left, its messages are missing", async () => {
    await leaveDead();
    const journals = join(directory, ".longhand/journal");
    for (const name of await readdir(journals)) await rm(join(journals, name), { recursive: true });
    const store = await openHere(SHORT);
    expect(await contentsOf(store.session(KEY))).toEqual([]);
  });
});

/** What a living process has acknowledged is read by others once it is in the file; a stopped one puts nothing there. */
async function applied(text: string): Promise<void> {
  const reader = await openStore(directory, { readOnly: true });
  await vi.waitFor(async () => expect(await contentsOf(reader.session(KEY))).toContain(text), {
    timeout: 60_000,
  });
  await reader.close();
}

describe("promise 6: a stopped owner is never robbed", { timeout: NO_HANG }, () => {
  test.each(["lock", "append"])(
    "after %s: who waits is told so in the end; it goes on where it was",
    async (how) => {
      const owner = await startOwner();
      if (how === "lock") await owner.ask(`lock ${KEY}`);
      expect(await owner.ask(`append ${KEY} text 1`)).toBe('{"seq":1}');
      await applied("text 1");
      owner.signal("SIGSTOP");
      const store = await openHere(SHORT);
      for (let attempt = 0; attempt < 3; attempt++) {
        const { code, detail } = await rejectsTyped(store.session(KEY).append(user("robbed")));
        expect([code, detail["pid"]]).toEqual(["SESSION_LOCKED", owner.pid]);
      }
      // Nor by somebody who has only now come.
      const { code } = await rejectsTyped((await openHere(SHORT)).session(KEY).append(user("robbed")));
      expect(code).toBe("SESSION_LOCKED");
      expect(await contentsOf(store.session(KEY))).toEqual(["text 1"]);
      owner.signal("SIGCONT");
      expect(await owner.ask(`append ${KEY} text 2`)).toBe('{"seq":2}');
      expect(await owner.ask(`append ${KEY} text 3`)).toBe('{"seq":3}');
      expect(await owner.ask("close")).toBe('{"closed":true}');
      expect(await store.session(KEY).append(user("text 4"))).toEqual({ seq: 4 });
      expect(await contentsOf(store.session(KEY))).toEqual(texts(4));
    },
  );

  test("control: with the same patience, one that was killed while it was stopped is taken over", async () => {
    const owner = await startOwner();
    await owner.ask(`lock ${KEY}`);
    await owner.ask(`append ${KEY} text 1`);
    owner.signal("SIGSTOP");
    const store = await openHere(SHORT);
    expect((await rejectsTyped(store.session(KEY).append(user("x")))).code).toBe("SESSION_LOCKED");
    await owner.kill();
    expect(await store.session(KEY).append(user("text 2"))).toEqual({ seq: 2 });
  });
});
