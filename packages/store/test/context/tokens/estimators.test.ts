/** The tokens of messages and tools: the standard estimate, and the formulas of others with worked examples. */

import { describe, expect, test } from "vitest";
import {
  estimatorNamed,
  fourCharacterEstimator,
  standardEstimator,
  tokensOfTools,
  twoAndAHalfCharacterEstimator,
} from "../../../src/context/tokens/estimators.ts";
import { estimateTokens } from "../../../src/context/tokens/estimate-tokens.ts";
import type { ToolSchema } from "../../../src/context/types.ts";
import { isLonghandError } from "../../../src/errors.ts";
import type { Message } from "../../../src/format/message.ts";

const CALL: Message = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "call_1", name: "read_file", arguments: { path: "README.md" } }],
};
const TOOL: ToolSchema = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

describe("the standard one", () => {
  const tokensOfMessage = (message: Message): number => standardEstimator.tokensOfMessage(message);

  test("a message is its text and a little more", () => {
    const text = "Where did I put the keys to the hut?";
    expect(tokensOfMessage({ role: "user", content: text })).toBe(estimateTokens(text) + 4);
    expect(tokensOfMessage({ role: "user", content: [{ type: "text", text }] })).toBe(
      estimateTokens(text) + 4,
    );
    expect(tokensOfMessage({ role: "assistant", content: "" })).toBe(4);
  });

  test("name, reasoning and the id of a result count", () => {
    const bare = tokensOfMessage({ role: "tool", content: "ok" });
    expect(tokensOfMessage({ role: "tool", content: "ok", toolCallId: "call_1" })).toBeGreaterThan(bare);
    expect(tokensOfMessage({ role: "user", content: "ok", name: "Amara" })).toBeGreaterThan(bare);
    const reasoning = "Let me think about it. ".repeat(50);
    expect(tokensOfMessage({ role: "assistant", content: "ok", reasoning }) - bare).toBe(
      estimateTokens(reasoning),
    );
  });

  test("a call is its name and its arguments as JSON", () => {
    expect(tokensOfMessage(CALL)).toBe(
      4 + 8 + estimateTokens("read_file") + estimateTokens('{"path":"README.md"}'),
    );
    const broken: Message = { ...CALL, toolCalls: [{ id: "call_1", name: "f", arguments: '{"path":' }] };
    expect(tokensOfMessage(broken)).toBe(4 + 8 + estimateTokens("f") + estimateTokens('{"path":'));
    const none: Message = { ...CALL, toolCalls: [{ id: "call_1", name: "f", arguments: null }] };
    expect(tokensOfMessage(none)).toBe(4 + 8 + estimateTokens("f") + estimateTokens("{}"));
  });

  test("an image costs the same however many bytes it has", () => {
    const image = (data: string): Message => ({
      role: "user",
      content: [{ type: "image", mediaType: "image/png", data }],
    });
    expect(tokensOfMessage(image("A".repeat(4_000_000)))).toBe(1504);
    expect(tokensOfMessage(image("https://example.org/cat.png"))).toBe(1504);
    const asFile: Message = {
      role: "user",
      content: [{ type: "file", mediaType: "image/webp", data: "AAAA" }],
    };
    expect(tokensOfMessage(asFile)).toBe(1504);
  });

  test("a file costs by its size: text more than others", () => {
    const file = (mediaType: string, data: string): number =>
      tokensOfMessage({ role: "user", content: [{ type: "file", mediaType, data }] }) - 4;
    const data = Buffer.from("The same words, again and again. ".repeat(3000)).toString("base64");
    const bytes = (data.length * 3) / 4;
    expect(file("text/plain", data)).toBe(Math.ceil(bytes / 3));
    expect(file("application/ld+json", data)).toBe(Math.ceil(bytes / 3));
    expect(file("application/pdf", data)).toBe(Math.ceil(bytes / 30));
    expect(file("application/pdf", "AAAA")).toBe(1500);
    expect(file("application/pdf", "https://example.org/report.pdf")).toBe(1500);
  });

  test("a part nobody knows counts as its JSON", () => {
    const part = { type: "poll", question: "Tea or coffee?", answers: ["tea", "coffee"] };
    expect(tokensOfMessage({ role: "user", content: [part] })).toBe(4 + estimateTokens(JSON.stringify(part)));
    const odd = { type: "text", text: 7 };
    expect(tokensOfMessage({ role: "user", content: [odd] })).toBe(4 + estimateTokens(JSON.stringify(odd)));
  });

  test("tools", () => {
    const once = tokensOfTools([TOOL], standardEstimator);
    const schema = JSON.stringify(TOOL.parameters);
    expect(once).toBe(
      8 + estimateTokens("read_file") + estimateTokens("Reads a file.") + estimateTokens(schema),
    );
    expect(tokensOfTools([TOOL, TOOL, { name: "x" }], standardEstimator)).toBe(2 * once + 9);
    expect(tokensOfTools([], standardEstimator)).toBe(0);
  });

  test("a schema that is no JSON is refused by the name of its tool", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(() => tokensOfTools([{ name: "loop", parameters: circle }], standardEstimator)).toThrow(
      /parameters of the tool "loop"/,
    );
  });
});

describe("ZeroClaw's: bytes by four", () => {
  const tokensOf = (text: string): number => fourCharacterEstimator.tokensOf(text);
  const tokensOfMessage = (message: Message): number => fourCharacterEstimator.tokensOfMessage(message);

  test("worked examples", () => {
    expect(tokensOf("hello")).toBe(2);
    // 5 bytes: 2, and 4.
    expect(tokensOfMessage({ role: "user", content: "hello" })).toBe(6);
    expect(tokensOfMessage({ role: "user", content: "" })).toBe(4);
    // 8 bytes exactly.
    expect(tokensOfMessage({ role: "user", content: "12345678" })).toBe(6);
    // 6 letters of 2 bytes; 2 of 3 bytes: bytes, not characters.
    expect(tokensOfMessage({ role: "user", content: "привет" })).toBe(7);
    expect(tokensOfMessage({ role: "user", content: "你好" })).toBe(6);
  });

  test("calls and ids are content there", () => {
    const bytes = JSON.stringify(CALL.toolCalls).length;
    expect(tokensOfMessage(CALL)).toBe(Math.ceil(bytes / 4) + 4);
    expect(tokensOfMessage({ role: "tool", content: "ok", toolCallId: "call_1" })).toBe(6);
  });

  test("tools, of which it has no formula: as their text", () => {
    expect(tokensOfTools([{ name: "abcd", description: "efgh" }], fourCharacterEstimator)).toBe(8 + 2);
  });
});

describe("PicoClaw's: two and a half characters a token", () => {
  const tokensOf = (text: string): number => twoAndAHalfCharacterEstimator.tokensOf(text);
  const tokensOfMessage = (message: Message): number =>
    twoAndAHalfCharacterEstimator.tokensOfMessage(message);

  test("worked examples", () => {
    expect(tokensOf("hello")).toBe(2);
    // (5 + 12) × 2 / 5 = 6.8
    expect(tokensOfMessage({ role: "user", content: "hello" })).toBe(6);
    // Characters, not bytes: (2 + 12) × 2 / 5 = 5.6; an emoji is one: (1 + 12) × 2 / 5 = 5.2
    expect(tokensOfMessage({ role: "user", content: "你好" })).toBe(5);
    expect(tokensOfMessage({ role: "user", content: "👍" })).toBe(5);
    // (5 + 10 + 12) × 2 / 5 = 10.8
    expect(tokensOfMessage({ role: "assistant", content: "hello", reasoning: "0123456789" })).toBe(10);
    // (2 + 6 + 12) × 2 / 5 = 8
    expect(tokensOfMessage({ role: "tool", content: "ok", toolCallId: "call_1" })).toBe(8);
  });

  test("a call: id, type, name and arguments in bytes", () => {
    // (6 + 8 + 9 + 20 + 12) × 2 / 5 = 22
    expect(tokensOfMessage(CALL)).toBe(22);
  });

  test("media cost 256 each", () => {
    const image = { type: "image", mediaType: "image/png", data: "A".repeat(100_000) };
    // (2 + 12) × 2 / 5 = 5.6, and twice 256
    expect(tokensOfMessage({ role: "user", content: [{ type: "text", text: "ok" }, image, image] })).toBe(
      517,
    );
  });

  test("a system message in parts: 20 characters more a part", () => {
    const parts = [
      { type: "text", text: "12345" },
      { type: "text", text: "67890" },
    ];
    // (5 + 20 + 5 + 20 + 12) × 2 / 5 = 24.8; a user's parts are only their text: (10 + 12) × 2 / 5 = 8.8
    expect(tokensOfMessage({ role: "system", content: parts })).toBe(24);
    expect(tokensOfMessage({ role: "user", content: parts })).toBe(8);
  });

  test("tools", () => {
    // (9 + 13 + 57 + 20) × 2 / 5 = 39.6
    expect(JSON.stringify(TOOL.parameters)).toHaveLength(57);
    expect(tokensOfTools([TOOL], twoAndAHalfCharacterEstimator)).toBe(39);
    // (1 + 20) × 2 / 5 = 8.4, each rounded for itself
    expect(tokensOfTools([{ name: "x" }, { name: "y" }], twoAndAHalfCharacterEstimator)).toBe(16);
  });
});

describe("by name", () => {
  test("each is found by its own", () => {
    for (const estimator of [standardEstimator, fourCharacterEstimator, twoAndAHalfCharacterEstimator]) {
      expect(estimatorNamed(estimator.name)).toBe(estimator);
    }
  });

  test.each(["", "gpt-4", "toString", "__proto__"])("%j is refused, and the names are told", (name) => {
    try {
      estimatorNamed(name);
      expect.unreachable();
    } catch (error) {
      expect(isLonghandError(error, "OPTION_INVALID")).toBe(true);
      expect(String(error)).toContain("standard, four-characters, two-and-a-half-characters");
    }
  });
});
