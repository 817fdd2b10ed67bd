/** Seed fault 36: searches that fail on a quote, counts that drift, sessions that go away by themselves. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { jsonlBackend, openStore, type Session, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { writeFully } from "../../src/host/write-fully.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(directory);
});

describe('seed fault 36: a search with a " in a word finds nothing', () => {
  const TEXTS = [
    'a 5" screw',
    'she said "hello" twice',
    'half"open',
    "plain words",
    "'single' AND (others) * NEAR -x",
  ];

  test("what is in a message is found, whatever it is", async () => {
    const store = await openStore(directory);
    for (const [index, text] of TEXTS.entries()) await store.session(`s:${index}`).append(user(text));
    for (const [query, key] of [
      ['5"', "s:0"],
      ['"hello"', "s:1"],
      ['said "hello', "s:1"],
      ['half"open', "s:2"],
      ["'single' AND (others) * NEAR -x", "s:4"],
    ] as const) {
      expect(
        (await store.search(query)).map((hit) => hit.key),
        query,
      ).toEqual([key]);
    }
    // Control: the quote is part of the word, and what is nowhere is not found.
    expect(await store.search('plain"words')).toEqual([]);
    expect(await store.search('"goodbye"')).toEqual([]);
    await store.close();
  });
});

describe("seed fault 36: the count drifts when a crash comes between the message and the count", () => {
  /** `undefined`: what is counted is what is there. */
  function driftOf(count: number | undefined, messages: number): string | undefined {
    return count === messages ? undefined : `${messages} messages, but the count is ${count}`;
  }

  async function expectNoDrift(session: Session, acknowledged: number): Promise<void> {
    const state = await session.state();
    const messages = await contentsOf(session);
    expect(driftOf(state?.count, messages.length)).toBeUndefined();
    const seqs = (await recordsOf(session)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: state?.seq ?? 0 }, (_, index) => index + 1));
    expect(seqs.length).toBeGreaterThanOrEqual(acknowledged);
  }

  test.each([
    ["landed", ""],
    ["in the journal only", "no-landing"],
  ])(
    "killed again and again, it never does: %s",
    async (_, mode) => {
      for (let life = 0; life < 4; life++) {
        const child = new ChildProcess("append-until-killed", directory, mode);
        await child.printed(15 + 7 * life);
        const keys = (): Set<string> => new Set(child.lines.map((line) => line.split(" ")[0] ?? ""));
        await vi.waitFor(() => expect(keys().size).toBe(2), { timeout: 60_000 });
        await child.kill();
        const acknowledged = new Map<string, number>();
        for (const line of child.lines) {
          const [key = "", seq] = line.split(" ");
          acknowledged.set(key, Number(seq));
        }
        expect(acknowledged.size).toBe(2);
        for (const readOnly of [true, false]) {
          const store = await openStore(directory, { readOnly });
          for (const [key, seq] of acknowledged) await expectNoDrift(store.session(key), seq);
          await store.close();
        }
      }
    },
    60_000,
  );

  test("control: a message and a count that are written one after the other do drift", async () => {
    const machine = new SimulatedMachine(2);
    const { files } = machine.startProcess();
    const [lines, count] = [await files.open("/lines", "create"), await files.open("/count", "create")];
    await files.syncDirectory("/");
    const moments: Capture[] = [];
    machine.onOperation(() => moments.push(machine.capture()));
    for (let number = 1; number <= 3; number++) {
      await writeFully(lines, Buffer.from("m"), number - 1);
      await writeFully(count, Buffer.from(String(number)), 0);
    }
    const drifts: unknown[] = [];
    for (const moment of moments) {
      const host = moment.afterKill().startProcess();
      const [messages, counted] = [await textOf(host, "/lines"), await textOf(host, "/count")];
      drifts.push(driftOf(Number(counted), messages.length));
    }
    expect(drifts.filter((drift) => drift !== undefined)).toHaveLength(3);
  });

  async function textOf(host: Host, path: string): Promise<string> {
    const file = await host.files.open(path, "read");
    const bytes = Buffer.alloc(100);
    return bytes.toString("utf8", 0, await file.read(bytes, 0));
  }
});

describe("seed fault 36: what is idle is archived after 7 days and deleted after 30", () => {
  const DAY = 24 * 60 * 60 * 1000;

  async function openAfter(days: number): Promise<Store> {
    const host = { ...nodeHost, now: () => nodeHost.now() + days * DAY };
    return await openStore(jsonlBackend(directory, { host }));
  }

  async function everything(store: Store): Promise<unknown[]> {
    const found: unknown[] = [];
    for await (const { key, status, count } of store.list({ status: "any", order: "key" }))
      if (key !== "busy") found.push([key, status, count]);
    return found;
  }

  beforeEach(async () => {
    const store = await openAfter(0);
    for (const key of ["active", "archived", "trashed"])
      await store.session(key).append([user("one"), user("two")]);
    await store.session("archived").archive();
    await store.session("trashed").delete();
    await store.close();
  });

  const ALL = [
    ["active", "active", 2],
    ["archived", "archived", 2],
    ["trashed", "trashed", 2],
  ];

  test.each([8, 40, 4000])(
    "%i days later everything is where it was, whatever else is done",
    async (days) => {
      for (const later of [days, days + 1]) {
        const store = await openAfter(later);
        await store.session("busy").append(user("a new day"));
        await store.reclaim();
        await store.verify();
        await store.repair();
        expect(await everything(store)).toEqual(ALL);
        // The clock was moved: what is written now says so.
        const { updated = "" } = (await store.session("busy").state()) ?? {};
        expect(Date.parse(updated)).toBeGreaterThan(nodeHost.now() + (days - 1) * DAY);
        await store.close();
      }
      const store = await openAfter(days + 2);
      expect(await contentsOf(store.session("active"))).toEqual(["one", "two"]);
      expect(await contentsOf(store.session("archived"))).toEqual(["one", "two"]);
      await store.session("trashed").restore();
      expect(await contentsOf(store.session("trashed"))).toEqual(["one", "two"]);
      await store.close();
    },
  );

  test("control: asked to, the store does empty the trash, of what was deleted before", async () => {
    const store = await openAfter(40);
    const monthAgo = new Date(nodeHost.now() + 10 * DAY);
    expect((await store.purge({ before: monthAgo })).map(({ key }) => key)).toEqual(["trashed"]);
    expect(await everything(store)).toEqual(ALL.slice(0, 2));
    await store.close();
  });
});
