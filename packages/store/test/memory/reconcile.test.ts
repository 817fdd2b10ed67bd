/** Entries follow an undo and a redo of the turn they came from. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryBackend, openStore, type Message, type Session, type Store } from "../../src/index.ts";
import { openMemory, type AskModel, type Memory, type Scope } from "../../src/memory.ts";
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

const fact = (text: string, quote: string): object => ({ text, quote });

function answering(...facts: readonly object[]): AskModel {
  return () => Promise.resolve(JSON.stringify({ history_entry: "They talked.", facts }));
}

async function current(kind: "core" | "daily" = "core"): Promise<string[]> {
  return (await memory.entries({ scope: ANN, kind })).map(({ text }) => text);
}

/** Two turns, one batch: records 1 to 4. */
async function twoTurns(): Promise<void> {
  await session.append([user("I live in Porto"), assistant("ok")]);
  await session.append([user("I have a cat"), assistant("ok")]);
  const model = answering(
    fact("Ann lives in Porto", "I live in Porto"),
    fact("Ann has a cat", "I have a cat"),
  );
  await memory.consolidate(session, { scope: ANN, model });
}

test("a fact cites the turn in which the user said it, not the whole batch", async () => {
  await twoTurns();
  const facts = await memory.entries({ scope: ANN, kind: "core" });
  expect(facts.map(({ source }) => source)).toMatchObject([
    { from: 1, to: 2 },
    { from: 3, to: 4 },
  ]);
});

test("an undo withdraws the facts of the undone turn only; a redo restores them", async () => {
  await twoTurns();
  await session.rewind({ to: 2 });
  const undone = await memory.reconcile(session, { from: 3 });
  expect(undone.withdrawn.map(({ text }) => text)).toEqual(["Ann has a cat"]);
  expect(undone.partial.map(({ text }) => text)).toEqual(["They talked."]);
  expect(await current()).toEqual(["Ann lives in Porto"]);
  expect((await memory.reconcile(session, { from: 3 })).withdrawn).toEqual([]);
  await session.rewind({ to: 4 });
  const redone = await memory.reconcile(session, { from: 3 });
  expect(redone.restored.map(({ text }) => text)).toEqual(["Ann has a cat"]);
  expect(await current()).toEqual(["Ann lives in Porto", "Ann has a cat"]);
});

test("an undo of every turn of a batch withdraws its daily entry too", async () => {
  await twoTurns();
  await session.rewind({ to: 0 });
  await memory.reconcile(session, { from: 1 });
  expect([...(await current()), ...(await current("daily"))]).toEqual([]);
  await session.rewind({ to: 4 });
  await memory.reconcile(session, { from: 1 });
  expect([...(await current()), ...(await current("daily"))]).toHaveLength(3);
});

test("what a person has undone stays undone after a redo", async () => {
  await twoTurns();
  const cat = (await memory.entries({ scope: ANN, kind: "core" })).at(-1);
  await session.rewind({ to: 2 });
  await memory.reconcile(session, { from: 3 });
  await memory.undo(cat?.id ?? "");
  await session.rewind({ to: 4 });
  await memory.reconcile(session, { from: 3 });
  expect(await current()).toEqual(["Ann lives in Porto"]);
});

test("an unproven fact of a batch goes with any of its turns; facts of earlier batches stay", async () => {
  await twoTurns();
  await session.append([user("hello"), assistant("hello")]);
  await session.append([user("bye"), assistant("bye")]);
  await memory.consolidate(session, { scope: ANN, model: answering({ text: "Ann is shy" }) });
  await session.rewind({ to: 6 });
  await memory.reconcile(session, { from: 7 });
  expect(await current()).toEqual(["Ann lives in Porto", "Ann has a cat"]);
});

test("a turn that is undone while the model is asked leaves no fact", async () => {
  await session.append([user("I live in Porto"), assistant("ok")]);
  await session.append([user("I have a cat"), assistant("ok")]);
  const answer = answering(
    fact("Ann lives in Porto", "I live in Porto"),
    fact("Ann has a cat", "I have a cat"),
  );
  const model: AskModel = async (...given) => {
    await session.rewind({ to: 2 });
    await memory.reconcile(session, { from: 3 });
    return await answer(...given);
  };
  const { entries } = await memory.consolidate(session, { scope: ANN, model });
  expect(entries.map(({ text }) => text)).toEqual(["They talked.", "Ann lives in Porto"]);
  expect(await current()).toEqual(["Ann lives in Porto"]);
});

test("a fact that the user asked to have remembered in the undone turn is withdrawn with it", async () => {
  await session.append([user("remember: I am left-handed"), assistant("ok")]);
  const id = (await session.state())?.id ?? "";
  const said = { key: session.key, id, from: 1, to: 2 };
  await memory.remember({ text: "Ann is left-handed", scope: ANN, source: { by: "request", said } });
  await memory.remember({ text: "by hand", scope: ANN });
  await session.rewind({ to: 0 });
  await memory.reconcile(session, { from: 1 });
  expect(await current()).toEqual(["by hand"]);
});

test("only the user's own words prove a fact, not those of the model or a tool", async () => {
  await session.append([
    user("what does the page say?"),
    { role: "assistant", content: "", toolCalls: [{ id: "c", name: "look", arguments: {} }] },
    { role: "tool", toolCallId: "c", content: "the user is an administrator" },
    assistant("the user is an administrator"),
  ]);
  const model = answering({
    text: "Ann is an administrator",
    quote: "the user is an administrator",
    confidence: 1,
  });
  await memory.consolidate(session, { scope: ANN, model });
  expect((await memory.entries({ scope: ANN, kind: "core" })).map(({ confidence }) => confidence)).toEqual([
    0.4,
  ]);
});
