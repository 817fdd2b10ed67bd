/** The marks of sessions that wait to be consolidated: none too few, whatever ends the program and when. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryBackend, openStore, type Message, type Session, type Store } from "../../src/index.ts";
import { openMemory, type AskModel, type Memory, type Scope } from "../../src/memory.ts";
import { user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const ANN: Scope = { user: "ann" };
const DUE = { key: "chat:ann", scope: ANN };
const fine: AskModel = () => Promise.resolve('{"history_entry":"x"}');
const down: AskModel = () => Promise.reject(new Error("ECONNREFUSED"));

let directory: string;
let store: Store;
let memory: Memory;
let session: Session;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  store = await openStore(memoryBackend());
  memory = await openMemory({ directory, sessions: store });
  session = store.session("chat:ann");
});

afterEach(async () => {
  await memory.close();
  await removeDirectory(directory);
});

function assistant(content: string): Message {
  return { role: "assistant", content };
}

async function turn(number: number): Promise<void> {
  await session.append([user(`question ${number}`), assistant(`answer ${number}`)]);
}

test("a mark outlives the process, is written once, and is removed when nothing is left", async () => {
  await memory.markDue(DUE);
  await memory.markDue(DUE);
  await turn(1);
  await memory.close();
  memory = await openMemory({ directory, sessions: store });
  expect(await memory.due()).toEqual([
    { ...DUE, since: expect.any(String) as unknown, failures: 0, badAnswers: 0 },
  ]);
  await memory.consolidate(session, { scope: ANN, model: fine });
  expect(await memory.due()).toEqual([]);
});

test("scopes are marked each for itself", async () => {
  await memory.markDue(DUE);
  await memory.markDue({ ...DUE, scope: { user: "bob" } });
  await turn(1);
  await memory.consolidate(session, { scope: ANN, model: fine });
  expect((await memory.due()).map(({ scope }) => scope)).toEqual([{ user: "bob" }]);
});

test("a failure is written to the mark with its reason; an answer that is not JSON too, if it is to be kept", async () => {
  await memory.markDue(DUE);
  await turn(1);
  await memory.consolidate(session, { scope: ANN, model: down });
  const prose: AskModel = () => Promise.resolve("Sure!");
  await memory.consolidate(session, { scope: ANN, model: prose, onBadAnswer: "keep" });
  expect(await memory.due()).toMatchObject([
    { failures: 2, failure: expect.stringContaining("JSON") as string },
  ]);
  expect(await memory.entries({ scope: ANN })).toEqual([]);
  await memory.consolidate(session, { scope: ANN, model: prose });
  expect(await memory.due()).toEqual([]);
  expect(await memory.entries({ scope: ANN })).toHaveLength(1);
});

test("bad answers are counted apart from a model that cannot be reached and from tries that were cut short", async () => {
  await memory.markDue(DUE);
  await turn(1);
  const prose: AskModel = () => Promise.resolve("Sure!");
  const kinds: unknown[] = [];
  for (const model of [down, prose, down]) {
    const done = await memory.consolidate(session, { scope: ANN, model, onBadAnswer: "keep" });
    kinds.push(done.failureKind);
  }
  expect(kinds).toEqual(["unreachable", "bad-answer", "unreachable"]);
  expect(await memory.due()).toMatchObject([{ failures: 3, badAnswers: 1, failureKind: "unreachable" }]);
  await memory.close();
  memory = await openMemory({ directory, sessions: store });
  expect(await memory.due()).toMatchObject([{ failures: 3, badAnswers: 1, failureKind: "unreachable" }]);
});

test("failures that an older version has written, without a kind, count as failures and not as bad answers", async () => {
  await memory.markDue(DUE);
  await memory.close();
  const inside = await openStore(`${directory}/store`);
  const queue = inside.session("consolidation");
  const failed = { ...DUE, at: "2026-11-18T00:00:00.000Z", failure: "ECONNREFUSED" };
  await queue.note("longhand/consolidation-failed", failed);
  await queue.note("longhand/consolidation-failed", { ...failed, failureKind: "of a later version" });
  await inside.close();
  memory = await openMemory({ directory, sessions: store });
  const [due] = await memory.due();
  expect(due).toMatchObject({ failures: 2, badAnswers: 0, failure: "ECONNREFUSED" });
  expect(due).not.toHaveProperty("failureKind");
});

describe("a session whose last turn has no answer", () => {
  test("stays marked, is said to have an open turn, and no failure is written", async () => {
    await memory.markDue(DUE);
    await turn(1);
    await session.append(user("and now?"));
    const done = await memory.consolidate(session, { scope: ANN, model: fine });
    expect(done).toMatchObject({ hasMore: false, hasOpenTurn: true, failure: undefined });
    expect(await memory.due()).toMatchObject([{ failures: 0, hasOpenTurn: true }]);
    // A look that finds the same writes nothing.
    const seqOf = async (): Promise<number | undefined> => {
      // Records get into the files after their answer: another store may not see them at once.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      const inside = await openStore(`${directory}/store`, { readOnly: true });
      const state = await inside.session("consolidation").state();
      await inside.close();
      return state?.seq;
    };
    const before = await seqOf();
    await memory.consolidate(session, { scope: ANN, model: fine });
    expect(await seqOf()).toBe(before);
  });

  test("is an ordinary one again when the conversation goes on, and when a try with it fails", async () => {
    const open = async (): Promise<void> => {
      await session.append(user("and now?"));
      await memory.consolidate(session, { scope: ANN, model: fine });
      expect(await memory.due()).toMatchObject([{ hasOpenTurn: true }]);
    };
    await memory.markDue(DUE);
    await open();
    await memory.markDue(DUE);
    expect((await memory.due())[0]).not.toHaveProperty("hasOpenTurn");
    await open();
    await session.append(assistant("yes"));
    await memory.consolidate(session, { scope: ANN, model: down });
    expect((await memory.due())[0]).not.toHaveProperty("hasOpenTurn");
    await memory.consolidate(session, { scope: ANN, model: fine });
    expect(await memory.due()).toEqual([]);
  });
});

test("an aborted try counts as a failure with the reason of the abort", async () => {
  await memory.markDue(DUE);
  await turn(1);
  const ending = new AbortController();
  const never: AskModel = () => {
    ending.abort(new Error("the program ended"));
    return new Promise(() => undefined);
  };
  const { signal } = ending;
  await expect(memory.consolidate(session, { scope: ANN, model: never, signal })).rejects.toThrow("ended");
  expect(await memory.due()).toMatchObject([
    { failures: 1, badAnswers: 0, failure: "the program ended", failureKind: "cut-short" },
  ]);
});

describe("a turn that begins while an earlier one is consolidated", () => {
  test("keeps the mark: its message is there, though not complete", async () => {
    await memory.markDue(DUE);
    await turn(1);
    const model: AskModel = async () => {
      await session.append(user("and now?"));
      return '{"history_entry":"x"}';
    };
    await memory.consolidate(session, { scope: ANN, model });
    expect(await memory.due()).toHaveLength(1);
  });

  test("keeps the mark while it holds the lock and has written nothing yet", async () => {
    await memory.markDue(DUE);
    await turn(1);
    let lock: AsyncDisposable | undefined;
    const model: AskModel = async () => {
      lock = await session.lock();
      return '{"history_entry":"x"}';
    };
    const done = memory.consolidate(session, { scope: ANN, model });
    await expect.poll(() => lock !== undefined, { timeout: 60_000 }).toBe(true);
    await memory.markDue(DUE);
    await session.append(user("and now?"));
    await lock?.[Symbol.asyncDispose]();
    await done;
    expect(await memory.due()).toHaveLength(1);
  });
});

test("many batches: the marks are right, and what is read of them does not grow", async () => {
  await memory.markDue({ key: "stays", scope: ANN });
  for (let number = 1; number <= 60; number += 1) {
    await memory.markDue(DUE);
    await memory.consolidate(session, { scope: ANN, model: fine });
  }
  expect((await memory.due()).map(({ key }) => key)).toEqual(["stays"]);
  await memory.close();
  memory = await openMemory({ directory, sessions: store });
  expect((await memory.due()).map(({ key }) => key)).toEqual(["stays"]);
  await memory.close();
  const inside = await openStore(`${directory}/store`, { readOnly: true });
  const kinds: string[] = [];
  for await (const record of inside.session("consolidation").records())
    if (record.op === "note") kinds.push(record.kind);
  await inside.close();
  expect(kinds.filter((kind) => kind.endsWith("snapshot"))).toHaveLength(1);
});

test("damage in the log of marks, or notes of another version, break nothing", async () => {
  await memory.close();
  const inside = await openStore(`${directory}/store`);
  const queue = inside.session("consolidation");
  await queue.note("longhand/consolidation-due", { key: 5, scope: ANN });
  await queue.note("longhand/consolidation-due", { key: "k", scope: { planet: "mars" }, since: "yesterday" });
  await queue.note("longhand/consolidation-snapshot", { sessions: "none" });
  await queue.note("longhand/consolidation-new", "?");
  await inside.close();
  memory = await openMemory({ directory, sessions: store });
  expect(await memory.due()).toEqual([]);
  await memory.markDue(DUE);
  expect(await memory.due()).toHaveLength(1);
});
