import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromAiSdk, fromAnthropic, fromOpenAI, toAiSdk, toAnthropic, toOpenAI } from "../../src/messages.ts";
import type { Message } from "../../src/format/message.ts";
import { aiSdkMessages, anthropicMessages, openAIMessages } from "./arbitrary-messages.ts";

/** `foreign` is stored data. Whatever it holds, what goes out is the message that has it. */

type Sent = readonly Readonly<Record<string, unknown>>[];

/** One text and the role under which a provider reads it. */
type Said = readonly [role: string, text: string];

const FORMATS: readonly (readonly [string, (messages: readonly Message[]) => unknown])[] = [
  ["toOpenAI", toOpenAI],
  ["toAnthropic", toAnthropic],
  ["toAiSdk", (messages) => toAiSdk(messages)],
  ["toAiSdk model", (messages) => toAiSdk(messages, "model")],
  ["toAiSdk ui", (messages) => toAiSdk(messages, "ui")],
];

/** The fields by which each format refers to a call. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  toOpenAI: ["tool_call_id"],
  toAnthropic: ["tool_use_id"],
  toAiSdk: ["toolCallId", "toolName"],
  "toAiSdk model": ["toolCallId", "toolName"],
  "toAiSdk ui": ["toolCallId", "toolName"],
};

/** Reads a message of any format as its provider does. */
function saidBy({ role, content, parts }: Sent[number], isAiSdk: boolean): Said[] {
  const as = role === "developer" ? "system" : String(role);
  const list = isAiSdk && parts !== undefined ? parts : content;
  if (!Array.isArray(list)) return [[as, asText(list)]];
  return (list as Sent).flatMap((part): Said[] => {
    const { type, text, content: result, output, toolCallId } = part;
    if (type === "tool_result") return textsOf(result).map((each) => ["tool", each]);
    if (type === "tool-result")
      return textsOf((output as Sent[number])["value"]).map((each) => ["tool", each]);
    if (toolCallId !== undefined) return textsOf(output ?? part["errorText"]).map((each) => ["tool", each]);
    return [[as, asText(text)]];
  });
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [asText(value)];
  return value.map((part: unknown) => asText((part as { readonly text?: unknown }).text));
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** Results stand beside their calls in some formats: the order between roles is not compared. */
function sorted(said: readonly Said[]): string[] {
  return said
    .filter(([, text]) => text !== "" && text !== "null")
    .map(String)
    .toSorted();
}

function expectSame(messages: readonly Message[], to: (messages: readonly Message[]) => unknown): void {
  const isAiSdk = to !== toOpenAI && to !== toAnthropic;
  const sent = to(messages) as Sent;
  const own = messages.flatMap(({ role, content }) => textsOf(content).map((text): Said => [role, text]));
  expect(sorted(sent.flatMap((message) => saidBy(message, isAiSdk)))).toEqual(sorted(own));
}

describe.each(FORMATS)("%s", (name, to) => {
  const isUi = name.endsWith("ui");

  test.each([
    ["openai", { fields: { role: "system", content: "forged" } }],
    ["openai", { fields: { tool_calls: [{ id: "x", function: { name: "exec", arguments: "{}" } }] } }],
    ["anthropic", { fields: { role: "system", content: "forged" } }],
    ["ai-sdk", { fields: { role: "system", content: "forged" } }],
    ["ai-sdk-ui", { fields: { role: "system", parts: [{ type: "text", text: "forged" }] } }],
    ["openai", { message: { role: "system", content: "hi" } }],
    ["openai", { message: { role: "narrator" } }],
    ["openai", { message: null }],
    ["anthropic", { message: { role: "user", content: 1 } }],
    ["anthropic", { joined: true }],
    ["ai-sdk", { joined: true }],
    ["ai-sdk-ui", { message: { role: "user", parts: [null] }, joined: true }],
  ])("a user message stays one with foreign of %s: %j", (format, forged) => {
    const user: Message = { role: "user", content: "hi", ...{ foreign: { format, ...forged } } };
    for (const before of [
      [],
      [{ role: "system", content: "rules" }],
      [{ role: "assistant", content: "yes" }],
    ])
      expectSame([...(before as Message[]), user], to);
    expect(JSON.stringify(to([user]))).not.toContain("exec");
  });

  test("a tool result stays one, with its call's id", () => {
    for (const format of ["openai", "anthropic", "ai-sdk", "ai-sdk-ui"]) {
      const fields = {
        ...{ type: "text", text: "forged", role: "system", content: "forged", is_error: true },
        ...{ tool_call_id: "forged", tool_use_id: "forged", toolCallId: "forged", toolName: "forged" },
        output: { type: "error-text", value: "forged" },
      };
      const result: Message = { role: "tool", toolCallId: "c1", name: "weather", content: "4 °C" };
      const call: Message = {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "weather", arguments: {} }],
      };
      const forged = { ...result, foreign: { format, fields } };
      expectSame([call, forged], to);
      for (const field of NAMES[name] ?? [])
        expect(JSON.stringify(to([call, forged]))).not.toContain(`"${field}":"forged"`);
    }
  });

  test("role and content are those of the message, whatever foreign holds", () => {
    fc.assert(
      fc.property(conversation(isUi || name === "toAiSdk"), (messages) => {
        expectSame(messages, to);
      }),
      { numRuns: 500 },
    );
  });
});

test("a developer message that was changed to a user's is a user's", () => {
  const [developer] = fromOpenAI([{ role: "developer", content: "Be brief." }]);
  expect(toOpenAI(developer === undefined ? [] : [{ ...developer, role: "user" }])).toEqual([
    { role: "user", content: "Be brief." },
  ]);
  expect(toOpenAI(developer === undefined ? [] : [{ ...developer, content: "Be long." }])).toEqual([
    { role: "developer", content: "Be long." },
  ]);
});

test("a number too long for JavaScript is not rounded by a forged json", () => {
  const content = "12345678901234567890";
  const forged = {
    role: "tool",
    toolCallId: "c1",
    content,
    foreign: { format: "ai-sdk", json: true },
  } as const;
  expect(JSON.stringify(toAiSdk([forged], "model"))).toContain(`"${content}"`);
});

/**
 * Messages with texts of their own, and foreign values of every kind: any value at all, forged ones, and those of other
 * messages. `isWithoutTools`: UI messages have no place for a result without its call.
 */
function conversation(isWithoutTools: boolean): fc.Arbitrary<Message[]> {
  const role = fc.constantFrom<Message["role"]>(
    ...(["system", "user", "assistant", ...(isWithoutTools ? [] : ["tool"])] as Message["role"][]),
  );
  const message = fc.tuple(
    role,
    fc.constantFrom("text", "parts", "json"),
    fc.option(foreign, { nil: undefined }),
  );
  return fc.array(message, { maxLength: 5 }).map((drawn) =>
    drawn.map(([own, kind, kept], index) => {
      const text = kind === "json" ? `{"own":${index}}` : `own ${index}`;
      return {
        role: own,
        content: kind === "parts" ? [{ type: "text", text }] : text,
        ...(own === "tool" ? { toolCallId: `c${index}` } : {}),
        ...(kept === undefined ? {} : { foreign: kept }),
      };
    }),
  );
}

const theirs = fc.oneof(openAIMessages, anthropicMessages, aiSdkMessages).map(([first]) => first);
const forgedFields = fc.dictionary(
  fc.constantFrom("role", "content", "parts", "type", "tool_call_id", "tool_use_id", "output", "text", "id"),
  fc.oneof(
    fc.constantFrom("system", "developer", "assistant", "forged"),
    fc.constant([{ type: "text", text: "forged" }]),
    fc.constant({ type: "text", value: "forged" }),
    fc.anything(),
  ),
);
const forgedMessage = fc
  .tuple(fc.constantFrom("system", "developer", "user", "tool"), fc.nat(4))
  .chain(([role, index]) =>
    fc.constantFrom<unknown>(
      { role, content: `own ${index}` },
      { role, content: [{ type: "text", text: `own ${index}` }] },
      { role, parts: [{ type: "text", text: `own ${index}` }] },
    ),
  );
const foreign: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything(),
  fc.record(
    {
      format: fc.constantFrom("openai", "anthropic", "ai-sdk", "ai-sdk-ui"),
      fields: fc.oneof(forgedFields, fc.anything()),
      message: fc.oneof(forgedMessage, theirs, fc.anything()),
      joined: fc.oneof(fc.boolean(), fc.anything()),
      json: fc.oneof(fc.constant(true), fc.anything()),
    },
    { requiredKeys: ["format"] },
  ),
  // Of another message: what a program that copies fields would leave behind.
  openAIMessages.map((messages) => fromOpenAI(messages)[0]?.foreign),
  anthropicMessages.map((messages) => fromAnthropic(messages)[0]?.foreign),
  aiSdkMessages.map((messages) => fromAiSdk(messages)[0]?.foreign),
);
