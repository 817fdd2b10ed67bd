/** docs/backup.md: a copy that is taken while sessions are written to is a store, and holds what was acknowledged before. */

import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/open-store.ts";
import type { Store } from "../../src/contract/types.ts";
import { contentsOf } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEYS = ["a", "b", "c"] as const;
const COPIES = 4;
const BETWEEN_COPIES = 25;
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

/** Appends "1", "2", … to every key until stopped; `acknowledged` counts what has resolved. */
class Writers {
  readonly acknowledged = new Map<string, number>(KEYS.map((key) => [key, 0]));
  #isStopped = false;
  readonly #done: Promise<unknown>;

  constructor(store: Store) {
    this.#done = Promise.all(KEYS.map(async (key) => await this.#write(store, key)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #write(store: Store, key: string): Promise<void> {
    for (let number = 1; !this.#isStopped; number++) {
      await store.session(key).append({ role: "user", content: String(number) });
      this.acknowledged.set(key, number);
    }
  }
}

/** What is wrong with a copy, given what was acknowledged before it was taken. */
async function problemsOf(copy: string, before: ReadonlyMap<string, number>): Promise<string[]> {
  const problems: string[] = [];
  const { store, damage } = await openCollecting(copy);
  for (const key of KEYS) {
    const contents = await contentsOf(store.session(key));
    const isPrefix = contents.every((content, index) => content === String(index + 1));
    if (!isPrefix) problems.push(`${key} is not a prefix`);
    if (contents.length < (before.get(key) ?? 0)) problems.push(`${key} lacks acknowledged messages`);
    await store.session(key).append({ role: "user", content: String(contents.length + 1) });
  }
  problems.push(...(await store.verify()).damage.map(({ reason }) => reason));
  await store.close();
  return [...problems, ...damage.map(({ reason }) => reason)];
}

/** Problems of several copies, each taken while the writers go on. `harm` spoils a copy before it is opened. */
async function takeCopies(harm: (copy: string) => Promise<void>): Promise<string[]> {
  const original = join(directory, "store");
  const store = await openStore(original);
  const writers = new Writers(store);
  const problems: string[] = [];
  try {
    for (let number = 1; number <= COPIES; number++) {
      await expect
        .poll(() => Math.min(...writers.acknowledged.values()))
        .toBeGreaterThan(number * BETWEEN_COPIES);
      const before = new Map(writers.acknowledged);
      const copy = join(directory, `copy-${number}`);
      await promisify(execFile)("cp", ["-a", original, copy]);
      await harm(copy);
      problems.push(...(await problemsOf(copy, before)));
    }
  } finally {
    await writers.stop();
    await store.close();
  }
  return problems;
}

test("a copy taken while sessions are written to holds a prefix with everything acknowledged before", async () => {
  expect(await takeCopies(() => Promise.resolve())).toEqual([]);
});

test("a copy that lacks the journal and the end of a file is noticed", async () => {
  const problems = await takeCopies(async (copy) => {
    await rm(join(copy, ".longhand/journal"), { recursive: true });
    const lines = (await readFile(join(copy, "a.jsonl"), "utf8")).split("\n");
    await writeFile(join(copy, "a.jsonl"), lines.slice(0, 10).join("\n") + "\n");
  });
  // Without the journal the others may lack their last messages too.
  expect(problems.filter((problem) => problem.startsWith("a "))).toEqual(
    Array.from({ length: COPIES }, () => "a lacks acknowledged messages"),
  );
});
