/** Seed fault 34: a history that is trimmed to its last 50 messages begins in the middle of a turn. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { BEGINS_WITH_ANSWER } from "../../src/context/repair/repair-messages.ts";
import { buildContext } from "../../src/context/window/build-context.ts";
import { memoryBackend, openStore, type Message, type Session, type Store } from "../../src/index.ts";
import { fourCharacters } from "../support/four-characters.ts";
import { refusal } from "../support/strict-provider.ts";

let store: Store;
let session: Session;

beforeEach(async () => {
  store = await openStore(memoryBackend());
  session = store.session("telegram:1");
  for (let turn = 1; turn <= 30; turn += 1) {
    const calls = ["a", "b", "c"].map((id) => ({ id: `${id}${turn}`, name: "read", arguments: {} }));
    await session.append([
      { role: "user", content: `question ${turn}` },
      { role: "assistant", content: "", toolCalls: calls },
      ...calls.map(({ id }): Message => ({ role: "tool", toolCallId: id, content: `result ${id}` })),
      { role: "assistant", content: `answer ${turn}` },
    ]);
  }
});

afterEach(async () => {
  await store.close();
});

test("seed fault 34: the last 50 messages as they are would be refused", async () => {
  expect(refusal(await session.messages({ last: 50 }))).toMatch(/a result without a call/);
});

test("seed fault 34: a window of any size begins with a question and has whole turns", async () => {
  // From the size on that has room for one whole turn beside the line that names the omitted messages.
  for (let maxTokens = 170; maxTokens <= 3000; maxTokens += 7) {
    const context = await buildContext(session, { estimator: fourCharacters, maxTokens, reserve: 0 });
    expect(refusal(context.messages)).toBeUndefined();
    const shown = context.messages.filter(({ role }) => role !== "system");
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length % 6).toBe(0);
    expect(shown[0]?.role).toBe("user");
    expect(shown).toEqual((await session.messages()).slice(-shown.length));
    expect(context.messages.length - shown.length).toBe(shown.length === 180 ? 0 : 1);
    expect(context.shortened).toEqual([]);
  }
});

test("seed fault 34: a session that was trimmed so is valid, and the model learns what is missing", async () => {
  await session.truncate({ keepLast: 50 });
  const context = await buildContext(session, { estimator: fourCharacters });
  expect(refusal(context.messages)).toBeUndefined();
  expect(context.messages.slice(0, 4)).toEqual([
    {
      role: "system",
      content: "[1 earlier message (record 131) is not shown: it is an unmatched tool result]",
    },
    { role: "user", content: BEGINS_WITH_ANSWER },
    { role: "assistant", content: "answer 22" },
    { role: "user", content: "question 23" },
  ]);
  expect(context.repairs.map(({ kind }) => kind)).toEqual(["orphan-result", "leading-answer"]);
});
