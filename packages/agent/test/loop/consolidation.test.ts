/** When turns become memory: how many requests, when, and what a failure or the end of a program leaves. */

import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { CONSOLIDATION_DEFAULTS } from "../../src/loop/consolidation.ts";
import type { ConsolidationSettings } from "../../src/loop/types.ts";
import type { Model, ModelRequest } from "../../src/models/model.ts";
import {
  openTestLoop,
  removeDirectories,
  settingsIn,
  temporaryDirectory,
  type TestLoop,
} from "../support/open-test-loop.ts";
import { gate, lastText, says, scriptedModel } from "../support/scripted-model.ts";

afterEach(removeDirectories);

const LONG = { timeout: 60_000 };

function isMemoryRequest({ messages }: ModelRequest): boolean {
  const system = messages.find(({ role }) => role === "system")?.content;
  return typeof system === "string" && system.startsWith("You keep the memory");
}

interface Recorder {
  readonly model: Model;
  readonly asked: string[];
  turns: number;
}

/** Counts requests; `answer` is what the model says when it is asked what to remember. */
function recorder(
  answer: (request: ModelRequest) => string = () => '{"history_entry":"They talked."}',
): Recorder {
  const found: Recorder = {
    asked: [],
    turns: 0,
    model: scriptedModel((request) => {
      if (isMemoryRequest(request)) {
        found.asked.push(lastText(request));
        return says(answer(request));
      }
      found.turns += 1;
      return says("yes");
    }),
  };
  return found;
}

async function open(
  directory: string,
  model: Model,
  consolidation: ConsolidationSettings = {},
): Promise<TestLoop> {
  const settings = settingsIn(directory, model, {
    memory: join(directory, "main", "memory"),
    // Far away, so that only what a test does counts.
    consolidation: { startDelayMs: 3_600_000, graceMs: 60_000, ...consolidation },
  });
  return await openTestLoop(directory, [settings]);
}

async function sayAll({ loop }: TestLoop, key: string, count: number, first = 1): Promise<void> {
  const conversation = loop.agent().conversation(key);
  for (let number = first; number < first + count; number += 1)
    await conversation.say({ text: `question <${number}>` });
}

async function waiting({ loop }: TestLoop): Promise<readonly string[]> {
  return ((await loop.agent().memory?.due()) ?? []).map(({ key }) => key);
}

function numbersIn(asked: readonly string[]): number[] {
  return asked.flatMap((text) =>
    [...text.matchAll(/question <(\d+)>/gu)].map(([, number]) => Number(number)),
  );
}

describe("a batch", () => {
  test.each([
    [1, 0],
    [5, 0],
    [6, 1],
    [12, 2],
  ])("%i turns cost %i requests for the memory", async (turns, requests) => {
    const directory = await temporaryDirectory();
    const { model, asked } = recorder();
    const opened = await open(directory, model);
    // A batch has what was said until its request: the next turn begins when that is made.
    for (let first = 1; first <= turns; first += 6) {
      const count = Math.min(6, turns - first + 1);
      await sayAll(opened, "a", count, first);
      if (count === 6) await expect.poll(() => asked.length, LONG).toBe((first + 5) / 6);
    }
    await opened.loop.close();
    expect(asked).toHaveLength(requests);
    expect(numbersIn(asked)).toEqual(Array.from({ length: requests * 6 }, (_, index) => index + 1));
  });

  test("is due when nothing was said for a while", async () => {
    const directory = await temporaryDirectory();
    const { model, asked } = recorder();
    const opened = await open(directory, model, { idleMs: 20 });
    await sayAll(opened, "a", 1);
    await expect.poll(() => asked.length, LONG).toBe(1);
    await expect.poll(async () => await waiting(opened), LONG).toEqual([]);
    await opened.loop.close();
  });

  test("is due when the conversation is left, and not for one without new turns", async () => {
    const directory = await temporaryDirectory();
    const { model, asked } = recorder();
    const opened = await open(directory, model);
    await sayAll(opened, "a", 2);
    opened.loop.agent().conversation("b").leave();
    opened.loop.agent().conversation("a").leave();
    await expect.poll(() => asked.length, LONG).toBe(1);
    opened.loop.agent().conversation("a").leave();
    await opened.loop.close();
    expect(numbersIn(asked)).toEqual([1, 2]);
  });

  test("delays no answer: turns go on while the model is asked what to remember", async () => {
    const directory = await temporaryDirectory();
    const held = gate();
    const model = scriptedModel(async function* (request, signal) {
      if (isMemoryRequest(request)) await held.opened(signal);
      yield* says(isMemoryRequest(request) ? '{"history_entry":"x"}' : "yes");
    });
    const opened = await open(directory, model, { batchTurns: 1 });
    await sayAll(opened, "a", 3);
    held.open();
    await expect.poll(async () => await waiting(opened), LONG).toEqual([]);
    await opened.loop.close();
  });

  test("is not made by a model that cannot do it", async () => {
    const directory = await temporaryDirectory();
    const { model, asked } = recorder();
    const opened = await open(directory, { ...model, canSummarise: false }, { batchTurns: 1 });
    await sayAll(opened, "a", 2);
    expect(await waiting(opened)).toEqual([]);
    await opened.loop.close();
    expect(asked).toEqual([]);
  });
});

describe("a failure", () => {
  test("of a model that cannot be reached: one request, one notice in a run, and the reason is kept", async () => {
    const directory = await temporaryDirectory();
    let tries = 0;
    const model = scriptedModel((request) => {
      if (!isMemoryRequest(request)) return says("yes");
      tries += 1;
      throw new Error("ECONNREFUSED");
    });
    const opened = await open(directory, model, { batchTurns: 1 });
    await sayAll(opened, "a", 1);
    await expect.poll(() => tries, LONG).toBe(1);
    await sayAll(opened, "a", 4);
    await expect
      .poll(async () => (await opened.loop.agent().memory?.due())?.[0]?.failures, LONG)
      .toBeGreaterThan(0);
    await opened.loop.close();
    // The pause after a failure holds: not one request for each turn.
    expect(tries).toBe(1);
    expect(opened.problems.map(({ code }) => code)).toEqual(["MEMORY_LATE"]);
    expect(opened.problems[0]?.message).toContain("longhand doctor");
  });

  test("an answer that is not JSON is tried again later; the third time the turns become a plain entry", async () => {
    const directory = await temporaryDirectory();
    const { model, asked } = recorder(() => "Sure! I will remember.");
    for (let start = 1; start <= 3; start += 1) {
      const opened = await open(directory, model);
      if (start === 1) await sayAll(opened, "a", 1);
      await opened.loop.agent().catchUpMemory();
      expect(asked).toHaveLength(start);
      const due = (await opened.loop.agent().memory?.due()) ?? [];
      expect(due.map(({ failures }) => failures)).toEqual(start < 3 ? [start] : []);
      const entries = (await opened.loop.agent().memory?.everything()) ?? [];
      expect(entries.map(({ kind }) => kind)).toEqual(start < 3 ? [] : ["daily"]);
      await opened.loop.close();
    }
  });

  test("only bad answers make a plain entry: a model that was out of reach twice is asked again after a bad one", async () => {
    const directory = await temporaryDirectory();
    let asked = 0;
    const model = scriptedModel((request) => {
      if (!isMemoryRequest(request)) return says("yes");
      asked += 1;
      if (asked <= 2) throw new Error("ECONNREFUSED");
      return says("Sure! I will remember.");
    });
    const opened = await open(directory, model);
    await sayAll(opened, "a", 1);
    const entries: number[] = [];
    for (let tries = 1; tries <= 5; tries += 1) {
      await opened.loop.agent().catchUpMemory();
      entries.push((await opened.loop.agent().memory?.everything())?.length ?? 0);
    }
    expect(asked).toBe(5);
    expect(entries).toEqual([0, 0, 0, 0, 1]);
    await opened.loop.close();
  });

  test("a catch-up tries one session that fails, and no other", async () => {
    const directory = await temporaryDirectory();
    const before = await open(directory, recorder().model);
    for (const key of ["a", "b", "c"]) await sayAll(before, key, 1);
    await before.loop.close();
    let tries = 0;
    const model = scriptedModel((request) => {
      if (!isMemoryRequest(request)) return says("yes");
      tries += 1;
      throw new Error("down");
    });
    const opened = await open(directory, model);
    expect(await opened.loop.agent().catchUpMemory()).toEqual({
      consolidated: 0,
      failure: "down",
      waiting: 3,
      open: 0,
    });
    expect(tries).toBe(1);
    await opened.loop.close();
  });
});

describe("the end of a program", () => {
  test("begins no request", async () => {
    const directory = await temporaryDirectory();
    const { model, asked } = recorder();
    const opened = await open(directory, model);
    await sayAll(opened, "a", 5);
    await opened.loop.close();
    expect(asked).toEqual([]);
  });

  test("does not wait for a model that hangs; the try counts, and the next start catches up once", async () => {
    const directory = await temporaryDirectory();
    let hanging = 0;
    const hangs = scriptedModel(async function* (request, signal) {
      if (isMemoryRequest(request)) {
        hanging += 1;
        await gate().opened(signal);
      }
      yield* says("yes");
    });
    const opened = await open(directory, hangs, { batchTurns: 1, graceMs: 1 });
    await sayAll(opened, "a", 1);
    await expect.poll(() => hanging, LONG).toBe(1);
    await opened.loop.close();
    const { model, asked } = recorder();
    const short = await open(directory, model);
    expect(await short.loop.agent().memory?.due()).toMatchObject([{ key: "a", failures: 1 }]);
    // One that ends after its first answer, such as -m, would cut it short again.
    await sayAll(short, "b", 1);
    await short.loop.close();
    expect(asked).toEqual([]);
    const next = await open(directory, model, { startDelayMs: 20 });
    await expect.poll(() => asked.length, LONG).toBe(2);
    await next.loop.close();
    expect(numbersIn(asked)).toEqual([1, 1]);
  });
});

test("a turn that a kill has left open is no failure, and is consolidated once the conversation is continued", async () => {
  const directory = await temporaryDirectory();
  const { model, asked } = recorder();
  const opened = await open(directory, model);
  const agent = opened.loop.agent();
  await sayAll(opened, "a", 1);
  // As a kill in the middle of the second turn leaves it: marked, and not answered.
  await agent.store.session("a").append({ role: "user", content: "question <2>" });
  expect(await agent.catchUpMemory()).toEqual({ consolidated: 1, failure: undefined, waiting: 0, open: 1 });
  expect(await agent.catchUpMemory()).toEqual({ consolidated: 0, failure: undefined, waiting: 0, open: 1 });
  expect(numbersIn(asked)).toEqual([1]);
  await sayAll(opened, "a", 1, 3);
  expect(await agent.catchUpMemory()).toEqual({ consolidated: 1, failure: undefined, waiting: 0, open: 0 });
  expect(numbersIn(asked)).toEqual([1, 2, 3]);
  await opened.loop.close();
});

test("the defaults are what the documentation says", () => {
  expect(CONSOLIDATION_DEFAULTS).toEqual({
    batchTurns: 6,
    idleMs: 300_000,
    startDelayMs: 10_000,
    graceMs: 1000,
  });
});
