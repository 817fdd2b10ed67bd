import { expect, test } from "vitest";
import { turnsOf } from "../../src/context/turns.ts";
import type { Message } from "../../src/format/message.ts";

const user: Message = { role: "user", content: "?" };
const answer: Message = { role: "assistant", content: "!" };
const system: Message = { role: "system", content: "be kind" };
const calling = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "read", arguments: {} })),
});
const result = (toolCallId: string): Message => ({ role: "tool", toolCallId, content: "done" });

function shape(...messages: Message[]): { seqs: number[]; isOpen: boolean }[] {
  const logged = messages.map((message, index) => ({ seq: index + 1, message }));
  return turnsOf(logged).map((turn) => ({
    seqs: turn.messages.map(({ seq }) => seq),
    isOpen: turn.isOpen,
  }));
}

test("a turn is a user's message with everything up to the next", () => {
  expect(shape()).toEqual([]);
  expect(shape(user, answer, user, calling("a"), result("a"), answer)).toEqual([
    { seqs: [1, 2], isOpen: false },
    { seqs: [3, 4, 5, 6], isOpen: false },
  ]);
  expect(shape(user, user, answer).map(({ seqs }) => seqs)).toEqual([[1], [2, 3]]);
});

test("what comes before the first question is a turn of its own", () => {
  expect(shape(system, answer, user, answer).map(({ seqs }) => seqs)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test.each<[string, Message[], boolean]>([
  ["only the question", [user], true],
  ["an answer", [user, answer], false],
  ["an answer and a system message", [user, answer, system], false],
  ["a call without a result", [user, calling("a")], true],
  ["one of two results", [user, calling("a", "b"), result("b")], true],
  ["one result for two calls of one id", [user, calling("a", "a"), result("a"), answer], true],
  ["results, and no answer yet", [user, calling("a"), result("a")], true],
  ["an answer before a result that came late", [user, calling("a"), answer, result("a")], false],
  ["an answer although a call has no result", [user, calling("a"), answer], true],
])("the last turn with %s", (_, messages, isOpen) => {
  expect(shape(user, ...messages).at(-1)?.isOpen).toBe(isOpen);
});

test("a turn that another has followed is not open", () => {
  expect(shape(user, calling("a"), user, answer).map(({ isOpen }) => isOpen)).toEqual([false, false]);
});
