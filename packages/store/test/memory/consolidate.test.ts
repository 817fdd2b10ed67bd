/** Consolidation: every complete turn once, whatever the model, the clock and other processes do. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryBackend, openStore, type Message, type Session, type Store } from "../../src/index.ts";
import { openMemory, type AskModel, type Memory, type Question, type Scope } from "../../src/memory.ts";
import { user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const ANN: Scope = { user: "ann" };

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

function answering(...facts: readonly unknown[]): { model: AskModel; asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    model: (question) => {
      asked.push(question);
      return Promise.resolve(JSON.stringify({ history_entry: `happened ${asked.length}`, facts }));
    },
  };
}

async function texts(kind: "core" | "daily", scope: Scope = ANN): Promise<string[]> {
  return (await memory.entries({ scope, kind })).map(({ text }) => text);
}

describe("one question for what is new", () => {
  test("a daily entry and facts, each with the place they came from", async () => {
    await session.append([user("I live in Porto now"), assistant("Nice!")]);
    const { model, asked } = answering({
      text: "Ann lives in Porto",
      quote: "i live in  PORTO",
      confidence: 0.9,
    });
    const { range, entries, failure } = await memory.consolidate(session, { scope: ANN, model });
    expect([range, failure]).toEqual([{ from: 1, to: 2 }, undefined]);
    const id = (await session.state())?.id;
    const source = { by: "conversation", key: "chat:ann", id, from: 1, to: 2 };
    expect(entries).toMatchObject([
      { kind: "daily", text: "happened 1", source },
      { kind: "core", text: "Ann lives in Porto", source, confidence: 0.9 },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.user).toContain("I live in Porto now");
  });

  test("nothing new: nothing is asked, nothing is written", async () => {
    await turn(1);
    const { model, asked } = answering();
    await memory.consolidate(session, { scope: ANN, model });
    expect(await memory.consolidate(session, { scope: ANN, model })).toEqual({
      ...{ range: undefined, entries: [], failure: undefined, failureKind: undefined },
      ...{ hasMore: false, hasOpenTurn: false },
    });
    expect(asked).toHaveLength(1);
    await turn(2);
    expect((await memory.consolidate(session, { scope: ANN, model })).range).toEqual({ from: 3, to: 4 });
  });

  test("a turn that is still open waits until it was answered", async () => {
    await turn(1);
    await session.append(user("look it up"));
    await session.append({
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c", name: "look", arguments: {} }],
    });
    const { model } = answering();
    expect((await memory.consolidate(session, { scope: ANN, model })).range).toEqual({ from: 1, to: 2 });
    await session.append([{ role: "tool", content: "found", toolCallId: "c" }, assistant("there")]);
    expect((await memory.consolidate(session, { scope: ANN, model })).range).toEqual({ from: 3, to: 6 });
  });

  test("a batch is one request: turns that do not fit wait for the next batch, in order, each turn once", async () => {
    for (let number = 1; number <= 40; number += 1)
      await session.append([user(`question <${number}> ${"words ".repeat(300)}`), assistant("yes")]);
    const { model, asked } = answering();
    for (let batch = 1, hasMore = true; hasMore; batch += 1) {
      const done = await memory.consolidate(session, { scope: ANN, model });
      expect(asked).toHaveLength(batch);
      expect(done.entries).toHaveLength(1);
      ({ hasMore } = done);
    }
    expect(asked.length).toBeGreaterThan(1);
    const numbers = asked.flatMap(({ user: text }) =>
      [...text.matchAll(/question <(\d+)>/gu)].map(([, number]) => Number(number)),
    );
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  test("what a compaction has hidden is remembered, what was rewound is not", async () => {
    await turn(1);
    await turn(2);
    await session.rewind({ messages: 2 });
    await turn(3);
    await session.compact({ summary: "x", keepFrom: 6 });
    const { model, asked } = answering();
    await memory.consolidate(session, { scope: ANN, model });
    expect(asked[0]?.user).toContain("question 1");
    expect(asked[0]?.user).not.toContain("question 2");
    expect(asked[0]?.user).toContain("question 3");
  });

  test("a history that was replaced by a repaired one is not told again", async () => {
    await turn(1);
    await turn(2);
    const { model, asked } = answering();
    await memory.consolidate(session, { scope: ANN, model });
    await session.replace([...(await session.messages()), user("question 3"), assistant("answer 3")]);
    await memory.consolidate(session, { scope: ANN, model });
    expect(asked[1]?.user).toContain("question 3");
    expect(asked[1]?.user).not.toContain("question 1");
  });
});

test("what was rewound and brought back is remembered", async () => {
  await turn(1);
  await turn(2);
  await session.rewind({ to: 2 });
  const { model, asked } = answering();
  await memory.consolidate(session, { scope: ANN, model });
  expect(asked[0]?.user).not.toContain("question 2");
  await session.rewind({ to: 4 });
  await turn(3);
  await memory.consolidate(session, { scope: ANN, model });
  expect(asked[1]?.user).toContain("question 2");
  expect(asked[1]?.user).toContain("question 3");
});

test("after a replaced history, words that were said before are new when they are said again", async () => {
  await session.append([user("status?"), assistant("all green")]);
  const { model, asked } = answering();
  await memory.consolidate(session, { scope: ANN, model });
  await session.replace(await session.messages());
  await new Promise((resolve) => setTimeout(resolve, 5));
  await session.append([user("status?"), assistant("all green")]);
  const { range } = await memory.consolidate(session, { scope: ANN, model });
  expect(range).toEqual({ from: 6, to: 7 });
  expect(asked).toHaveLength(2);
});

test("a session that is begun anew under the same key is not taken into the old one's scope", async () => {
  await turn(1);
  const model: AskModel = async () => {
    await session.delete();
    await session.append([user("I am Bob"), assistant("hello")]);
    return '{"history_entry":"x","facts":[{"text":"a fact","quote":"question 1"}]}';
  };
  await memory.consolidate(session, { scope: ANN, model });
  const { asked, model: later } = answering();
  await memory.consolidate(session, { scope: { user: "bob" }, model: later });
  expect(asked[0]?.user).toContain("I am Bob");
  expect(await texts("daily")).toEqual(["x"]);
});

describe("facts", () => {
  test("a new one supersedes the old, which stays in the log", async () => {
    await memory.remember({ text: "Ann lives in Rome", scope: ANN });
    await session.append([user("I moved to Porto"), assistant("ok")]);
    const { model, asked } = answering({
      text: "Ann lives in Porto",
      quote: "moved to Porto",
      replaces: [1],
    });
    await memory.consolidate(session, { scope: ANN, model });
    expect(asked[0]?.user).toContain("1. Ann lives in Rome");
    expect(await texts("core")).toEqual(["Ann lives in Porto"]);
    const all = await memory.entries({ scope: ANN, kind: "core", all: true });
    expect(all.map(({ status }) => status)).toEqual(["superseded", "current"]);
  });

  test("one that is known already, in other spacing and case, is not learnt twice", async () => {
    await memory.remember({ text: "Ann likes tea", scope: ANN });
    await turn(1);
    const { model } = answering(
      { text: "ann  LIKES tea" },
      { text: "Ann has a cat" },
      { text: "Ann has a cat" },
    );
    await memory.consolidate(session, { scope: ANN, model });
    expect(await texts("core")).toEqual(["Ann likes tea", "Ann has a cat"]);
  });

  test("one without words of the conversation behind it is not trusted much", async () => {
    await turn(1);
    const { model } = answering(
      { text: "Ann is 30", confidence: 1 },
      { text: "Ann is tall", quote: "she is tall", confidence: 1 },
    );
    await memory.consolidate(session, { scope: ANN, model });
    const entries = await memory.entries({ scope: ANN, kind: "core" });
    expect(entries.map(({ confidence }) => confidence)).toEqual([0.4, 0.4]);
  });

  test("numbers of facts that there are not replace nothing; no more than five are taken", async () => {
    await memory.remember({ text: "one", scope: ANN });
    await turn(1);
    const many = Array.from({ length: 9 }, (_, index) => ({
      text: `fact ${index}`,
      replaces: [0, -1, 7, 1.5, "1"],
    }));
    await memory.consolidate(session, { scope: ANN, model: answering(...many).model });
    expect(await texts("core")).toEqual(["one", "fact 0", "fact 1", "fact 2", "fact 3", "fact 4"]);
  });
});

describe("a model that fails", () => {
  test.each([
    ["fences", '```json\n{"history_entry":"x","facts":[]}\n```'],
    ["prose around it", 'Sure! Here it is: {"history_entry":"x","facts":[]} I hope this helps {really}.'],
    ["trailing commas", '{"history_entry":"x","facts":[],}'],
    ["another object first", '{"thinking":"{"} {"history_entry":"x"}'],
    ["the older form", '{"history_entry":"x","memory_update":null}'],
  ])("%s: understood", async (_, text) => {
    await turn(1);
    const model: AskModel = () => Promise.resolve(text);
    expect(await memory.consolidate(session, { scope: ANN, model })).toMatchObject({
      failure: undefined,
      entries: [{ kind: "daily", text: "x" }],
    });
  });

  test.each([
    "no",
    "",
    "{",
    '{"history_entry":',
    "[]",
    '{"facts":[{"text":"invented"}]}',
    '{"history_entry":5}',
  ])("an answer that is not understood (%j) leaves the turn's own words, and no fact", async (text) => {
    await session.append([user("Grüße 🙂 ".repeat(200)), assistant("ok")]);
    let tries = 0;
    const model: AskModel = () => {
      tries += 1;
      return Promise.resolve(text);
    };
    const { entries, failure, range } = await memory.consolidate(session, { scope: ANN, model });
    expect(tries).toBe(1);
    expect(failure).toContain("JSON");
    expect(range).toEqual({ from: 1, to: 2 });
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ kind: "daily" });
    expect(entries[0]?.text).toContain("Grüße 🙂");
    expect(entries[0]?.text.isWellFormed()).toBe(true);
  });

  test("one that cannot be reached leaves the turn for the next time", async () => {
    await turn(1);
    const down: AskModel = () => Promise.reject(new Error("ECONNREFUSED"));
    expect(await memory.consolidate(session, { scope: ANN, model: down })).toEqual({
      ...{ range: undefined, entries: [], failure: "ECONNREFUSED", failureKind: "unreachable" },
      ...{ hasMore: true, hasOpenTurn: false },
    });
    expect(await memory.entries({ scope: ANN })).toEqual([]);
    await turn(2);
    const { model, asked } = answering();
    expect((await memory.consolidate(session, { scope: ANN, model })).range).toEqual({ from: 1, to: 4 });
    expect(asked[0]?.user).toContain("question 1");
  });

  test("the time limit and the caller's signal end it, with nothing written", async () => {
    await turn(1);
    const never: AskModel = () => new Promise(() => undefined);
    expect(await memory.consolidate(session, { scope: ANN, model: never, timeLimit: 20 })).toEqual({
      ...{ range: undefined, entries: [], failure: "no answer within 20 ms" },
      ...{ failureKind: "unreachable", hasMore: true, hasOpenTurn: false },
    });
    const signal = AbortSignal.abort(new Error("stop"));
    await expect(memory.consolidate(session, { scope: ANN, model: never, signal })).rejects.toThrow("stop");
    expect(await memory.entries({ scope: ANN })).toEqual([]);
  });
});

describe("once and only once", () => {
  test("two at the same time: one of them writes", async () => {
    await turn(1);
    let waiting = 0;
    let release = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const model: AskModel = async () => {
      if (++waiting === 2) release();
      await both;
      return '{"history_entry":"x"}';
    };
    await Promise.all([
      memory.consolidate(session, { scope: ANN, model }),
      memory.consolidate(session, { scope: ANN, model }),
    ]);
    expect(await texts("daily")).toEqual(["x"]);
  });

  test("a new session of the same key begins anew; scopes are counted each for itself", async () => {
    await turn(1);
    const { model } = answering();
    await memory.consolidate(session, { scope: ANN, model });
    const bob = await memory.consolidate(session, { scope: { user: "bob" }, model });
    expect(bob.range).toEqual({ from: 1, to: 2 });
    await session.delete();
    await turn(2);
    expect((await memory.consolidate(session, { scope: ANN, model })).range).toEqual({ from: 1, to: 2 });
    expect(await texts("daily")).toHaveLength(2);
  });

  test("closed and opened again, it knows how far it was", async () => {
    await turn(1);
    await memory.consolidate(session, { scope: ANN, model: answering().model });
    await memory.close();
    memory = await openMemory({ directory, sessions: store });
    const { model, asked } = answering();
    await memory.consolidate(session, { scope: ANN, model });
    expect(asked).toEqual([]);
  });
});

describe("recall", () => {
  test("over entries and sessions, with places that can be opened", async () => {
    await session.append([user("my bicycle is red"), assistant("noted")]);
    await memory.consolidate(session, {
      scope: ANN,
      model: answering({ text: "Ann has a red bicycle" }).model,
    });
    const found = await memory.recall("BICYCLE", { scope: { user: "ann", channel: "web" } });
    expect(found.map(({ from }) => from).sort()).toEqual(["memory", "session"]);
    const said = found.find((each) => each.from === "session");
    expect(said).toMatchObject({ key: "chat:ann", seq: 1 });
    expect(await memory.recall("bicycle", { scope: ANN, in: "memory", limit: 1 })).toHaveLength(1);
    expect(await memory.recall('"', { scope: ANN })).toEqual([]);
    expect(await memory.recall("", { scope: ANN })).toEqual([]);
  });

  test("never another's: not his facts, not his conversations", async () => {
    await session.append([user("my password hint is walrus"), assistant("noted")]);
    await memory.consolidate(session, { scope: ANN, model: answering({ text: "the hint is walrus" }).model });
    const others = [
      { user: "bob" },
      { user: "ann " },
      { user: "Ann" },
      { channel: "ann" },
      {},
      { agent: "ann" },
    ];
    for (const scope of others) expect(await memory.recall("walrus", { scope })).toEqual([]);
    await session.delete();
    await session.append(user("a walrus of somebody else"));
    expect(await memory.recall("somebody", { scope: ANN })).toEqual([]);
    await session.delete({ forever: true });
    // The control: the owner finds it.
    expect(await memory.recall("walrus", { scope: ANN })).toHaveLength(1);
  });
});
