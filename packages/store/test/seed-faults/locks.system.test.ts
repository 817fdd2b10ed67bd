/** Seed faults 4, 6 and 26: locks of pairs that deadlock, no lock between processes, one lock for everything. */

import { execFile } from "node:child_process";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isLonghandError, jsonlBackend, openStore, type Session, type Store } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { Gate, heldHost } from "../crash/held-host.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { refusalOf } from "../support/rejects-typed.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

/** What hangs ends here. */
const NO_HANG = 300_000;
const FORKS = fileURLToPath(new URL("../support/fork-crosswise.mjs", import.meta.url));
let directory: string;
let stores: Store[];
let ending: AbortController;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  stores = [];
  ending = new AbortController();
});

afterEach(async () => {
  ending.abort();
  await killChildren();
  for (const store of stores) await store.close();
  await removeDirectory(directory);
});

async function openHere(lockWait?: number): Promise<Store> {
  const store = await openStore(jsonlBackend(directory, lockWait === undefined ? {} : { lockWait }));
  stores.push(store);
  return store;
}

describe("seed fault 4: two that lock the same pair in opposite order hang", { timeout: NO_HANG }, () => {
  /** Archived sessions: so both directions of a pair are free to be forked to, and both must succeed. */
  async function archivePairs(pairs: readonly (readonly [string, string])[]): Promise<void> {
    const store = await openStore(directory);
    for (const key of pairs.flat()) {
      await store.session(key).append(user(`of ${key}`));
      await store.session(key).archive();
    }
    await store.close();
  }

  /** Each key has its archived session, and an active one: the other's, or, if it was forked back, its own. */
  async function expectWhole(pairs: readonly (readonly [string, string])[]): Promise<void> {
    const store = await openHere();
    const archived = new Set<string>();
    for await (const { key } of store.list({ status: "archived" })) archived.add(key);
    expect(archived).toEqual(new Set(pairs.flat()));
    for (const [one, other] of pairs) {
      for (const key of [one, other]) {
        expect((await store.session(key).state())?.status).toBe("active");
        expect([[`of ${one}`], [`of ${other}`]]).toContainEqual(await contentsOf(store.session(key)));
        expect(await store.session(key).append(user("goes on"))).toEqual({ seq: 2 });
      }
    }
  }

  const PAIRS = [
    ["sk_v1_0027", "agent:main:telegram:direct:108"],
    ["sk_v1_001e", "agent:main:telegram:direct:161"],
    ...Array.from({ length: 30 }, (_, index) => [`one:${index}`, `other:${index}`] as const),
  ] as const;

  test.each([
    ["in one store", 1],
    ["in two stores", 2],
  ])("forks a→b and b→a at once, of many pairs, %s: all end and all are done", async (_, count) => {
    await archivePairs(PAIRS);
    const [first, second = first] = [await openHere(), ...(count === 2 ? [await openHere()] : [])];
    await Promise.all(
      PAIRS.flatMap(([one, other]) => [first.session(one).fork(other), second.session(other).fork(one)]),
    );
    await expectWhole(PAIRS);
  });

  test("the same from two processes", async () => {
    const pairs = Array.from({ length: 20 }, (_, index) => [`a:${index + 1}`, `b:${index + 1}`] as const);
    await archivePairs(pairs);
    const run = async (from: string, to: string): Promise<unknown> => {
      const parameters = [FORKS, directory, from, to, String(pairs.length)];
      const { stdout } = await promisify(execFile)(process.execPath, parameters, { signal: ending.signal });
      return JSON.parse(stdout);
    };
    // Not SESSION_LOCKED either: nobody was freed by the end of somebody's patience.
    const all = pairs.map(() => "forked");
    expect(await Promise.all([run("a", "b"), run("b", "a")])).toEqual([all, all]);
    await expectWhole(pairs);
  });

  test("both there already: both are told so, and nothing hangs or changes", async () => {
    const [first, second] = [await openHere(), await openHere()];
    for (const key of ["a", "b"]) await first.session(key).append(user(`of ${key}`));
    const forks = Array.from({ length: 10 }, () => [
      refusalOf(first.session("a").fork("b")),
      refusalOf(second.session("b").fork("a")),
    ]);
    const refusals = await Promise.all(forks.flat());
    expect(refusals.map((refusal) => refusal?.code)).toEqual(refusals.map(() => "SESSION_EXISTS"));
    for (const key of ["a", "b"]) expect(await contentsOf(second.session(key))).toEqual([`of ${key}`]);
  });

  test("control: who takes two locks crosswise by hand does wait for ever, and is told whom for", async () => {
    const [first, second] = [await openHere(), await openHere()];
    await first.session("a").lock();
    await second.session("b").lock();
    const crossed = await Promise.all([
      refusalOf(first.session("b").lock({ wait: 300 })),
      refusalOf(second.session("a").lock({ wait: 300 })),
    ]);
    expect(crossed.map((refusal) => refusal?.code)).toEqual(["SESSION_LOCKED", "SESSION_LOCKED"]);
  });
});

describe(
  "seed fault 6: one process rewrites, another appends, and appends are lost",
  { timeout: NO_HANG },
  () => {
    /** So many that the other process has several turns beside them. */
    const APPENDS = 2000;
    /** The key and the texts of append-shared.mjs, for one session. */
    const KEY = "shared:0";

    function missing(acknowledged: readonly string[], texts: readonly unknown[]): string[] {
      const there = new Set(texts);
      return acknowledged.filter((text) => !there.has(text));
    }

    /** Runs beside a process that appends, until that has ended. */
    async function whileAppending(
      rewrite: (session: Session, round: number) => Promise<boolean>,
    ): Promise<string[]> {
      const store = await openHere();
      await store.session(KEY).append(user("begin"));
      const child = new ChildProcess("append-shared", directory, "0", "1", String(APPENDS), "1");
      const life = { isOver: false };
      void child.ended.then(() => (life.isOver = true));
      await child.printed(1);
      let rewritten = 0;
      for (let round = 0; !hasEnded(life); round++) {
        if (await rewrite(store.session(KEY), round)) rewritten++;
      }
      expect(await child.ended).toBe(0);
      expect(rewritten).toBeGreaterThan(1);
      return child.lines.map((number) => `0 ${number} ${KEY}`);
    }

    /** It changes while we wait, which the compiler cannot see. */
    function hasEnded(life: { readonly isOver: boolean }): boolean {
      return life.isOver;
    }

    async function replaceWhole(session: Session): Promise<boolean> {
      const seq = (await session.state())?.seq ?? 0;
      const messages = await session.messages({ to: seq });
      try {
        await session.replace(messages, { expectedSeq: seq });
        return true;
      } catch (error) {
        if (isLonghandError(error, "SEQ_CONFLICT")) return false;
        throw error;
      }
    }

    test("replace, built on what was read: every acknowledged append is in the view, once and in order", async () => {
      const acknowledged = await whileAppending(replaceWhole);
      expect(acknowledged).toHaveLength(APPENDS);
      const store = await openHere();
      expect(await contentsOf(store.session(KEY))).toEqual(["begin", ...acknowledged]);
    });

    test("compact and a blind replace: every acknowledged append is in the log, once and in order", async () => {
      const acknowledged = await whileAppending(async (session, round) => {
        const seq = (await session.state())?.seq ?? 1;
        if (round % 2 === 0) await session.compact({ summary: `round ${round}`, keepFrom: seq });
        else await session.replace([user(`rewritten ${round}`)]);
        return true;
      });
      expect(acknowledged).toHaveLength(APPENDS);
      const records = await recordsOf((await openHere()).session(KEY));
      const texts = records.flatMap((record) => (record.op === undefined ? [record.message.content] : []));
      expect(missing(acknowledged, texts)).toEqual([]);
      expect(texts.filter((text) => acknowledged.includes(text as string))).toEqual(acknowledged);
    });

    test("control: a file that is read and written anew, without a lock, loses what came between", async () => {
      const path = join(directory, "history.txt");
      await writeFile(path, "begin\n");
      const acknowledged: string[] = [];
      for (let number = 1; number <= 10; number++) {
        const old = await readFile(path, "utf8");
        await appendFile(path, `${number}\n`);
        acknowledged.push(String(number));
        if (number % 2 === 0) await writeFile(path, old);
      }
      expect(missing(acknowledged, (await readFile(path, "utf8")).split("\n"))).toEqual([
        "2",
        "4",
        "6",
        "8",
        "10",
      ]);
    });
  },
);

describe("seed fault 26: one session holds up all others", { timeout: NO_HANG }, () => {
  const OTHERS = Array.from({ length: 20 }, (_, index) => `other:${index}`);

  async function writeOthers(store: Store): Promise<void> {
    const written = await Promise.all(OTHERS.map(async (key) => await store.session(key).append(user(key))));
    expect(written).toEqual(OTHERS.map(() => ({ seq: 1 })));
    for (const key of OTHERS) expect(await contentsOf(store.session(key))).toEqual([key]);
  }

  test.each(["another store", "another process"])("locked by %s: the others are written to", async (who) => {
    if (who === "another store") {
      await (await openHere()).session("slow").lock();
    } else {
      const child = new ChildProcess("hold-store", directory);
      await child.printed(1);
      expect(await child.ask("lock slow")).toBe('{"locked":true}');
    }
    const store = await openHere(2000);
    const refused = refusalOf(store.session("slow").append(user("x")));
    await writeOthers(store);
    // Control: the locked one itself does wait, and in vain.
    expect((await refused)?.code).toBe("SESSION_LOCKED");
    expect(await store.session("slow").exists()).toBe(false);
  });

  test("a disk that does not answer for one: the others are written to, and it goes on when it does", async () => {
    const before = await openStore(directory);
    await before.session("slow").append(user("one"));
    await before.close();
    const gate = new Gate();
    // Opening the store looks at the beginning of every file, this one too.
    const disk = { isSlow: false };
    const slowFile = sessionFile(directory, "slow");
    const host = heldHost(nodeHost, async ({ operation, path }, perform) => {
      if (disk.isSlow && operation === "open" && path === slowFile) await gate.wait();
      return await perform();
    });
    const store = await openStore(jsonlBackend(directory, { host }));
    stores.push(store);
    disk.isSlow = true;
    const outcome = { isKnown: false };
    const waiting = store
      .session("slow")
      .append(user("two"))
      .finally(() => (outcome.isKnown = true));
    await gate.reached;
    await writeOthers(store);
    // Control: it was held up all the while.
    expect(outcome.isKnown).toBe(false);
    gate.open();
    expect(await waiting).toEqual({ seq: 2 });
    expect(await contentsOf(store.session("slow"))).toEqual(["one", "two"]);
  });
});
