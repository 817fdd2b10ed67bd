import { describe, expect, test } from "vitest";
import { NO_RESULT } from "../../../src/context/repair/pair-results.ts";
import {
  BEGINS_WITH_ANSWER,
  EMPTY_MESSAGE,
  repairMessages,
} from "../../../src/context/repair/repair-messages.ts";
import type { Message, ToolCall } from "../../../src/format/message.ts";
import { brokenHistory, Chance, logged, validHistory } from "../../support/random-histories.ts";
import { refusal } from "../../support/strict-provider.ts";

const user = (content: Message["content"] = "hello"): Message => ({ role: "user", content });
const answer = (content: Message["content"] = "ok"): Message => ({ role: "assistant", content });
const system = (content: Message["content"]): Message => ({ role: "system", content });
const calling = (...ids: string[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: "read", arguments: {} })),
});
const result = (toolCallId: string, content = `result of ${toolCallId}`): Message => ({
  role: "tool",
  toolCallId,
  content,
});
const missing = (toolCallId: string): Message => ({
  role: "tool",
  toolCallId,
  name: "read",
  content: NO_RESULT,
  isError: true,
});

function repaired(...messages: Message[]): { messages: Message[]; repairs: string[] } {
  const outcome = repairMessages(messages.map((message, index) => ({ seq: index + 1, message })));
  return {
    messages: outcome.messages.map(({ message }) => message),
    repairs: outcome.repairs.map(({ seq, kind }) => `${seq} ${kind}`),
  };
}

describe("the judge", () => {
  test.each<[string, Message[]]>([
    ["a call without a result at the end", [user(), calling("a")]],
    ["a call without a result in the middle", [user(), calling("a"), user()]],
    ["one of two results missing", [user(), calling("a", "b"), result("a"), answer()]],
    ["a result without a call", [user(), result("a")]],
    ["a result of another call", [user(), calling("a"), result("b")]],
    ["a result that came late", [user(), calling("a"), user(), result("a")]],
    ["two results of one call", [user(), calling("a"), result("a"), result("a")]],
    ["an id used again", [user(), calling("a"), result("a"), calling("a"), result("a")]],
    ["an id twice in one message", [user(), calling("a", "a"), result("a"), result("a")]],
    ["a call without an id", [user(), calling(""), result("")]],
    ["a system message in the middle", [user(), system("be kind"), answer()]],
    ["a second system message", [system("be kind"), system("be brief"), user()]],
    ["an answer first", [answer(), user()]],
    ["an answer that says nothing", [user(), answer("")]],
    ["a user message that says nothing", [user([])]],
    ["a system message that says nothing", [system(" "), user()]],
  ])("refuses %s", (_, messages) => {
    expect(refusal(messages)).toBeTypeOf("string");
    expect(refusal(repaired(...messages).messages)).toBeUndefined();
  });
});

describe("a history", () => {
  test("keeps a result that came late, behind its call", () => {
    expect(repaired(user(), calling("a", "b"), result("b"), user("more"), result("a"), answer())).toEqual({
      messages: [user(), calling("a", "b"), result("b"), result("a"), user("more"), answer()],
      repairs: ["5 moved-result"],
    });
  });

  test("gets a result of ours where none was recorded, which says that nobody knows whether it ran", () => {
    expect(repaired(user(), calling("a", "b"), result("b"), user("more"))).toEqual({
      messages: [user(), calling("a", "b"), result("b"), missing("a"), user("more")],
      repairs: ["2 missing-result"],
    });
    expect(NO_RESULT).toContain("whether it ran is unknown");
  });

  test("loses results that belong to no call, and second ones; the first counts", () => {
    expect(repaired(user(), result("z"), calling("a"), result("a", "1st"), result("a", "2nd"))).toEqual({
      messages: [user(), calling("a"), result("a", "1st")],
      repairs: ["2 orphan-result", "5 second-result"],
    });
  });

  test("has each id once: one that is used again gets another, and so does its result", () => {
    const messages = [
      user(),
      calling("a"),
      result("a", "1"),
      user(),
      calling("a", "a~2"),
      result("a~2"),
      result("a", "2"),
    ];
    expect(repaired(...messages)).toEqual({
      messages: [
        ...messages.slice(0, 4),
        calling("a~3", "a~2"),
        result("a~2"),
        { ...result("a", "2"), toolCallId: "a~3" },
      ],
      repairs: ["5 renamed-call"],
    });
  });

  test("answers two calls of one id in one message in the order of the results", () => {
    expect(repaired(user(), calling("a", "a", "a"), result("a", "1"), result("a", "2"))).toEqual({
      messages: [
        user(),
        calling("a", "a~2", "a~3"),
        result("a", "1"),
        { ...result("a", "2"), toolCallId: "a~2" },
        missing("a~3"),
      ],
      repairs: ["2 renamed-call", "2 renamed-call", "2 missing-result"],
    });
  });

  test("gives a call without an id one, and its result too, also if that names none", () => {
    const nameless: Message = { role: "tool", content: "done" };
    expect(repaired(user(), calling(""), nameless)).toEqual({
      messages: [user(), calling("call~2"), { ...nameless, toolCallId: "call~2" }],
      repairs: ["2 renamed-call"],
    });
  });

  test("never gives the result of one call to an older one of the same id: that would be a guess", () => {
    const messages = [user(), calling("a"), user(), calling("a"), result("a", "new"), result("a", "?")];
    expect(repaired(...messages).messages).toEqual([
      user(),
      calling("a"),
      missing("a"),
      user(),
      calling("a~2"),
      { ...result("a", "new"), toolCallId: "a~2" },
    ]);
  });

  test("has one system message, at the beginning, with the words of all", () => {
    expect(repaired(system("be kind"), user(), system("be brief"), answer(), system(" "))).toEqual({
      messages: [system("be kind\n\n---\n\nbe brief"), user(), answer()],
      repairs: ["3 moved-system", "5 empty-message"],
    });
    const parts = [{ type: "text", text: "be brief" }];
    expect(repaired(user(), system("be kind"), system(parts)).messages[0]?.content).toEqual([
      { type: "text", text: "be kind" },
      { type: "text", text: "\n\n---\n\n" },
      ...parts,
    ]);
  });

  test("begins with a user message: ours stands before an answer that comes first", () => {
    const messages = [answer("welcome"), calling("a"), result("a"), user(), result("b")];
    expect(repaired(...messages)).toEqual({
      messages: [user(BEGINS_WITH_ANSWER), ...messages.slice(0, 4)],
      repairs: ["1 leading-answer", "5 orphan-result"],
    });
    expect(repaired(answer(" "), result("a"), answer("welcome"), user())).toEqual({
      messages: [user(BEGINS_WITH_ANSWER), answer("welcome"), user()],
      repairs: ["1 empty-message", "2 orphan-result", "3 leading-answer"],
    });
    expect(repaired()).toEqual({ messages: [], repairs: [] });
  });

  test("says where a user said nothing, and leaves out answers that say nothing", () => {
    const image = [{ type: "image", mediaType: "image/png", data: "AA==" }];
    const thinking: Message = { ...answer(""), reasoning: "hm" };
    expect(repaired(user(""), answer([]), thinking, user(image), answer(image))).toEqual({
      messages: [user(EMPTY_MESSAGE), user(image), answer(image)],
      repairs: ["1 empty-message", "2 empty-message", "3 empty-message"],
    });
  });

  test("keeps every field, known or not", () => {
    const call: ToolCall = { id: "a", name: "read", arguments: [1, null], ...{ colour: "red" } };
    const odd = {
      role: "assistant",
      content: "",
      toolCalls: [call, call],
      stopReason: "tools",
      x: 1,
    } as Message;
    expect(repaired(user(), odd, { ...result("a"), ...{ y: [2] } }).messages).toEqual([
      user(),
      { ...odd, toolCalls: [call, { ...call, id: "a~2" }] },
      { ...result("a"), y: [2] },
      missing("a~2"),
    ]);
  });
});

describe("10,000 random histories", () => {
  const OURS = [NO_RESULT, EMPTY_MESSAGE, BEGINS_WITH_ANSWER];
  const SEEDS = Array.from({ length: 10_000 }, (_, index) => index + 1);

  test("that are broken become valid, once and for all, with no user's words lost or invented", () => {
    let refused = 0;
    const kinds = new Set<string>();
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const history = logged(brokenHistory(chance), chance);
      const { messages, repairs } = repairMessages(history);
      const problem = refusal(messages.map(({ message }) => message));
      expect(problem, `seed ${seed}`).toBeUndefined();
      if (refusal(history.map(({ message }) => message)) === undefined) expect(messages).toBe(history);
      else refused += 1;
      for (const { kind } of repairs) kinds.add(kind);
      expect(repairMessages(messages), `seed ${seed}`).toEqual({ messages, repairs: [] });

      const before = new Map(history.map(({ seq, message }) => [seq, message]));
      const questions = (list: typeof history): number[] =>
        list
          .filter(({ message: { role, content } }) => role === "user" && content !== BEGINS_WITH_ANSWER)
          .map(({ seq }) => seq);
      expect(questions([...messages])).toEqual(questions(history));
      for (const { seq, message } of messages) {
        const said = before.get(seq)?.content;
        const isOurs = OURS.some((content) => content === message.content);
        if (message.role !== "system" && !isOurs) expect(message.content, `seed ${seed}`).toBe(said);
      }
    }
    expect(refused).toBeGreaterThan(SEEDS.length / 2);
    expect(kinds.size).toBe(8);
  });

  test("that are valid come back as they are", () => {
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const history = logged(validHistory(chance), chance);
      expect(refusal(history.map(({ message }) => message)), `seed ${seed}`).toBeUndefined();
      const { messages, repairs } = repairMessages(history);
      expect(messages).toBe(history);
      expect(repairs).toEqual([]);
    }
  });

  test("never show the result of one call as that of another", () => {
    let pairs = 0;
    for (const seed of SEEDS) {
      const chance = new Chance(seed);
      const { messages } = repairMessages(logged(brokenHistory(chance, { uniqueIds: true }), chance));
      const numbers = new Map<string, unknown>();
      for (const { message } of messages) {
        for (const call of message.toolCalls ?? []) numbers.set(call.id, call.arguments);
        if (message.role !== "tool" || message.content === NO_RESULT) continue;
        const text = JSON.stringify(message.content);
        const called = numbers.get(message.toolCallId ?? "") as { number: number };
        expect(text, `seed ${seed}`).toContain(`result ${called.number} `);
        pairs += 1;
      }
    }
    expect(pairs).toBeGreaterThan(SEEDS.length);
  });
});
