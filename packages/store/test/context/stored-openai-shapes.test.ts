/** Messages with OpenAI's fields: refused, mapped by the older contract, and mapped where older versions have stored them. */

import { expect, test } from "vitest";
import { memoryBackend } from "../../src/backends/memory.ts";
import { buildContext, compactSession, repairHistory } from "../../src/context.ts";
import { openMemory, type AskModel } from "../../src/memory.ts";
import { toOpenAI } from "../../src/messages.ts";
import { openStore } from "../../src/open-store.ts";
import type { Message } from "../../src/format/message.ts";
import { messageBody } from "../../src/format/message-body.ts";
import type { Backend, OpenBackend } from "../../src/contract/backend.ts";
import { addBodies } from "../../src/contract/decide.ts";
import { JsonlSessions } from "../../src/store/jsonl-sessions.ts";
import type { Session } from "../../src/contract/types.ts";
import { onEachBackend } from "../support/on-each-backend.ts";
import { rejectsTyped } from "../support/rejects-typed.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const QUESTION = { role: "user", content: "Weather in Oslo?" };
const CALL = {
  role: "assistant",
  content: "",
  tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
};
const RESULT = { role: "tool", content: "4 °C", tool_call_id: "c1" };
const OURS = [
  QUESTION,
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }] },
  { role: "tool", content: "4 °C", toolCallId: "c1" },
];
/** As a program in JavaScript hands them in. */
const asMessage = (value: object): Message => value as Message;

/** What a version that took them has left in a session. */
async function withStored(
  messages: readonly object[],
  use: (session: Session) => Promise<void>,
): Promise<void> {
  let opened: OpenBackend | undefined;
  const inner = memoryBackend();
  const backend: Backend = { ...inner, open: async (options) => (opened = await inner.open(options)) };
  const store = await openStore(backend);
  try {
    await opened?.write("k", addBodies(messages.map(messageBody), {}));
    await use(store.session("k"));
  } finally {
    await store.close();
  }
}

onEachBackend("append and replace refuse them, and name the way", async ({ store }) => {
  const session = store.session("k");
  for (const message of [CALL, RESULT]) {
    const field = "tool_calls" in message ? "tool_calls" : "tool_call_id";
    for (const attempt of [session.append(asMessage(message)), session.replace([asMessage(message)])]) {
      const error = await rejectsTyped(attempt);
      expect([error.code, error.detail["field"]]).toEqual(["MESSAGE_INVALID", field]);
      expect(error.message).toContain("fromOpenAI of @longhand/store/messages");
    }
  }
  expect(await session.exists()).toBe(false);
  await session.append({ role: "user", content: "hi", ...{ tool_calls: undefined } });
});

onEachBackend("addFullMessage and setHistory map them, and the model sees them", async ({ store }) => {
  const sessions = new JsonlSessions(store);
  for (const message of [QUESTION, CALL, RESULT]) await sessions.addFullMessage("k", asMessage(message));
  await sessions.setHistory("h", [QUESTION, CALL, RESULT].map(asMessage));
  for (const key of ["k", "h"]) {
    await sessions.save(key);
    expect(await sessions.getHistory(key)).toMatchObject(OURS);
    const { messages, repairs } = await buildContext(store.session(key));
    expect(messages).toMatchObject(OURS);
    expect(repairs).toEqual([]);
    expect(toOpenAI(await sessions.getHistory(key))).toEqual([QUESTION, CALL, RESULT]);
  }
});

test("those that are stored already are calls and results in the context, and stay as they are in the log", async () => {
  await withStored([QUESTION, CALL, RESULT], async (session) => {
    const { messages, repairs } = await buildContext(session);
    expect(messages).toEqual(OURS);
    expect(repairs).toEqual([]);
    expect(await session.messages()).toEqual([QUESTION, CALL, RESULT]);
    expect(await repairHistory(session)).toEqual([]);
    expect((await session.state())?.seq).toBe(3);
  });
});

test("Ollama's calls have no ids, and their results come in order", async () => {
  const calls = ["Oslo", "Rome"].map((city) => ({ function: { name: "weather", arguments: { city } } }));
  const stored = [
    QUESTION,
    { role: "assistant", content: "", tool_calls: calls },
    ...["4 °C", "20 °C"].map(result),
  ];
  await withStored(stored, async (session) => {
    const { messages } = await buildContext(session);
    const [first, second] = messages[1]?.toolCalls ?? [];
    expect([first?.arguments, second?.arguments]).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
    expect(messages.slice(2).map(({ toolCallId, content }) => [toolCallId, content])).toEqual([
      [first?.id, "4 °C"],
      [second?.id, "20 °C"],
    ]);
  });
  function result(content: string): object {
    return { role: "tool", content, tool_name: "weather" };
  }
});

test("a summary of them says what was called", async () => {
  const later = Array.from({ length: 30 }, (_, index) => [
    { role: "user", content: `Question ${index}` },
    { role: "assistant", content: `Answer ${index}` },
  ]).flat();
  await withStored([QUESTION, CALL, RESULT, ...later], async (session) => {
    await compactSession(session);
    expect((await session.state())?.summary).toContain('called weather: {"city":"Oslo"}');
  });
});

test("the memory is told what was called, and a call without its result is a turn that is still open", async () => {
  const directory = await makeTemporaryDirectory();
  const memory = await openMemory({ directory, sessions: await openStore(memoryBackend()) });
  const asked: string[] = [];
  const model: AskModel = ({ user }) => {
    asked.push(user);
    return Promise.resolve('{"history_entry":"x"}');
  };
  await withStored([QUESTION, CALL], async (session) => {
    expect(await memory.consolidate(session, { scope: {}, model })).toMatchObject({ hasOpenTurn: true });
  });
  await withStored([QUESTION, CALL, RESULT, { role: "assistant", content: "4 °C" }], async (session) => {
    await memory.consolidate(session, { scope: {}, model });
  });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('called weather: {"city":"Oslo"}');
  await memory.close();
  await removeDirectory(directory);
});
