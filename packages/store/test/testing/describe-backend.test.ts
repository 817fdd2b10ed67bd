/** The suite itself: it runs every file it has, it can fail, and it skips for stated reasons only. */

import { readdir } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { memoryBackend } from "../../src/backends/memory.ts";
import type { Backend, BackendCapabilities } from "../../src/contract/backend.ts";
import { CONFORMANCE } from "../../src/testing/conformance-list.ts";
import { describeBackend } from "../../src/testing/describe-backend.ts";
import * as broken from "../support/broken-backends.ts";

const SPECIFICATIONS = new URL("../../src/testing/conformance/", import.meta.url);

interface SuiteRun {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

async function runSuite(
  create: () => Backend,
  capabilities: BackendCapabilities,
  reopen?: () => Backend,
  /** Titles to run; all of them if not given. */
  only?: readonly string[],
): Promise<SuiteRun> {
  const bodies = new Map<string, () => Promise<void>>();
  const run = { passed: [] as string[], failed: [] as string[], skipped: [] as string[] };
  describeBackend({
    name: "x",
    capabilities,
    test: (title, body) => void bodies.set(title, body),
    skip: (title, reason) => void run.skipped.push(`${title}: ${reason}`),
    create: () =>
      Promise.resolve({
        backend: create(),
        ...(reopen === undefined ? {} : { reopen }),
        destroy: () => Promise.resolve(),
      }),
  });
  for (const [title, body] of bodies) {
    if (only?.includes(title) === false) continue;
    ((await passes(body)) ? run.passed : run.failed).push(title);
  }
  return run;
}

/** The time that a case waits before it gives up passes at once. */
async function passes(body: () => Promise<void>): Promise<boolean> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let outcome: boolean | undefined;
    void body().then(
      () => (outcome = true),
      () => (outcome = false),
    );
    while (outcome === undefined) await vi.advanceTimersByTimeAsync(1000);
    return outcome;
  } finally {
    vi.useRealTimers();
  }
}

const MEMORY: BackendCapabilities = {
  durable: false,
  flatAppend: true,
  archive: true,
  fork: true,
  manyWriters: false,
  readOnly: false,
};

test("a case about watch gives up after watchTimeoutMs, 10 seconds unless told otherwise", async () => {
  const title = "x: watch: yields what is there, then what is written";
  const elapsed = async (watchTimeoutMs?: number): Promise<number> => {
    let body = async (): Promise<void> => await Promise.reject(new Error("no such case"));
    describeBackend({
      name: "x",
      capabilities: MEMORY,
      ...(watchTimeoutMs === undefined ? {} : { watchTimeoutMs }),
      test: (each, run) => {
        if (each === title) body = run;
      },
      skip: () => undefined,
      create: () =>
        Promise.resolve({
          backend: broken.brokenBackend(broken.missesChanges),
          destroy: () => Promise.resolve(),
        }),
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const over = vi.fn();
      void body().catch(over);
      let milliseconds = 0;
      for (; over.mock.calls.length === 0 && milliseconds < 120_000; milliseconds += 1000)
        await vi.advanceTimersByTimeAsync(1000);
      return milliseconds;
    } finally {
      vi.useRealTimers();
    }
  };
  // In virtual time. Opening the store takes a few turns of it.
  expect(await elapsed(3000)).toBeLessThan(10_000);
  const byDefault = await elapsed();
  expect(byDefault).toBeGreaterThanOrEqual(10_000);
  expect(byDefault).toBeLessThan(20_000);
});

describe("the list of cases", () => {
  test("names every file of conformance/ with the cases it exports", async () => {
    const files = (await readdir(SPECIFICATIONS)).filter((name) => name.endsWith(".ts"));
    expect(CONFORMANCE.map(({ operation }) => `${operation}.ts`).sort()).toEqual(files.sort());
    for (const { operation, cases } of CONFORMANCE) {
      const exported = (await import(new URL(`${operation}.ts`, SPECIFICATIONS).href)) as Record<
        string,
        unknown
      >;
      expect(Object.values(exported)).toEqual([cases]);
      expect(cases.length).toBeGreaterThan(0);
    }
  });

  test("has no two cases of one title", () => {
    const titles = CONFORMANCE.flatMap(({ operation, cases }) =>
      cases.map(({ title }) => `${operation}: ${title}`),
    );
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe("the suite", () => {
  test("passes on the memory backend, and skips with a reason that names the capability", async () => {
    const { failed, skipped } = await runSuite(() => memoryBackend(), MEMORY);
    expect(failed).toEqual([]);
    expect(skipped.length).toBeGreaterThan(0);
    for (const one of skipped) {
      expect(one).toMatch(
        /: (needs the capability (durable|readOnly|manyWriters): \w+|the backend has the capability (archive|fork))/,
      );
    }
  });

  test("fails on a backend that declares other capabilities than expected", async () => {
    const create = (): Backend => broken.brokenBackend(() => ({}), { flatAppend: false });
    const { failed } = await runSuite(create, MEMORY);
    expect(failed).toEqual(["x: the declared capabilities are the real ones"]);
  });

  test("fails on a backend that calls itself durable and forgets everything", async () => {
    const create = (): Backend => broken.brokenBackend(() => ({}), { durable: true });
    const { failed } = await runSuite(create, { ...MEMORY, durable: true }, create);
    const reopening = CONFORMANCE.find(({ operation }) => operation === "reopen")?.cases ?? [];
    for (const { title } of reopening) expect(failed).toContain(`x: reopen: ${title}`);
    expect(failed).toContain("x: close: writes called before it are there after reopening");
  });

  test("fails on a backend that calls itself durable and cannot be reopened", async () => {
    const create = (): Backend => broken.brokenBackend(() => ({}), { durable: true });
    const { failed } = await runSuite(create, { ...MEMORY, durable: true });
    expect(failed).toContain("x: reopen: seqs go on where they were");
  });

  test("fails on a backend that reports damage in ordinary work", async () => {
    const create = (): Backend => {
      const backend = memoryBackend();
      return {
        ...backend,
        open: async (options) => {
          options.onDamage({ file: "f", offset: 0, bytes: 1, kind: "corrupt", reason: "made up" });
          return await backend.open(options);
        },
      };
    };
    const { passed } = await runSuite(create, MEMORY);
    expect(passed).toEqual(["x: the declared capabilities are the real ones"]);
  });
});

/** For each breakage, cases that must notice it. */
const NOTICED_BY: Readonly<Record<Exclude<keyof typeof broken, "brokenBackend">, readonly string[]>> = {
  dropsTheLastRecord: [
    "append: what was appended is there at once, in order and deep-equal",
    "records: shows each kind of record with what it says",
    "concurrent: what was answered is seen by every read after it",
  ],
  losesIds: [
    "append-id: the same id with the same body gives the first seq again and writes nothing",
    "append-id: the same id with another body is ID_CONFLICT and writes nothing",
    "append-id: a batch has one id",
    "note: an id makes it safe to retry, and belongs to notes and messages alike",
  ],
  widensOnTruncate: [
    "truncate: keepLast keeps that many live messages",
    "truncate: never widens the view",
    "truncate: keepLast 0 hides everything, and what comes later is seen",
  ],
  ignoresConflicts: [
    "expected-seq: append goes through on the right seq only",
    "expected-seq: replace goes through on the right seq only",
    "expected-seq: 0 means that the session must not exist yet",
    "expected-seq: of many writers on one seq exactly one wins",
  ],
  handsOutItsOwnTags: ["state: what is returned is a copy of that moment"],
  skipsASeq: [
    "append: seqs count from 1 without gaps",
    "records: from and to are inclusive seqs of any kind of record",
  ],
  writesOutOfOrder: [
    "concurrent: appends that do not wait for each other are kept in the order of the calls",
    "concurrent: different kinds of writes keep the order of the calls",
    "truncate: is resolved where it is written: messages appended meanwhile are not cut",
  ],
  mixesUpperAndLowerCase: ["keys: upper and lower case differ"],
  tearsBatches: [
    "append-batch: batches that are written at the same time do not interleave",
    "concurrent: a read sees a prefix of the writes, batches whole",
    "append-id: a batch has one id",
  ],
  deletesHalfHeartedly: [
    "delete: a deleted session is gone for its key and kept in the trash",
    "delete: a write to a deleted key begins a new session that knows nothing of the old one",
    "delete: forever leaves nothing of the key, in the trash neither",
  ],
  forksEverything: [
    "fork: at is the last record it has, and the view is the one of then",
    "fork: into the middle of a batch keeps its beginning",
    "fork: needs a session, a free key, and a record to end with",
  ],
  missesChanges: [
    "watch: yields what is there, then what is written",
    "watch: waits for a session that does not exist yet, and does not create it",
  ],
  reusesIds: ["watch: ends when another session has taken the key, and shows nothing of that"],
  locksNothing: [
    "lock: the next lock waits until it is disposed of, in the order of the calls",
    "lock: who has waited long enough gets SESSION_LOCKED, which names the owner",
    "lock: disposing twice gives up nobody else's lock",
    "lock: closing ends it, and those in line learn that the store is closed",
  ],
  keepsLocks: [
    "lock: the next lock waits until it is disposed of, in the order of the calls",
    "lock: a signal takes one out of the line, with its reason",
  ],
  purgesByLastWrite: ["purge: before goes by the time of deletion, not of the last write"],
  countsOnlyActiveSessions: ["verify: keys selects sessions", "verify: sessions that are put away count too"],
  dropsUnasked: [
    "reclaim: keeps every record, and writing goes on",
    "reclaim: a dry run changes nothing, whatever it would drop",
  ],
  createsWhatIsRead: [
    "state: of a session that does not exist is undefined, and asking does not create it",
    "messages: of a session that does not exist are none, and reading does not create it",
    "list: an empty store lists nothing, and handles without writes are no sessions",
  ],
};

describe("the suite notices a backend that", () => {
  for (const [name, expected] of Object.entries(NOTICED_BY)) {
    test(
      name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      async () => {
        const breaking = broken[name as keyof typeof NOTICED_BY];
        const create = (): Backend => broken.brokenBackend(breaking);
        const titles = expected.map((title) => `x: ${title}`);
        const { failed } = await runSuite(create, MEMORY, undefined, titles);
        expect(failed.toSorted()).toEqual(titles.toSorted());
      },
    );
  }
});
