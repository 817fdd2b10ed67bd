/**
 * Everything of a context is in the request of every format: stored conversations of each format, compacted, truncated and
 * repaired, have the same texts, calls and results before and after the conversion.
 */

import { describe, expect, test } from "vitest";
import { buildContext, compactSession } from "../../src/context.ts";
import { memoryBackend, openStore, type Message, type Store } from "../../src/index.ts";
import { fromAiSdk, fromAnthropic, fromOpenAI, toAiSdk, toAnthropic, toOpenAI } from "../../src/messages.ts";
import { Chance } from "../support/random-histories.ts";

type Fields = Readonly<Record<string, unknown>>;

const marksIn = (value: unknown): string => (JSON.stringify(value).match(/TEXT\d+;/g) ?? []).join(" ");
const partsOf = (content: unknown): Fields[] =>
  Array.isArray(content) ? (content as Fields[]) : [{ type: "text", text: content }];
const textsOf = (parts: readonly Fields[]): string[] =>
  parts.map(marksIn).flatMap((marks) => (marks === "" ? [] : marks.split(" ").map((mark) => `text ${mark}`)));

/** One line for each text, call and result, in any order. */
const READERS = {
  ours: ({ content, toolCalls = [], toolCallId, role }: Message) =>
    role === "tool"
      ? [`result ${toolCallId} ${marksIn(content)}`]
      : [...textsOf(partsOf(content)), ...toolCalls.map(({ id, name }) => `call ${id} ${name}`)],
  openAI: ({ role, content, tool_calls: calls = [], tool_call_id: id }: Fields) =>
    role === "tool"
      ? [`result ${String(id)} ${marksIn(content)}`]
      : [
          ...textsOf(partsOf(content)),
          ...(calls as { id: string; function: { name: string } }[]).map(
            (call) => `call ${call.id} ${call.function.name}`,
          ),
        ],
  anthropic: ({ role, content }: Fields) =>
    partsOf(content).flatMap((block) => {
      const side = block["type"] === "tool_use" ? "assistant" : "user";
      if (String(block["type"]).startsWith("tool_")) expect(role).toBe(side);
      if (block["type"] === "tool_use") return [`call ${String(block["id"])} ${String(block["name"])}`];
      if (block["type"] !== "tool_result") return textsOf([block]);
      return [`result ${String(block["tool_use_id"])} ${marksIn(block["content"])}`];
    }),
  model: ({ content }: Fields) =>
    partsOf(content).flatMap((part) => {
      const { type, toolCallId, toolName, output } = part;
      if (type === "tool-call") return [`call ${String(toolCallId)} ${String(toolName)}`];
      if (type !== "tool-result") return textsOf([part]);
      expect(toolName).toBe("find");
      return [`result ${String(toolCallId)} ${marksIn(output)}`];
    }),
  ui: ({ parts }: Fields) =>
    (parts as Fields[]).flatMap((part) => {
      const { type, toolCallId, state, output, errorText } = part;
      if (type !== "tool-find") return textsOf([part]);
      const result = `result ${String(toolCallId)} ${marksIn(output ?? errorText ?? "")}`;
      return [`call ${String(toolCallId)} find`, ...(state === "input-available" ? [] : [result])];
    }),
} as const;

class Writer {
  readonly chance: Chance;
  #texts = 0;
  #calls = 0;

  constructor(chance: Chance) {
    this.chance = chance;
  }

  text(): string {
    return `TEXT${(this.#texts += 1)}; ${"word ".repeat(this.chance.below(this.chance.oneOf([3, 30, 200])))}`;
  }

  ids(): string[] {
    return Array.from({ length: 1 + this.chance.below(3) }, () => `t${(this.#calls += 1)}`);
  }

  /** Some results are missing, and some belong to no call. */
  answered(ids: readonly string[]): string[] {
    const some = ids.filter(() => this.chance.happens(0.9));
    return this.chance.happens(0.1) ? [...some, "gone"] : some;
  }

  /** In any place of the list. */
  put<T>(list: T[], item: T): T[] {
    return list.toSpliced(this.chance.below(list.length + 1), 0, item);
  }

  steps<T>(step: () => T[]): T[] {
    return Array.from({ length: this.chance.below(3) }, step).flat();
  }

  turns<T>(question: (text: string) => T, steps: () => T[], answer: (text: string) => T): T[] {
    const turns = Array.from({ length: 2 + this.chance.below(4) }, () => [
      question(this.text()),
      ...steps(),
      answer(this.text()),
    ]).flat();
    return this.chance.happens(0.2) ? [answer(this.text()), ...turns] : turns;
  }
}

const SOURCES: Readonly<Record<string, (writer: Writer) => Message[]>> = {
  OpenAI: (writer) =>
    fromOpenAI(
      writer.turns<{ role: string }>(
        (content) => ({ role: "user", content }),
        () =>
          writer.steps(() => {
            const ids = writer.ids();
            const called = ids.map((id) => ({
              id,
              type: "function",
              function: { name: "find", arguments: "{}" },
            }));
            const results = writer
              .answered(ids)
              .map((id) => ({ role: "tool", tool_call_id: id, content: writer.text() }));
            return [{ role: "assistant", content: null, tool_calls: called }, ...results];
          }),
        (content) => ({ role: "assistant", content }),
      ),
    ),
  Anthropic: (writer) =>
    fromAnthropic(
      writer.turns<{ role: string; content: string | object[] }>(
        (text) => ({ role: "user", content: [{ type: "text", text }] }),
        () =>
          writer.steps(() => {
            const ids = writer.ids();
            const calls = ids.map((id) => ({ type: "tool_use", id, name: "find", input: {} }));
            const results: object[] = writer
              .answered(ids)
              .map((id) => ({ type: "tool_result", tool_use_id: id, content: writer.text() }));
            const text = { type: "text", text: writer.text() };
            const content = writer.chance.happens(0.4) ? writer.put(results, text) : results;
            return [
              { role: "assistant", content: calls },
              ...(content.length === 0 ? [] : [{ role: "user", content }]),
            ];
          }),
        (content) => ({ role: "assistant", content }),
      ),
    ),
  "AI SDK, model": (writer) =>
    fromAiSdk(
      writer.turns<{ role: string; content: string | object[] }>(
        (content) => ({ role: "user", content }),
        () =>
          writer.steps<{ role: string; content: object[] }>(() => {
            const ids = writer.ids();
            const calls = ids.map((toolCallId) => ({
              type: "tool-call",
              toolCallId,
              toolName: "find",
              input: {},
            }));
            const results = writer.answered(ids).map((toolCallId) => ({
              ...{ type: "tool-result", toolCallId, toolName: "find" },
              output: { type: "text", value: writer.text() },
            }));
            // They are in the message of the call, in another answer, or in a message each.
            if (writer.chance.happens(0.2)) return [{ role: "assistant", content: [...calls, ...results] }];
            const said = { type: "text", text: writer.text() };
            if (writer.chance.happens(0.2))
              return [
                { role: "assistant", content: calls },
                { role: "assistant", content: [said, ...results] },
              ];
            return [
              { role: "assistant", content: calls },
              ...results.map((result) => ({ role: "tool", content: [result] })),
            ];
          }),
        (content) => ({ role: "assistant", content }),
      ),
    ),
  "AI SDK, UI": (writer) =>
    fromAiSdk(
      writer.turns<{ id: string; role: string; parts: object[] }>(
        (text) => ({ id: "u", role: "user", parts: [{ type: "text", text }] }),
        () => [],
        (text) => {
          const steps = writer.steps(() => {
            const ids = writer.ids();
            const tools = ids.map((toolCallId) => ({
              ...{ type: "tool-find", toolCallId, input: {} },
              ...(writer.chance.happens(0.8)
                ? { state: "output-available", output: { found: writer.text() } }
                : { state: "input-available" }),
            }));
            return [{ type: "step-start" }, ...tools];
          });
          return {
            id: "a",
            role: "assistant",
            parts: [...steps, { type: "step-start" }, { type: "text", text }],
          };
        },
      ),
    ),
};

const TARGETS: readonly [string, (messages: readonly Message[]) => string[]][] = [
  ["OpenAI", (messages) => toOpenAI(messages).flatMap((each) => READERS.openAI({ ...each }))],
  ["Anthropic", (messages) => toAnthropic(messages).flatMap((each) => READERS.anthropic({ ...each }))],
  ["AI SDK, model", (messages) => toAiSdk(messages, "model").flatMap((each) => READERS.model({ ...each }))],
  ["AI SDK, UI", (messages) => toAiSdk(messages, "ui").flatMap((each) => READERS.ui({ ...each }))],
  [
    "AI SDK, mixed",
    (messages) =>
      toAiSdk(messages).flatMap((each) =>
        "parts" in each ? READERS.ui({ ...each }) : READERS.model({ ...each }),
      ),
  ],
];

async function contextOf(store: Store, seed: number, messagesOf: (writer: Writer) => Message[]) {
  const chance = new Chance(seed);
  const session = store.session(`conversation ${seed}`);
  await session.append(messagesOf(new Writer(chance)));
  const maxTokens = chance.oneOf([500, 1000, 8000]);
  if (chance.happens(0.3)) await compactSession(session, { maxContextTokens: maxTokens });
  if (chance.happens(0.3)) await session.truncate({ keepLast: 1 + chance.below(12) });
  return await buildContext(session, { maxTokens });
}

describe.each(Object.entries(SOURCES))("a stored conversation of %s", (_, messagesOf) => {
  test("has every text, call and result of its context in the request of every format", async () => {
    const store = await openStore(memoryBackend());
    let moved = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const { messages, repairs } = await contextOf(store, seed, messagesOf);
      moved += repairs.length > 0 ? 1 : 0;
      const expected = messages.flatMap(READERS.ours).sort();
      for (const [name, read] of TARGETS)
        expect(read(messages).sort(), `seed ${seed}, to ${name}`).toEqual(expected);
    }
    expect(moved).toBeGreaterThan(20);
    await store.close();
  });
});

describe("a message that a repair has moved", () => {
  test("is not joined to a message that it did not stand beside", async () => {
    const store = await openStore(memoryBackend());
    const session = store.session("a");
    await session.append(
      fromAnthropic([
        { role: "user", content: "first" },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "gone", content: "lost" },
            { type: "text", text: "second" },
          ],
        },
      ]),
    );
    const { messages } = await buildContext(session);
    expect(toAnthropic(messages).slice(1)).toEqual([
      { role: "user", content: "first" },
      { role: "user", content: [{ type: "text", text: "second" }] },
    ]);
    await store.close();
  });
});

test("a result of another format gets the name of its call in the AI SDK", () => {
  const ours = fromAnthropic([
    { role: "user", content: "Weather?" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "4 °C" }] },
  ]);
  const output = { type: "text", value: "4 °C" };
  expect(toAiSdk(ours, "model").at(-1)).toEqual({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "t1", toolName: "weather", output }],
  });
});

test("a result without its call, and a second one, are in the UI message too", () => {
  const result = (toolCallId: string, content: string): Message => ({ role: "tool", toolCallId, content });
  const [message] = toAiSdk(
    [
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "find", arguments: {} }] },
      result("a", "1st"),
      result("a", "2nd"),
      result("gone", "lost"),
    ],
    "ui",
  );
  expect(message?.parts).toEqual([
    { type: "step-start" },
    { type: "tool-find", toolCallId: "a", state: "output-available", input: {}, output: "1st" },
    { type: "tool-find", toolCallId: "a", state: "output-available", input: {}, output: "2nd" },
    { type: "tool-unknown", toolCallId: "gone", state: "output-available", input: {}, output: "lost" },
  ]);
});

test("a result that says it is joined to an answer is a message of its own for Anthropic", () => {
  const [answer, text, result] = fromAnthropic([
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "find", input: {} }] },
    {
      role: "user",
      content: [
        { type: "text", text: "look:" },
        { type: "tool_result", tool_use_id: "t1", content: "found" },
      ],
    },
  ]);
  expect(result?.foreign?.joined).toBe(true);
  expect(toAnthropic([answer, result, text].flatMap((each) => each ?? []))).toEqual([
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "find", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "found" }] },
    { role: "user", content: [{ type: "text", text: "look:" }] },
  ]);
});
