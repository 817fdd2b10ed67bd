import { describe, expect, test } from "vitest";
import { fromAiSdk, fromAnthropic, fromOpenAI, toAiSdk, toAnthropic, toOpenAI } from "../../src/messages.ts";
import type { ConvertedMessage } from "../../src/messages.ts";
import { withoutFields } from "../../src/messages/without-fields.ts";
import type { Message } from "../../src/format/message.ts";
import { rejectsTyped } from "../support/rejects-typed.ts";

/** Without what is kept for the way back. */
const bare = (message: ConvertedMessage): Message => withoutFields(message, "foreign");
const CALL = { id: "c1", name: "weather", arguments: { city: "Oslo" } };

describe("OpenAI", () => {
  const CALLS = [
    { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
  ] as const;

  test("calls and results have our names, and nothing more is kept than needed", () => {
    expect(
      fromOpenAI([
        { role: "user", content: "Weather?" },
        { role: "assistant", content: null, tool_calls: CALLS },
        { role: "tool", content: "4 °C", tool_call_id: "c1" },
      ]),
    ).toEqual([
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "", toolCalls: [CALL] },
      { role: "tool", content: "4 °C", toolCallId: "c1" },
    ]);
  });

  test("fields that we do not have are kept in foreign", () => {
    const [message] = fromOpenAI([{ role: "assistant", content: "hi", ...{ refusal: null } }]);
    expect(message).toEqual({
      role: "assistant",
      content: "hi",
      foreign: { format: "openai", fields: { refusal: null } },
    });
  });

  test.each([
    ['{ "city": "Oslo" }', { city: "Oslo" }, '{ "city": "Oslo" }'],
    ["not JSON", "not JSON", undefined],
    ['{"n":12345678901234567890}', '{"n":12345678901234567890}', undefined],
  ])("arguments %s are %j", (text, value, kept) => {
    const [message] = fromOpenAI([
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "f", arguments: text } }] },
    ]);
    const expected = {
      id: "c1",
      name: "f",
      arguments: value,
      ...(kept === undefined ? {} : { argumentsText: kept }),
    };
    expect(message?.toolCalls).toEqual([expected]);
  });

  test("a message that was changed is written as it is now", () => {
    const [message] = fromOpenAI([{ role: "assistant", content: "", tool_calls: CALLS }]);
    expect(message?.foreign?.message).toBeDefined();
    expect(message === undefined ? [] : toOpenAI([{ ...message, content: "changed" }])).toEqual([
      { role: "assistant", content: "changed", tool_calls: CALLS },
    ]);
    const changed = { ...CALL, argumentsText: '{ "city": "Oslo" }', arguments: { city: "Rome" } };
    expect(toOpenAI([{ role: "assistant", content: "", toolCalls: [changed] }])).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
        ],
      },
    ]);
  });

  test("what is no message is named by its number", async () => {
    const convert = (): unknown => fromOpenAI([{ role: "user", content: "a" }, { role: "narrator" }]);
    const error = await rejectsTyped(Promise.resolve().then(convert));
    expect(error.code).toBe("MESSAGE_INVALID");
    expect(error.message).toBe(
      "message 2 cannot be converted: its role must be one of system, developer, user, assistant, tool",
    );
  });

  test("an image is one of ours", () => {
    const url = "data:image/png;base64,iVBORw0=";
    expect(fromOpenAI([{ role: "user", content: [{ type: "image_url", image_url: { url } }] }])).toEqual([
      { role: "user", content: [{ type: "image", mediaType: "image/png", data: "iVBORw0=" }] },
    ]);
  });
});

describe("Anthropic", () => {
  const RESULTS = [
    { type: "tool_result", tool_use_id: "c1", content: "4 °C" },
    { type: "tool_result", tool_use_id: "c2", content: "no such city", is_error: true },
  ] as const;

  test("several results of one message are messages of their own", () => {
    expect(
      fromAnthropic([
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
          ],
        },
        { role: "user", content: RESULTS },
      ]),
    ).toEqual([
      { role: "assistant", content: "I look.", toolCalls: [CALL] },
      { role: "tool", toolCallId: "c1", content: "4 °C" },
      { role: "tool", toolCallId: "c2", content: "no such city", isError: true },
    ]);
  });

  test("words behind results stay in their message, and results of two messages stay apart", () => {
    const together = [{ role: "user", content: [...RESULTS, { type: "text", text: "and Rome?" }] }];
    const apart = RESULTS.map((result) => ({ role: "user", content: [result] }));
    for (const messages of [together, apart]) {
      const ours = fromAnthropic(messages);
      expect(ours.every(({ foreign }) => foreign?.message === undefined)).toBe(true);
      expect(toAnthropic(ours)).toEqual(messages);
    }
  });

  test("results of our own agent become one message, as the API wants it", () => {
    expect(
      toAnthropic([
        { role: "tool", toolCallId: "c1", content: "4 °C" },
        { role: "tool", toolCallId: "c2", content: "no such city", isError: true },
      ]),
    ).toEqual([{ role: "user", content: RESULTS }]);
  });
});

describe("AI SDK", () => {
  const ANSWER = {
    id: "m2",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "text", text: "I look.", state: "done" },
      {
        type: "tool-weather",
        toolCallId: "c1",
        state: "output-available",
        input: { city: "Oslo" },
        output: { celsius: 4 },
      },
      { type: "step-start" },
      { type: "text", text: "4 °C", state: "done" },
    ],
  } as const;

  test("one UI message is an answer, its results and the next answer", () => {
    const ours = fromAiSdk([ANSWER]);
    expect(ours.map(bare)).toEqual([
      { role: "assistant", content: "I look.", toolCalls: [CALL] },
      { role: "tool", toolCallId: "c1", name: "weather", content: '{"celsius":4}' },
      { role: "assistant", content: "4 °C" },
    ]);
    expect(ours.every(({ foreign }) => foreign?.message === undefined)).toBe(true);
    expect(toAiSdk(ours, "ui")).toEqual([ANSWER]);
  });

  test("messages of our own agent can be shown as UI messages, and sent as model messages", () => {
    const ours = fromAiSdk([ANSWER]).map(bare);
    const [shown] = toAiSdk(ours, "ui");
    expect(shown?.parts.map((part) => ("type" in part ? part.type : ""))).toEqual(
      ANSWER.parts.map(({ type }) => type),
    );
    expect(toAiSdk(ours, "model").map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
  });

  test("a system message of several parts is text, as the AI SDK wants it", () => {
    const parts = ["Be brief.", "Be kind."].map((text) => ({ type: "text", text }));
    expect(toAiSdk([{ role: "system", content: parts }], "model")).toEqual([
      { role: "system", content: "Be brief.\nBe kind." },
    ]);
  });

  test("model messages: calls and results", () => {
    expect(
      fromAiSdk([
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: { city: "Oslo" } }],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "weather",
              output: { type: "text", value: "4 °C" },
            },
          ],
        },
      ]),
    ).toEqual([
      { role: "assistant", content: "", toolCalls: [CALL] },
      { role: "tool", toolCallId: "c1", name: "weather", content: "4 °C" },
    ]);
  });
});
