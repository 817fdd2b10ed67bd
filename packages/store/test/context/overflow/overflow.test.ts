/** Which errors mean that a request was too long for the model, and which only look like it. */

import { describe, expect, test } from "vitest";
import { contextOverflow, type ContextOverflow } from "../../../src/context/overflow/overflow.ts";
import { NOT_OVERFLOWS } from "../samples/not-overflows.ts";

const OVERFLOWS: readonly (readonly [product: string, text: string, numbers: ContextOverflow])[] = [
  [
    "OpenAI",
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.",
    { limit: 8192, needed: 8227 },
  ],
  [
    "OpenAI, with the answer",
    "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens (3120 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    { limit: 4097, needed: 4120, answer: 1000 },
  ],
  [
    "OpenAI completions",
    "This model's maximum context length is 4097 tokens, however you requested 6539 tokens (6283 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.",
    { limit: 4097, needed: 6539, answer: 256 },
  ],
  [
    "OpenAI Responses",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    {},
  ],
  [
    "OpenAI GPT-5",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 283145 tokens. Please reduce the length of the messages.",
    { limit: 272000, needed: 283145 },
  ],
  ["Groq", "Please reduce the length of the messages or completion.", {}],
  ["Anthropic", "prompt is too long: 208310 tokens > 200000 maximum", { limit: 200000, needed: 208310 }],
  [
    "Anthropic, with the answer",
    "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
    { limit: 200000, needed: 242959, answer: 64000 },
  ],
  ["Bedrock", "Input is too long for requested model.", {}],
  [
    "Bedrock with an Anthropic model",
    "The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum",
    { limit: 200000, needed: 200049 },
  ],
  [
    "Gemini",
    "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
    { limit: 1048576, needed: 1200293 },
  ],
  [
    "Vertex AI",
    "Unable to submit request because the input token count is 1100000 but model only supports up to 1048576. Reduce the input token count and try again.",
    { limit: 1048576, needed: 1100000 },
  ],
  ["llama.cpp", "the request exceeds the available context size, try increasing it", {}],
  [
    "llama.cpp, newer",
    "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
    { limit: 8192, needed: 14429 },
  ],
  [
    "llama-cpp-python",
    "Requested tokens (2285) exceed context window of 2048",
    { limit: 2048, needed: 2285 },
  ],
  ["Ollama", "prompt too long; exceeded max context length by 4096 tokens", {}],
  ["Ollama, input", "the input length exceeds the context length", {}],
  [
    "LM Studio",
    "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input.",
    { limit: 32768, needed: 111490 },
  ],
  [
    "LM Studio, newer",
    "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
    {},
  ],
  [
    "vLLM",
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
    { limit: 16384, needed: 122946, answer: 10000 },
  ],
  [
    "vLLM, newer",
    "This model's maximum context length is 16384 tokens. However, you requested 512 output tokens and your prompt contains at least 15873 input tokens, for a total of at least 16385 tokens.",
    { limit: 16384, needed: 16385, answer: 512 },
  ],
  [
    "vLLM, with the answer",
    "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 64001 tokens and your request has 24235 input tokens (64000 > 64001 - 24235). None",
    { limit: 64001, needed: 88235, answer: 64000 },
  ],
  [
    "vLLM, offline",
    "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
    { limit: 4096, needed: 25938 },
  ],
  [
    "Text Generation Inference",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
    { limit: 4096, needed: 5100, answer: 100 },
  ],
  [
    "Mistral",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    { limit: 32768, needed: 40000 },
  ],
  [
    "xAI",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { limit: 131072, needed: 537812 },
  ],
  [
    "Together",
    "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
    { limit: 32768, needed: 40000 },
  ],
  [
    "OpenRouter",
    'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    { limit: 131072, needed: 138956, answer: 131072 },
  ],
  [
    "DeepSeek",
    "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    { limit: 131072, needed: 131134, answer: 8192 },
  ],
  [
    "GitHub Copilot",
    "prompt token count of 131204 exceeds the limit of 128000",
    { limit: 128000, needed: 131204 },
  ],
  ["MiniMax", "invalid params, context window exceeds limit", {}],
  [
    "Moonshot",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 300001)",
    { limit: 262144, needed: 300001 },
  ],
  [
    "Qwen",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    { limit: 129024 },
  ],
  ["LiteLLM", "litellm.BadRequestError: litellm.ContextWindowExceededError: AnthropicError - whatever", {}],
];

describe("recognised", () => {
  test.each(OVERFLOWS)("%s", (_product, text, numbers) => {
    expect(contextOverflow(new Error(text))).toEqual(numbers);
    expect(contextOverflow(text)).toEqual(numbers);
    expect(contextOverflow({ error: { message: text.toUpperCase() } })).toEqual(numbers);
  });

  test.each(OVERFLOWS)("%s, wrapped as clients wrap it", (_product, text, numbers) => {
    const body = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: text } });
    const wrapped: readonly unknown[] = [
      new Error(`400 ${text}`),
      new Error(`400 ${body}`),
      new Error(`API Error: 400 ${body}`),
      new Error("Bad Request", { cause: new Error(text) }),
      { message: "AI_APICallError", statusCode: 400, responseBody: body },
      { response: { status: 400, data: { error: { message: text } } } },
      { message: "Provider returned error", code: 400, metadata: { raw: body } },
      [{ error: { code: 400, message: text, status: "INVALID_ARGUMENT" } }],
      {
        name: "AI_RetryError",
        message: "Failed after 3 attempts.",
        lastError: { data: { error: { message: text } } },
      },
    ];
    for (const error of wrapped) expect(contextOverflow(error)).toEqual(numbers);
  });

  test.each(["context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"])(
    "by the code %s alone, in any language",
    (code) => {
      expect(contextOverflow({ error: { code, message: "Der Kontext ist zu lang." } })).toEqual({});
      expect(contextOverflow({ error: { type: code } })).toEqual({});
    },
  );

  test("llama.cpp's numbers in fields of their own", () => {
    const error = {
      code: 400,
      message:
        "the request exceeds the available context size. try increasing the context size or enable context shift",
      type: "exceed_context_size_error",
      n_prompt_tokens: 14429,
      n_ctx: 8192,
    };
    expect(contextOverflow({ error })).toEqual({ limit: 8192, needed: 14429 });
  });

  test("numbers further in are preferred to none", () => {
    const inner = new Error("prompt is too long: 12 tokens > 10 maximum");
    expect(
      contextOverflow(Object.assign(new Error("no", { cause: inner }), { code: "context_length_exceeded" })),
    ).toEqual({ limit: 10, needed: 12 });
  });
});

describe("not an overflow", () => {
  test.each(NOT_OVERFLOWS)("%s", (_what, error) => {
    expect(contextOverflow(error)).toBeUndefined();
  });

  test("a user's words inside another error", () => {
    for (const [, text] of OVERFLOWS) {
      const errors: readonly unknown[] = [
        new Error(`Content policy violation in: "${text}"`),
        new Error(`Tool search failed: ${text}`),
        { error: { message: "invalid role" }, messages: [{ role: "user", content: text }] },
        { message: "Bad Request", requestBodyValues: { messages: [{ role: "user", content: text }] } },
        { message: "Bad Request", config: { data: text }, request: { body: text } },
        new Error(`400 {"error":{"message":"cannot parse","input":${JSON.stringify(text)}}}`),
      ];
      for (const error of errors) expect(contextOverflow(error)).toBeUndefined();
    }
  });
});

describe("whatever is thrown", () => {
  test("odd values are no overflow and never throw", () => {
    const circle: Record<string, unknown> = { message: "around" };
    circle["cause"] = circle;
    circle["error"] = { error: circle };
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
      },
    );
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const getter = {
      get message(): string {
        throw new Error("no");
      },
      cause: hostile,
    };
    const odd: readonly unknown[] = [
      undefined,
      null,
      0,
      Number.NaN,
      true,
      Symbol("x"),
      10n,
      () => "x",
      "",
      "{",
      "[",
      "400 {",
      [],
      {},
      circle,
      hostile,
      revoked.proxy,
      getter,
      { error: revoked.proxy },
      { message: 7, code: {} },
      Object.create(null),
    ];
    for (const value of odd) expect(contextOverflow(value)).toBeUndefined();
  });

  test("a getter that throws does not hide what stands beside it", () => {
    const cause = new Error("prompt is too long: 12 tokens > 10 maximum");
    expect(
      contextOverflow({
        get message(): string {
          throw new Error("no");
        },
        cause,
      }),
    ).toEqual({ limit: 10, needed: 12 });
  });

  test("endless objects and huge texts come to an end", () => {
    let asked = 0;
    const endless: object = new Proxy(
      {},
      {
        get: () => {
          asked += 1;
          return Object.create(endless) as object;
        },
      },
    );
    expect(contextOverflow(endless)).toBeUndefined();
    expect(asked).toBeLessThan(10_000);
    expect(contextOverflow(new Error("error: ".repeat(200_000)))).toBeUndefined();
    expect(contextOverflow(new Error("[".repeat(1_000_000)))).toBeUndefined();
    expect(contextOverflow(new Error(`${"x".repeat(1_000_000)}Error: `))).toBeUndefined();
  });
});
