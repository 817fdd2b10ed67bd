/** What is tried again after a failure, and when, on a clock of the test's own; and marks that the memory does not take at once. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryBackend, openStore } from "@longhand/store";
import type { Consolidated, DueSession } from "@longhand/store/memory";
import { createKernel } from "../../src/kernel/create-kernel.ts";
import { Consolidation } from "../../src/loop/consolidation.ts";
import { pauseLeftMs, retryPauseMs } from "../../src/loop/retry-pause.ts";

const SCOPE = { user: "ann" };
const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});

afterEach(() => void vi.useRealTimers());

/** As the memory of the store answers, without its files. */
class FakeMemory {
  readonly marks = new Map<string, DueSession>();
  readonly tried: string[] = [];
  isReachable = true;
  /** How many of the next calls fail. */
  failing = { due: 0, markDue: 0, consolidate: 0 };
  /** Calls of markDue wait for it. */
  held: Promise<void> = Promise.resolve();

  wait(...keys: readonly string[]): void {
    const since = new Date().toISOString();
    for (const key of keys) this.marks.set(key, { key, scope: SCOPE, since, failures: 0, badAnswers: 0 });
  }

  async due(): Promise<readonly DueSession[]> {
    this.#failIf("due");
    return await Promise.resolve([...this.marks.values()]);
  }

  async markDue({ key }: { readonly key: string }): Promise<void> {
    this.#failIf("markDue");
    await this.held;
    if (!this.marks.has(key)) this.wait(key);
  }

  async consolidate({ key }: { readonly key: string }): Promise<Consolidated> {
    this.tried.push(key);
    this.#failIf("consolidate");
    const mark = this.marks.get(key);
    const none = { entries: [], failureKind: undefined, hasMore: false, hasOpenTurn: false };
    if (mark === undefined) return { ...none, range: undefined, failure: undefined };
    if (this.isReachable) {
      this.marks.delete(key);
      return await Promise.resolve({ ...none, range: { from: 1, to: 2 }, failure: undefined });
    }
    const failedAt = new Date().toISOString();
    this.marks.set(key, { ...mark, failures: mark.failures + 1, failedAt, failure: "ECONNREFUSED" });
    return { ...none, range: undefined, failure: "ECONNREFUSED", failureKind: "unreachable", hasMore: true };
  }

  #failIf(call: keyof FakeMemory["failing"]): void {
    if (this.failing[call] === 0) return;
    this.failing[call] -= 1;
    throw new Error(`EIO in ${call}`);
  }
}

async function withConsolidation(
  memory: FakeMemory,
  use: (consolidation: Consolidation, problems: readonly string[]) => Promise<void>,
): Promise<void> {
  await using kernel = createKernel({ onEvent: vi.fn() });
  const store = await openStore(memoryBackend());
  const problems: string[] = [];
  const consolidation = new Consolidation(kernel, {
    agent: "main",
    memory,
    session: (key) => store.session(key),
    ask: () => () => Promise.resolve(""),
    onProblem: ({ message }) => problems.push(message),
    settings: { graceMs: 0 },
  });
  await use(consolidation, problems);
  const stopped = consolidation.stop();
  await vi.advanceTimersByTimeAsync(1000);
  await stopped;
}

async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}

async function start(): Promise<void> {
  await pass(10_000);
}

describe("after a start with a model that is out of reach", () => {
  test("one session is tried; when the model is back, all are consolidated without another start", async () => {
    const memory = new FakeMemory();
    memory.wait("a", "b", "c");
    memory.isReachable = false;
    await withConsolidation(memory, async () => {
      await start();
      expect(memory.tried).toEqual(["a"]);
      memory.isReachable = true;
      await pass(WEEK);
      expect([...memory.marks.keys()]).toEqual([]);
      expect(memory.tried.toSorted()).toEqual(["a", "a", "b", "c"]);
    });
  });

  test("a model that stays away is asked less and less, never about all sessions at once", async () => {
    const memory = new FakeMemory();
    memory.wait(...Array.from({ length: 50 }, (_, index) => `s${index}`));
    memory.isReachable = false;
    await withConsolidation(memory, async () => {
      await start();
      await pass(10 * MINUTE);
      expect(new Set(memory.tried).size).toBeLessThan(5);
      expect(memory.tried.length).toBeLessThan(20);
    });
  });
});

describe("a session whose request the end of a program has cut short", () => {
  const cutShort = (...keys: readonly string[]): FakeMemory => {
    const memory = new FakeMemory();
    memory.wait(...keys);
    const [failedAt, failure] = [new Date().toISOString(), "the program ended"];
    for (const [key, mark] of memory.marks)
      memory.marks.set(key, { ...mark, failures: 3, failedAt, failure, failureKind: "cut-short" });
    return memory;
  };

  test("is tried beside an answer, by a program of one message too, but not before its pause is over", async () => {
    const memory = cutShort("a");
    await withConsolidation(memory, async (consolidation) => {
      consolidation.answerBegins();
      await pass(9000);
      expect(memory.tried).toEqual([]);
    });
    await pass(5 * MINUTE);
    await withConsolidation(memory, async (consolidation) => {
      consolidation.answerBegins();
      await pass(0);
      expect(memory.tried).toEqual(["a"]);
      expect([...memory.marks.keys()]).toEqual([]);
    });
  });

  test("is tried by a program that runs for 10 seconds, whether it has answered before or not", async () => {
    for (const answers of [true, false]) {
      const memory = cutShort("a", "b");
      await withConsolidation(memory, async (consolidation) => {
        if (answers) consolidation.answerBegins();
        await start();
        expect(memory.tried).toEqual(["a", "b"]);
      });
    }
  });
});

describe("an error while the memory is read", () => {
  test("at the first turn: this turn and the next ones are marked", async () => {
    const memory = new FakeMemory();
    memory.failing.due = 1;
    await withConsolidation(memory, async (consolidation, problems) => {
      await consolidation.turnBegins("a", SCOPE);
      await consolidation.turnBegins("b", SCOPE);
      expect([...memory.marks.keys()]).toEqual(["a", "b"]);
      expect(problems).toHaveLength(1);
    });
  });

  test("at the start: the catch-up is tried again", async () => {
    const memory = new FakeMemory();
    memory.wait("a");
    memory.failing.due = 2;
    await withConsolidation(memory, async () => {
      await start();
      expect(memory.tried).toEqual([]);
      await pass(4 * MINUTE);
      expect([...memory.marks.keys()]).toEqual([]);
    });
  });

  test("in the middle of a batch: the batch is tried again", async () => {
    const memory = new FakeMemory();
    memory.failing.consolidate = 1;
    await withConsolidation(memory, async (consolidation) => {
      await consolidation.turnBegins("a", SCOPE);
      consolidation.turnEnded("a", SCOPE);
      consolidation.conversationEnded("a", SCOPE);
      await pass(2 * MINUTE);
      expect(memory.tried).toEqual(["a", "a"]);
      expect([...memory.marks.keys()]).toEqual([]);
    });
  });
});

describe("a mark that the memory does not take", () => {
  test("is reported, does not hold up the turn, and is made as soon as the memory takes it", async () => {
    const memory = new FakeMemory();
    memory.failing.markDue = 3;
    await withConsolidation(memory, async (consolidation, problems) => {
      await consolidation.turnBegins("a", SCOPE);
      expect(problems[0]).toContain("EIO in markDue");
      expect([...memory.marks.keys()]).toEqual([]);
      await pass(MINUTE);
      expect([...memory.marks.keys()]).toEqual(["a"]);
    });
  });

  test("in time is made behind the turn's back, and reported", async () => {
    const memory = new FakeMemory();
    let release = (): void => undefined;
    memory.held = new Promise((resolve) => (release = resolve));
    await withConsolidation(memory, async (consolidation, problems) => {
      let hasBegun = false;
      const begun = consolidation.turnBegins("a", SCOPE).then(() => (hasBegun = true));
      await pass(1900);
      expect(hasBegun).toBe(false);
      await pass(200);
      await begun;
      expect(problems[0]).toContain("a could not be marked within 2 seconds");
      release();
      await pass(0);
      expect([...memory.marks.keys()]).toEqual(["a"]);
    });
  });

  test("is tried once more when the program ends", async () => {
    const memory = new FakeMemory();
    memory.failing.markDue = 1;
    await withConsolidation(memory, async (consolidation) => {
      await consolidation.turnBegins("a", SCOPE);
      expect([...memory.marks.keys()]).toEqual([]);
    });
    expect([...memory.marks.keys()]).toEqual(["a"]);
  });
});

describe("the pause after failures", () => {
  const now = Date.parse("2026-11-18T00:00:00.000Z");
  const failed = (failures: number, ago: number): number =>
    pauseLeftMs({ failures, failedAt: new Date(now - ago).toISOString() }, now);

  test("grows from a minute to a day", () => {
    expect([1, 2, 3, 30].map(retryPauseMs)).toEqual([60_000, 120_000, 240_000, 86_400_000]);
  });

  test("is the same for the timer of a process and for what the next process reads", () => {
    expect(pauseLeftMs({ failures: 0 }, now)).toBe(0);
    expect([1, 2, 3].map((failures) => failed(failures, 0))).toEqual([1, 2, 3].map(retryPauseMs));
    expect([failed(3, 3 * MINUTE), failed(3, 5 * MINUTE)]).toEqual([MINUTE, 0]);
  });

  test("ends though the failure has a time in the future", () => {
    expect(failed(1, -WEEK)).toBe(MINUTE);
    expect(failed(99, -WEEK)).toBe(24 * 60 * MINUTE);
  });
});
