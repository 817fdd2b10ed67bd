/** The comparison by random operations: the same seed gives the same run, and it finds what differs. */

import { describe, expect, test } from "vitest";
import { memoryBackend } from "../../src/backends/memory.ts";
import { openStore } from "../../src/open-store.ts";
import type { Backend } from "../../src/contract/backend.ts";
import { collect, keysOf } from "../../src/testing/case-language.ts";
import { compareByRandomOperations } from "../../src/testing/random-operations.ts";
import * as broken from "../support/broken-backends.ts";

async function compare(backend: Backend, seed: number, steps: number): Promise<void> {
  const subject = await openStore(backend);
  const reference = await openStore(memoryBackend());
  try {
    await compareByRandomOperations({ seed, steps, subject, reference, archive: true, fork: true });
  } finally {
    await subject.close();
    await reference.close();
  }
}

/** The kinds of records and error codes that a run has met: it must be worth running. */
async function kindsOfRecords(seed: number, steps: number): Promise<Set<string>> {
  const subject = await openStore(memoryBackend());
  const reference = await openStore(memoryBackend());
  await compareByRandomOperations({ seed, steps, subject, reference, archive: true, fork: true });
  const kinds = new Set<string>();
  for (const key of await keysOf(subject)) {
    for (const { op } of await collect(subject.session(key).records())) kinds.add(op ?? "message");
  }
  return kinds;
}

describe("random operations", () => {
  test("find no difference between memory and memory", async () => {
    for (let seed = 100; seed < 110; seed++) await compare(memoryBackend(), seed, 60);
  });

  test("use every kind of record", async () => {
    const kinds = await Promise.all([1, 2, 3].map(async (seed) => [...(await kindsOfRecords(seed, 200))]));
    expect([...new Set(kinds.flat())].sort()).toEqual(
      ["compact", "message", "meta", "note", "reset", "rewind", "summary", "truncate"].sort(),
    );
  });

  test("name the seed and the operations when stores differ", async () => {
    const failure = compare(broken.brokenBackend(broken.dropsTheLastRecord), 7, 60);
    await expect(failure).rejects.toThrow(/seed 7, after:\n(Telegram:1|telegram:1|notes|copy): \w+\(/);
  });

  test.each([
    "dropsTheLastRecord",
    "losesIds",
    "widensOnTruncate",
    "ignoresConflicts",
    "skipsASeq",
    "deletesHalfHeartedly",
    "forksEverything",
  ] as const)("find a backend that %s", async (name) => {
    let found = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const differs = await compare(broken.brokenBackend(broken[name]), seed, 100).then(
        () => false,
        () => true,
      );
      if (differs) found++;
    }
    expect(found).toBeGreaterThan(0);
  });

  test("find a backend that mixes upper and lower case", async () => {
    await expect(compare(broken.brokenBackend(broken.mixesUpperAndLowerCase), 1, 100)).rejects.toThrow();
  });
});
