/** Calls that a model without native tools writes as text. Found through Ollama, as in real life: the caller cannot tell. */

import { afterEach, describe, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { ollama } from "../../src/models/ollama.ts";
import { READ_FILE, collectAnswer, type CollectedAnswer } from "../support/collect-answer.ts";
import type { ModelServer, ScriptedAnswer } from "../support/model-server.ts";
import { startOllamaServer } from "../support/ollama-server.ts";

const CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>';
const READ_A = { name: "read_file", arguments: '{"path":"a.txt"}' };

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

const written = async (
  text: string | readonly string[],
  extra: ScriptedAnswer = {},
): Promise<CollectedAnswer> => {
  await server?.close();
  server = await startOllamaServer([{ text, ...extra }], { models: { "gemma4:e4b": ["completion"] } });
  return await collectAnswer(ollama({ url: server.url }), { tools: [READ_FILE] });
};

/** As a model streams: in small pieces that know nothing of tags. */
const inPieces = (text: string, size: number): readonly string[] =>
  text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

describe("calls that count", () => {
  test.each([
    ["alone", CALL, ""],
    ["text before and after", `Let me look.\n${CALL}\nDone.`, "Let me look.\n\nDone."],
    ["a fence around it", `Let me look.\n\`\`\`json\n${CALL}\n\`\`\``, "Let me look.\n"],
    ["a fence around it, and words behind", `\`\`\`\n${CALL}\n\`\`\`\nDone.`, "Done."],
    ["a fence inside", CALL.replace("{", "```json\n{").replace("}}", "}}\n```"), ""],
    ["a trailing comma", CALL.replace('"a.txt"}', '"a.txt",}'), ""],
    ["no closing tag", CALL.replace("</tool_call>", ""), ""],
    [
      "no closing tag and a trailing comma",
      CALL.replace("</tool_call>", "").replace('"a.txt"}', '"a.txt",}'),
      "",
    ],
    ["parameters, as Llama 3 writes them", CALL.replace('"arguments"', '"parameters"'), ""],
    ["args", CALL.replace('"arguments"', '"args"'), ""],
    [
      "parameters before the name, and a trailing comma",
      '<tool_call>{"parameters": {"path": "a.txt",}, "name": "read_file"}</tool_call>',
      "",
    ],
    [
      "two names for the same arguments",
      '<tool_call>{"name": "read_file", "arguments": {"path":"a.txt"}, "parameters": { "path": "a.txt" }}</tool_call>',
      "",
    ],
  ])("%s", async (_, text, said) => {
    for (const size of [1, 3, 7, 1000]) {
      const answer = await written(inPieces(text, size));
      expect(answer.error).toBeUndefined();
      expect(answer.calls).toEqual([{ id: expect.any(String) as string, ...READ_A }]);
      expect(answer.text.trim()).toBe(said.trim());
      expect(answer.finish?.reason).toBe("tool-calls");
    }
  });

  test("several, with ids of their own", async () => {
    const answer = await written(inPieces(`${CALL}\n${CALL.replace("a.txt", "b.txt")}`, 5));
    expect(answer.calls.map((call) => call.arguments)).toEqual(['{"path":"a.txt"}', '{"path":"b.txt"}']);
    expect(new Set(answer.calls.map((call) => call.id)).size).toBe(2);
  });

  test("a tool that does not exist is told: the turn answers that", async () => {
    const answer = await written(CALL.replace("read_file", "no_such_tool"));
    expect(answer.calls.map((call) => call.name)).toEqual(["no_such_tool"]);
  });

  test("a long one in many pieces", async () => {
    const path = "x".repeat(100_000);
    const answer = await written(inPieces(CALL.replace("a.txt", path), 4));
    expect(answer.calls[0]?.arguments).toBe(JSON.stringify({ path }));
  });
});

describe("the field with the arguments", () => {
  test("a contradiction is not run, and the model is told which fields differ", async () => {
    const answer = await written(
      '<tool_call>{"name": "read_file", "arguments": {}, "parameters": {"path": "a.txt"}}</tool_call>',
    );
    expect(answer.calls).toEqual([
      {
        id: expect.any(String) as string,
        name: "read_file",
        arguments: "{}",
        refusal:
          'the call has "arguments" and "parameters", and they differ; write it again with "arguments" alone',
      },
    ]);
  });

  test("a field of that name inside the arguments, or in their text, is left alone", async () => {
    const given = { path: 'a "parameters": {} \\', parameters: { args: 1 } };
    const answer = await written(
      `<tool_call>{"name": "read_file", "parameters": ${JSON.stringify(given)}}</tool_call>`,
    );
    expect(JSON.parse(answer.calls[0]?.arguments ?? "")).toEqual(given);
  });
});

describe("what is no call stays text, as it was written", () => {
  test.each([
    ["a tag in prose", "Write <tool_call> before the JSON and </tool_call> behind it."],
    ["an opening tag in prose", "The tag is <tool_call> and that is all"],
    ["no JSON inside", "<tool_call>please read the file</tool_call>"],
    ["other tags", "a < b, <b>bold</b> and <tool"],
    ["a fenced tag without JSON", "```\n<tool_call>your JSON</tool_call>\n```"],
    ["fences", "```js\nconst a = 1;\n```\nand `code`"],
    ["cut within the JSON", '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.t'],
    ["cut before the last brace", '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}'],
  ])("%s", async (_, text) => {
    for (const size of [1, 4, 1000]) {
      const answer = await written(inPieces(text, size), { finish: "length" });
      expect(answer.error).toBeUndefined();
      expect(answer.calls).toEqual([]);
      expect(answer.text).toBe(text);
    }
  });

  test("a whole call in an answer whose stream was cut off is not told", async () => {
    const answer = await written([CALL, "and"], { stop: { afterBytes: 300, then: "end" } });
    expect(isAgentError(answer.error, "MODEL_BROKEN")).toBe(true);
    expect(answer.calls).toEqual([]);
  });
});

test("tools, earlier calls and results are sent as text, and never as tools", async () => {
  server = await startOllamaServer([{ text: "ok" }], { models: { "gemma4:e4b": ["completion"] } });
  const answer = await collectAnswer(ollama({ url: server.url }), {
    tools: [READ_FILE],
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read a.txt" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "1", name: "read_file", arguments: { path: "a.txt" } }],
      },
      { role: "tool", content: "the content", toolCallId: "1" },
    ],
  });
  expect(answer.text).toBe("ok");
  const body = server.requests[0]?.body;
  const messages = body?.["messages"] as readonly { role: string; content: string }[];
  expect(messages.map((message) => message.role)).toEqual(["system", "user", "assistant", "user"]);
  expect(messages[0]?.content).toContain("Be brief.");
  expect(messages[0]?.content).toContain("Reads a file.");
  expect(messages[2]?.content).toContain(
    '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>',
  );
  expect(messages[3]?.content).toContain("the content");
  expect(body?.["tools"] ?? []).toEqual([]);
});
