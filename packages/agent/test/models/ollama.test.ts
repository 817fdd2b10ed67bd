/** What is particular to Ollama: its context length, its probe, its errors in the middle of an answer. */

import { afterEach, describe, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { ollama } from "../../src/models/ollama.ts";
import { READ_FILE, collectAnswer } from "../support/collect-answer.ts";
import type { ModelServer, Script } from "../support/model-server.ts";
import { encodeOllamaAnswer, startOllamaServer, type OllamaServerOptions } from "../support/ollama-server.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const start = async (script: Script, options?: OllamaServerOptions): Promise<ModelServer> => {
  server = await startOllamaServer(script, options);
  return server;
};

describe("requests", () => {
  test("the context length and the limit of the answer are set with each call", async () => {
    const { url, requests } = await start([{ text: "a" }, { text: "b" }]);
    const model = ollama({ url });
    await collectAnswer(model, { contextTokens: 12_345, maxTokens: 77 });
    await collectAnswer(model, { contextTokens: 32_000, maxTokens: 500 });
    expect(requests.map((request) => request.body?.["options"])).toEqual([
      { num_ctx: 12_345, num_predict: 77 },
      { num_ctx: 32_000, num_predict: 500 },
    ]);
    expect(requests[0]?.body).toMatchObject({ model: "gemma4:e4b", stream: true });
  });

  test("native tools go as tools; results carry the name of their tool, images their bytes", async () => {
    const { url, requests } = await start([{ text: "a" }]);
    await collectAnswer(ollama({ url }), {
      tools: [READ_FILE],
      messages: [
        { role: "user", content: [{ type: "image", mediaType: "image/png", data: "aGVsbG8=" }] },
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name: "read_file", arguments: { path: "a" } }],
        },
        { role: "tool", content: "text", toolCallId: "1" },
      ],
    });
    const messages = requests[0]?.body?.["messages"] as readonly object[];
    expect(messages[0]).toEqual({ role: "user", content: "", images: ["aGVsbG8="] });
    expect(messages[1]).toMatchObject({
      tool_calls: [{ function: { name: "read_file", arguments: { path: "a" } } }],
    });
    expect(messages[2]).toEqual({ role: "tool", tool_call_id: "1", tool_name: "read_file", content: "text" });
    expect(requests[0]?.body?.["tools"]).toMatchObject([{ function: { name: "read_file" } }]);
  });

  test("calls without ids get different ones", async () => {
    const call = { name: "read_file", arguments: { path: "a" } };
    const { url } = await start([{ calls: [call, call] }]);
    const { calls } = await collectAnswer(ollama({ url }), { tools: [READ_FILE] });
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(calls.every(({ id }) => id !== "")).toBe(true);
  });
});

describe("the probe", () => {
  test("a model that was not pulled: refused, with the command that gets it", async () => {
    const { url } = await start([], { models: {} });
    for (const tools of [[], [READ_FILE]]) {
      const { error } = await collectAnswer(ollama({ model: "qwen9", url }), { tools });
      expect(isAgentError(error, "MODEL_REFUSED"), String(error)).toBe(true);
      expect(String(error)).toContain("ollama pull qwen9");
    }
  });

  test.each([
    ["is no JSON", { body: "<html>" }],
    ["fails", { status: 500, body: "{}" }],
    ["knows no capabilities", { body: "{}" }],
  ])("that %s: tools are prompted, and it is said once", async (_, show) => {
    const notices: string[] = [];
    const { url, requests } = await start([{ text: "a" }, { text: "b" }], { show });
    const model = ollama({ url, onNotice: (text) => notices.push(text) });
    for (let time = 0; time < 2; time += 1)
      expect((await collectAnswer(model, { tools: [READ_FILE] })).error).toBeUndefined();
    expect(notices).toHaveLength(1);
    expect(JSON.stringify(requests[0]?.body?.["messages"])).toContain("<tool_call>");
  });

  test("is not asked where there are no tools", async () => {
    const notices: string[] = [];
    const { url } = await start([{ text: "a" }], { show: { body: "nonsense" } });
    expect((await collectAnswer(ollama({ url, onNotice: (text) => notices.push(text) }))).text).toBe("a");
    expect(notices).toEqual([]);
  });
});

describe("answers", () => {
  const line = (fields: object): string => `${JSON.stringify({ model: "m", created_at: "t", ...fields })}\n`;
  const said = (content: unknown): string => line({ message: { role: "assistant", content }, done: false });

  test("an error line in the middle is an error, whatever came before", async () => {
    const { url } = await start([
      { body: said("Hel") + line({ error: "llama runner process has terminated" }) },
      { body: `${JSON.stringify({ error: "the input length exceeds the context length" })}\n` },
    ]);
    const first = await collectAnswer(ollama({ url }));
    expect(first.text).toBe("Hel");
    expect(isAgentError(first.error, "MODEL_BROKEN"), String(first.error)).toBe(true);
    expect(String(first.error)).toContain("llama runner process has terminated");
    expect(isAgentError((await collectAnswer(ollama({ url }))).error, "MODEL_OVERFLOW")).toBe(true);
  });

  test("what comes after the last line, and a last line without its end, make no difference", async () => {
    const whole = encodeOllamaAnswer({ text: "Hello" });
    const { url } = await start([
      { body: whole.trimEnd() },
      { body: whole + whole },
      { body: `${whole}garbage` },
    ]);
    for (let time = 0; time < 3; time += 1) {
      const answer = await collectAnswer(ollama({ url }));
      expect(answer.error).toBeUndefined();
      expect(answer.text).toBe("Hello");
    }
  });

  test("unknown fields and missing ones are forgiven, words of the wrong type are not", async () => {
    const done = line({
      done: true,
      message: { role: "assistant", content: "" },
      eval_count: "many",
      new_field: [1],
    });
    const { url } = await start([
      { body: line({ done: false, hint: 1 }) + said("Hi") + done },
      { body: said(5) + done },
    ]);
    const answer = await collectAnswer(ollama({ url }));
    expect(answer.error).toBeUndefined();
    expect(answer.text).toBe("Hi");
    expect(answer.finish).toMatchObject({ reason: "stop", usage: { outputTokens: undefined } });
    expect(isAgentError((await collectAnswer(ollama({ url }))).error, "MODEL_BROKEN")).toBe(true);
  });
});

test("addresses as people write them", () => {
  expect(() => ollama({ url: "127.0.0.1:11434/" })).not.toThrow();
  for (const url of ["", "ftp://a", "http://user:password@host"])
    expect(() => ollama({ url })).toThrow(/address/);
});
