/** The names and times of older programs, and back. */

import { describe, expect, test } from "vitest";
import { fromLegacyMessage, toLegacyMessage } from "../../src/format/legacy-message.ts";
import { fromLegacyTime, UNKNOWN_TIME } from "../../src/format/legacy-time.ts";
import { numbersSurvive } from "../../src/format/numbers-survive.ts";

const call = (text: string): unknown => ({
  id: "c",
  type: "function",
  function: { name: "f", arguments: text },
});
const fromCalls = (calls: unknown): unknown =>
  fromLegacyMessage({ role: "assistant", tool_calls: calls }).message;

describe("a message", () => {
  test("comes back as it was, after a way through our names", () => {
    const legacy = {
      role: "assistant",
      content: "text",
      created_at: "2026-01-02T03:04:05.678Z",
      model_name: "m",
      reasoning_content: "r",
      tool_calls: [
        {
          id: "c",
          type: "function",
          function: { name: "f", arguments: '{"a":[1,2]}', thought_signature: "s" },
          extra_content: { google: {} },
        },
      ],
      tool_call_id: "c",
      media: ["media://x"],
      system_parts: [{ type: "text", text: "t" }],
    };
    const { message, at } = fromLegacyMessage(legacy);
    expect(at).toBe("2026-01-02T03:04:05.678Z");
    expect(Object.keys(message)).toEqual([
      ...["role", "content", "model", "reasoning", "toolCalls", "toolCallId", "media", "system_parts"],
    ]);
    expect(toLegacyMessage(message, at ?? "")).toEqual(legacy);
  });

  test.each([
    ["an object", '{"path": "notes"}', { path: "notes" }],
    ["a list", "[1]", [1]],
    ["no JSON", "{path", "{path"],
    ["a bare word of JSON", "null", "null"],
    ["a number that would lose digits", '{"id": 12345678901234567890}', '{"id": 12345678901234567890}'],
    ["digits in a string", '{"id":"12345678901234567890"}', { id: "12345678901234567890" }],
  ])("arguments that are %s", (_name, text, value) => {
    expect(fromCalls([call(text)])).toEqual({
      role: "assistant",
      toolCalls: [{ id: "c", name: "f", arguments: value }],
    });
  });

  test.each([
    ["no list", { id: "c" }],
    ["another type", [{ id: "c", type: "custom", function: { name: "f", arguments: "{}" } }]],
    ["no id", [{ function: { name: "f", arguments: "{}" } }]],
    ["arguments that are no text", [{ id: "c", function: { name: "f", arguments: {} } }]],
    ["names of its own", [{ id: "c", name: "f", function: { name: "f", arguments: "{}" } }]],
    ["one that fits and one that does not", [call("{}"), "?"]],
  ])("calls that do not fit stay as they are: %s", (_name, calls) => {
    expect(fromCalls(calls)).toEqual({ role: "assistant", tool_calls: calls });
  });

  test("a field of ours that is there already is not written over", () => {
    const both = {
      role: "user",
      content: "",
      reasoning: "ours",
      reasoning_content: "theirs",
      toolCalls: [],
      tool_calls: [],
    };
    expect(fromLegacyMessage(both).message).toEqual(both);
  });

  test("a field of the right name and the wrong kind stays as it is", () => {
    const odd = { role: "user", content: "", model_name: 7, tool_call_id: null, created_at: "yesterday" };
    expect(fromLegacyMessage(odd)).toEqual({ message: odd, at: undefined });
  });

  test("__proto__ is a field like any other", () => {
    const legacy = JSON.parse('{"role":"user","content":"","__proto__":{"polluted":true}}') as Record<
      string,
      unknown
    >;
    const { message } = fromLegacyMessage(legacy);
    expect(Object.keys(message)).toContain("__proto__");
    expect("polluted" in message).toBe(false);
    expect(JSON.stringify(toLegacyMessage(message, UNKNOWN_TIME))).toBe(JSON.stringify(legacy));
  });
});

test.each([
  ["2026-02-20T14:30:05.123456789+08:00", "2026-02-20T06:30:05.123456789Z"],
  ["2026-02-20T14:41:10.5+08:00", "2026-02-20T06:41:10.500Z"],
  ["2026-12-31T23:30:00-01:30", "2027-01-01T01:00:00.000Z"],
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
  ["0001-01-01T00:00:00Z", undefined],
  ["2026-13-01T00:00:00Z", undefined],
  ["yesterday", undefined],
  [1767225600, undefined],
])("the time %s is %s", (legacy, expected) => {
  expect(fromLegacyTime(legacy)).toBe(expected);
});

test.each([
  ['{"a":123456789012345}', true],
  ['{"a":1234567890123456789}', false],
  ['{"a":"1234567890123456789"}', true],
  ['{"a":"quote \\" 1234567890123456789"}', true],
  ['{"a":"backslash \\\\","b":1234567890123456789}', false],
  ["0.30000000000000004", true],
  ["0.3000000000000000444", false],
  ['{"cut":"', true],
])("numbersSurvive(%s) is %s", (json, expected) => {
  expect(numbersSurvive(json)).toBe(expected);
});
