/** What every language model of the AI SDK goes through, shown with ones that are made up here. */

import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { fromAiSdk } from "../../src/models/from-ai-sdk.ts";
import { collectAnswer } from "../support/collect-answer.ts";
import { encodeOpenaiAnswer, startOpenaiServer } from "../support/openai-server.ts";

const USAGE: LanguageModelV3Usage = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const FINISH: LanguageModelV3StreamPart = {
  type: "finish",
  usage: USAGE,
  finishReason: { unified: "stop", raw: "stop" },
};
const says = (delta: string): LanguageModelV3StreamPart => ({ type: "text-delta", id: "1", delta });

interface Made {
  readonly model: LanguageModelV3;
  readonly asked: LanguageModelV3CallOptions[];
  readonly wasCancelled: () => boolean;
}

/** `parts` come at once; then the stream ends, or with `hang` never does. */
function made(parts: readonly LanguageModelV3StreamPart[], hang = false): Made {
  const asked: LanguageModelV3CallOptions[] = [];
  let isCancelled = false;
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "made",
    modelId: "up",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("never asked for")),
    doStream: (options) => {
      asked.push(options);
      const stream = new ReadableStream<LanguageModelV3StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          if (!hang) controller.close();
        },
        cancel() {
          isCancelled = true;
        },
      });
      return Promise.resolve({ stream });
    },
  };
  return { model, asked, wasCancelled: () => isCancelled };
}

describe("answers", () => {
  test("the name, the usage with what was cached, and one call of doStream", async () => {
    const { model, asked } = made([says("Hi"), FINISH]);
    const answer = await collectAnswer(fromAiSdk(model));
    expect(fromAiSdk(model).name).toBe("made:up");
    expect(fromAiSdk(model, { name: "mine" }).name).toBe("mine");
    expect(answer.finish?.usage).toEqual({ inputTokens: 10, outputTokens: 5, cachedTokens: 4 });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ maxOutputTokens: 100 });
  });

  test.each([Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, undefined])(
    "P10: %s tokens are undefined",
    async (total) => {
      const usage = {
        inputTokens: { ...USAGE.inputTokens, total, cacheRead: total },
        outputTokens: { ...USAGE.outputTokens, total },
      };
      const { finish } = await collectAnswer(fromAiSdk(made([says("Hi"), { ...FINISH, usage }]).model));
      expect(finish?.usage).toEqual({
        inputTokens: undefined,
        outputTokens: undefined,
        cachedTokens: undefined,
      });
    },
  );

  test("a stream that ends without a finish, or with one that knows no reason, was cut off", async () => {
    const unknown = { ...FINISH, finishReason: { unified: "other", raw: undefined } } as const;
    for (const parts of [[says("Hi")], [says("Hi"), unknown], []]) {
      const { error, text } = await collectAnswer(fromAiSdk(made(parts).model));
      expect(isAgentError(error, "MODEL_BROKEN")).toBe(true);
      expect(String(error)).toContain("cut off");
      expect(text).toBe(parts.length === 0 ? "" : "Hi");
    }
  });

  test("what comes after the finish does not count", async () => {
    const { text } = await collectAnswer(fromAiSdk(made([says("Hi"), FINISH, says(" there"), FINISH]).model));
    expect(text).toBe("Hi");
  });

  test("calls: empty arguments are an empty object, ids stay as they are, also repeated and empty ones", async () => {
    const call = (toolCallId: string, input: string): LanguageModelV3StreamPart => ({
      type: "tool-call",
      toolCallId,
      toolName: "t",
      input,
    });
    const { calls, finish } = await collectAnswer(
      fromAiSdk(
        made([
          call("a", ""),
          call("a", '{"x":1}'),
          call("a-2", "{}"),
          call("", "no JSON"),
          call("", "{}"),
          FINISH,
        ]).model,
      ),
    );
    expect(calls.map((one) => one.id)).toEqual(["a", "a", "a-2", "", ""]);
    expect(calls.map((one) => one.arguments)).toEqual(["{}", '{"x":1}', "{}", "no JSON", "{}"]);
    expect(finish?.reason).toBe("tool-calls");
  });

  test("an answer that ran out of room within a call does not tell that call", async () => {
    const finish = { ...FINISH, finishReason: { unified: "length", raw: "length" } } as const;
    const whole = { type: "tool-call", toolCallId: "1", toolName: "t", input: '{"a":1}' } as const;
    const { calls } = await collectAnswer(
      fromAiSdk(made([whole, { ...whole, toolCallId: "2", input: '{"a":' }, finish]).model),
    );
    expect(calls.map((one) => one.id)).toEqual(["1"]);
  });

  test("while arguments are written there are signs of life", async () => {
    const seen: string[] = [];
    const delta = { type: "tool-input-delta", id: "1", delta: "{" } as const;
    await collectAnswer(fromAiSdk(made([delta, delta, FINISH]).model), {
      onEvent: (event) => seen.push(event.type),
    });
    expect(seen).toEqual(["text", "text", "finish"]);
  });

  test("control: the provider itself tells the call of an answer that was cut off, which is why calls are held back", async () => {
    const body = encodeOpenaiAnswer({ calls: [{ name: "t", arguments: '{"path":"a.txt"}' }] });
    const stop = { afterBytes: body.indexOf("finish_reason", body.indexOf(".txt")), then: "end" } as const;
    const server = await startOpenaiServer(() => ({
      body,
      headers: { "content-type": "text/event-stream" },
      stop,
    }));
    try {
      const bare = createOpenAICompatible({ name: "bare", baseURL: server.url })("small");
      const { stream } = await bare.doStream({
        prompt: [{ role: "user", content: [{ type: "text", text: "a" }] }],
      });
      const told: string[] = [];
      for await (const part of stream) told.push(part.type);
      expect(told).toContain("tool-call");
      expect((await collectAnswer(fromAiSdk(bare))).calls).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

describe("signals", () => {
  test("a model that ignores the signal is left nevertheless, and its stream ended", async () => {
    const { model, wasCancelled } = made([says("Hi")], true);
    const controller = new AbortController();
    const reason = new Error("enough");
    const { error, text } = await collectAnswer(fromAiSdk(model), {
      signal: controller.signal,
      onEvent: () => setTimeout(() => controller.abort(reason), 5),
    });
    expect(error).toBe(reason);
    expect(text).toBe("Hi");
    expect(wasCancelled()).toBe(true);
  });

  test("a doStream that never answers is left", async () => {
    const model: LanguageModelV3 = { ...made([]).model, doStream: () => new Promise(() => undefined) };
    const reason = new Error("enough");
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 5);
    expect((await collectAnswer(fromAiSdk(model), { signal: controller.signal })).error).toBe(reason);
  });

  test("whoever stops reading ends the connection", async () => {
    const { model, asked, wasCancelled } = made([says("a"), says("b")], true);
    const request = {
      messages: [{ role: "user", content: "x" }],
      tools: [],
      contextTokens: 100,
      maxTokens: 10,
    } as const;
    for await (const event of fromAiSdk(model).stream(request, new AbortController().signal))
      if (event.type === "text") break;
    expect(wasCancelled()).toBe(true);
    expect(asked[0]?.abortSignal?.aborted).toBe(true);
  });
});

describe("errors", () => {
  const failing = (error: unknown): LanguageModelV3 => made([says("Hi"), { type: "error", error }]).model;

  test.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "MODEL_BUSY"],
    [{ message: "slow down", code: "rate_limit_exceeded" }, "MODEL_BUSY"],
    [{ type: "authentication_error", message: "no" }, "MODEL_REFUSED"],
    [
      { message: "prompt is too long: 210000 tokens > 200000 maximum", type: "invalid_request_error" },
      "MODEL_OVERFLOW",
    ],
    ["something odd", "MODEL_BROKEN"],
    [undefined, "MODEL_BROKEN"],
    [new Error("terminated"), "MODEL_BROKEN"],
  ] as const)("in the stream: %j", async (thrown, code) => {
    const { error, text } = await collectAnswer(fromAiSdk(failing(thrown)));
    expect(isAgentError(error, code), String(error)).toBe(true);
    expect(text).toBe("Hi");
  });

  test("P14: what the caller hides is hidden", async () => {
    const redact = (text: string): string => text.replaceAll("hunter22", "[hidden]");
    const { error } = await collectAnswer(fromAiSdk(failing(new Error("bad key hunter22")), { redact }));
    expect((error as Error).message).toContain("bad key [hidden]");
    expect(JSON.stringify([error, (error as Error).stack])).not.toContain("hunter22");
  });
});

describe("prompts", () => {
  test("media: images and PDF as files, text as text, what cannot be shown as words", async () => {
    const { model, asked } = made([says("ok"), FINISH]);
    const data = Buffer.from("hello").toString("base64");
    await collectAnswer(fromAiSdk(model), {
      messages: [
        {
          role: "user",
          content: [
            { type: "image", mediaType: "image/png", data: `data:image/png;base64,${data}` },
            { type: "image", mediaType: "image/png", data: "https://example.org/a.png" },
            { type: "file", mediaType: "application/pdf", data, name: "a.pdf" },
            { type: "file", mediaType: "text/plain", data, name: "a.txt" },
            { type: "file", mediaType: "application/zip", data, name: "a.zip" },
            { type: "sticker", id: 5 },
          ],
        },
      ],
    });
    expect(asked[0]?.prompt).toEqual([
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data },
          { type: "file", mediaType: "image/png", data: new URL("https://example.org/a.png") },
          { type: "file", mediaType: "application/pdf", data, filename: "a.pdf" },
          { type: "text", text: "[file a.txt]\nhello" },
          { type: "text", text: "[file a.zip (application/zip): this model cannot be shown it]" },
          { type: "text", text: '{"type":"sticker","id":5}' },
        ],
      },
    ]);
  });

  test("reasoning goes back within its turn only; arguments are always an object; results know their tool", async () => {
    const { model, asked } = made([says("ok"), FINISH]);
    const calls = (id: string, value: unknown): object => ({
      toolCalls: [{ id, name: "t", arguments: value }],
    });
    await collectAnswer(fromAiSdk(model), {
      messages: [
        { role: "user", content: "one" },
        { role: "assistant", content: "old", reasoning: "old thought" },
        { role: "user", content: "two", name: "Ada\nLovelace" },
        { role: "assistant", content: "", reasoning: "new thought", ...calls("1", "not an object") },
        { role: "tool", content: [{ type: "text", text: "result" }], toolCallId: "1", isError: true },
      ],
    });
    expect(asked[0]?.prompt).toEqual([
      { role: "user", content: [{ type: "text", text: "one" }] },
      { role: "assistant", content: [{ type: "text", text: "old" }] },
      { role: "user", content: [{ type: "text", text: "Ada Lovelace: two" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "new thought" },
          {
            type: "tool-call",
            toolCallId: "1",
            toolName: "t",
            input: { invalid_arguments: "not an object" },
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "1",
            toolName: "t",
            output: { type: "error-text", value: "result" },
          },
        ],
      },
    ]);
  });
});
