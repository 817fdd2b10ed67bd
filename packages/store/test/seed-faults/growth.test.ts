/** Seed faults 9 and 32: costs that grow with the number of sessions, logs without end. */

import { stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Session, type Store } from "../../src/index.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { countingHost } from "../support/counting-host.ts";
import { namesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { writeManySessions } from "../support/write-many-sessions.ts";

let parent: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(parent);
});

describe("seed fault 9: resolving one key reads every session", () => {
  const KEY = "agent:main:telegram:direct:7";

  interface Cost {
    readonly calls: number;
    readonly reads: number;
    readonly bytesRead: number;
    /** Files of other sessions that were touched. */
    readonly others: number;
  }

  /** The cost of each use of a key, closing included, in a store of its own that has just been opened. */
  async function costsAmong(sessions: number): Promise<Record<string, Cost>> {
    const directory = join(parent, String(sessions));
    const others = Array.from({ length: sessions }, (_, index) => `agent:main:other:${index}`);
    writeManySessions(directory, [KEY, ...others]);
    const otherFiles = new Set(others.map((key) => sessionFile(directory, key)));
    // The first opening looks at what it does not know yet. The second one sees a directory whose last change is long ago: no
    // later opening scans it in the background, however fast or slow the machine is.
    await (await openStore(directory)).close();
    await utimes(directory, 1, 1);
    await (await openStore(directory)).close();
    const costOf = async (use: (store: Store) => Promise<unknown>): Promise<Cost> => {
      const { host: counted, counts } = countingHost();
      const touched = new Set<string>();
      const host = failingHost(counted, ({ path }) => {
        touched.add(path);
        return undefined;
      });
      const store = await openStore(jsonlBackend(directory, { host }));
      const before = { calls: host.calls, ...counts };
      touched.clear();
      await use(store);
      // A record is applied after the answer, at any time until the store is closed.
      await store.close();
      return {
        calls: host.calls - before.calls,
        reads: counts.reads - before.reads,
        bytesRead: counts.bytesRead - before.bytesRead,
        others: [...touched].filter((path) => otherFiles.has(path)).length,
      };
    };
    return {
      state: await costOf(async (store) => await store.session(KEY).state()),
      messages: await costOf(async (store) => await store.session(KEY).messages()),
      nobody: await costOf(async (store) => await store.session("agent:main:nobody").exists()),
      append: await costOf(async (store) => await store.session(KEY).append(user("hello"))),
      list: await costOf(async (store) => {
        for await (const { key } of store.list()) expect(key).not.toBe("");
      }),
    };
  }

  test("with 2,000 others it costs what it costs with 10", async () => {
    const { list: listOfFew, ...few } = await costsAmong(10);
    const { list: listOfMany, ...many } = await costsAmong(2000);
    for (const [name, cost] of Object.entries(many)) {
      expect(cost.others, `other files touched by ${name}`).toBe(0);
      expect(cost.reads, `reads of ${name}`).toBeLessThanOrEqual((few[name]?.reads ?? 0) + 2);
      expect(cost.calls, `calls of ${name}`).toBeLessThanOrEqual((few[name]?.calls ?? 0) + 5);
      expect(cost.bytesRead, `bytes read by ${name}`).toBeLessThanOrEqual((few[name]?.bytesRead ?? 0) + 1024);
    }
    // Control: the same meter shows what does depend on their number.
    expect(listOfFew?.others).toBe(10);
    expect(listOfMany?.others).toBe(2000);
    expect(listOfMany?.reads).toBeGreaterThanOrEqual(2000);
  }, 120_000);
});

describe("seed fault 32: a compaction is forgotten by a restart, and logs grow without bound", () => {
  const COUNT = 400;
  const SEGMENT_BYTES = 8 * 1024;
  const text = (number: number): string => `${number} `.padEnd(200, "so it went on ");

  async function overflowAndCompact(session: Session): Promise<void> {
    for (let number = 1; number <= 60; number++) await session.append(user(`message ${number}`));
    await session.compact({ summary: "sixty messages, in short", keepFrom: 59 });
  }

  async function expectCompacted(store: Store): Promise<void> {
    const session = store.session("a");
    expect(await contentsOf(session)).toEqual(["message 59", "message 60"]);
    expect(await session.state()).toMatchObject({ count: 2, summary: "sixty messages, in short" });
  }

  test("a compaction survives a restart, however it comes about", async () => {
    const machine = new SimulatedMachine(4);
    const store = await openStore(jsonlBackend("/store", { host: machine.startProcess() }));
    await overflowAndCompact(store.session("a"));
    await expectCompacted(store);
    const crashed = [machine.capture().afterKill(), ...machine.capture().afterPowerLoss({ limit: 20 })];
    await store.close();
    expect(crashed.length).toBeGreaterThan(2);
    for (const restarted of [machine, ...crashed]) {
      const again = await openStore(jsonlBackend("/store", { host: restarted.startProcess() }));
      await expectCompacted(again);
      await again.close();
    }
  });

  test("control: before the compaction the view is the overflow, after a restart too", async () => {
    const store = await openStore(parent);
    await overflowAndCompact(store.session("a"));
    await store.session("a").rewind({ to: 60 });
    await store.close();
    const again = await openStore(parent);
    expect(await contentsOf(again.session("a"))).toHaveLength(60);
    await again.close();
  });

  test("a log that grows is sealed, and what is sealed can be compressed; nothing is lost", async () => {
    const open = async (): Promise<Store> =>
      await openStore(jsonlBackend(parent, { segmentBytes: SEGMENT_BYTES }), { durability: "os" });
    const store = await open();
    for (let number = 1; number <= COUNT; number++) await store.session("a").append(user(text(number)));
    await store.close();
    const sealed = (await namesIn(join(parent, "segments"))).filter((name) => name.includes("/"));
    expect(sealed.length).toBeGreaterThan(3);
    expect((await stat(sessionFile(parent, "a"))).size).toBeLessThan(3 * SEGMENT_BYTES);

    const again = await open();
    const records = await recordsOf(again.session("a"));
    const { bytesBefore, bytesAfter } = await again.reclaim();
    expect(bytesAfter).toBeLessThan(bytesBefore / 2);
    expect(await recordsOf(again.session("a"))).toEqual(records);
    expect(await again.session("a").append(user("more"))).toEqual({ seq: COUNT + 1 });
    await again.close();
    // All but the newest, which is read most.
    const packed = (await namesIn(join(parent, "segments"))).filter((name) => name.endsWith(".gz"));
    expect(packed).toHaveLength(sealed.length - 1);

    const last = await open();
    const expected = [...Array.from({ length: COUNT }, (_, index) => text(index + 1)), "more"];
    expect(await contentsOf(last.session("a"))).toEqual(expected);
    await last.close();
  }, 300_000);

  test("control: a log that stays below the bound is one file", async () => {
    const store = await openStore(jsonlBackend(parent), { durability: "os" });
    for (let number = 1; number <= COUNT; number++) await store.session("a").append(user(text(number)));
    await store.close();
    expect((await namesIn(parent)).filter((name) => name.startsWith("segments/"))).toEqual([]);
    expect((await stat(sessionFile(parent, "a"))).size).toBeGreaterThan(3 * SEGMENT_BYTES);
  }, 300_000);
});
