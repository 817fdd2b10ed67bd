/** What must hold for each wire format: answers arrive whole, and what is not whole is told as an error and never run. */

import { afterEach, describe, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { READ_FILE, collectAnswer } from "../support/collect-answer.ts";
import type { ModelServer, Script } from "../support/model-server.ts";
import { TEST_KEY, WIRES } from "../support/wires.ts";

const CALL = { id: "call-a", name: "read_file", arguments: { path: "a.txt" } };
const TEXT = "Grüße, 世界 👋";

describe.each(WIRES)("$name", (wire) => {
  const servers: ModelServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const started = async (
    script: Script,
  ): Promise<{ model: ReturnType<typeof wire.model>; server: ModelServer }> => {
    const server = await wire.start(script);
    servers.push(server);
    return { model: wire.model(server.url), server };
  };
  const raw = (
    body: string | Uint8Array,
  ): { body: string | Uint8Array; headers: Record<string, string> } => ({
    body,
    headers: { "content-type": wire.contentType },
  });

  test("text, reasoning, calls and usage arrive", async () => {
    const { model } = await started([
      { reasoning: "Hm.", text: ["Hel", "lo"], calls: [CALL], usage: { input: 7, output: 3 } },
    ]);
    const answer = await collectAnswer(model, { tools: [READ_FILE] });
    expect(answer.error).toBeUndefined();
    expect(answer.text).toBe("Hello");
    expect(answer.reasoning).toBe("Hm.");
    expect(answer.calls).toEqual([{ id: "call-a", name: "read_file", arguments: '{"path":"a.txt"}' }]);
    expect(answer.finish?.reason).toBe("tool-calls");
    expect(answer.finish?.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });

  test("the history is sent: system, user, assistant with calls, results with errors", async () => {
    const { model, server } = await started([{ text: "ok" }]);
    const answer = await collectAnswer(model, {
      tools: [READ_FILE],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Read a.txt", name: "Ada" },
        { role: "assistant", content: "Reading.", reasoning: "Hm.", toolCalls: [CALL] },
        { role: "tool", content: "no such file", toolCallId: "call-a", isError: true },
      ],
    });
    expect(answer.error).toBeUndefined();
    const sent = JSON.stringify(server.requests[0]?.body);
    for (const words of [
      "Be brief.",
      "Ada: Read a.txt",
      "Reading.",
      "call-a",
      "no such file",
      "Reads a file.",
    ])
      expect(sent).toContain(words);
  });

  test("P1: cut at any byte, no call is told and the error says that it was cut off", async () => {
    const bytes = Buffer.from(wire.encode({ text: TEXT, calls: [CALL] }));
    const whole = (await collectAnswer((await started([raw(bytes)])).model, { tools: [READ_FILE] })).text;
    expect(whole).toBe(TEXT);
    const cuts = Array.from({ length: 40 }, (_, index) => Math.floor((bytes.length * (index + 1)) / 42));
    const inCharacter = bytes.indexOf(Buffer.from("👋")) + 2;
    const { model } = await started((_, index) => {
      const afterBytes = [...cuts, inCharacter][index] ?? 0;
      return { ...raw(bytes), stop: { afterBytes, then: index % 2 === 0 ? "end" : "destroy" } };
    });
    let broken = 0;
    for (let index = 0; index <= cuts.length; index += 1) {
      const answer = await collectAnswer(model, { tools: [READ_FILE] });
      if (answer.finish !== undefined) {
        // Only the bytes behind the end may be missing: the answer is the whole one then.
        expect(answer.calls).toHaveLength(1);
        continue;
      }
      broken += 1;
      expect(isAgentError(answer.error, "MODEL_BROKEN"), String(answer.error)).toBe(true);
      expect(answer.calls).toEqual([]);
      expect(TEXT.startsWith(answer.text)).toBe(true);
    }
    expect(broken).toBeGreaterThan(cuts.length / 2);
  });

  test("P1: the parts of a call are never told before its end, and text arrives as it comes", async () => {
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const body = wire.encode({ text: "first", calls: [CALL] });
    const afterBytes = Buffer.byteLength(body.slice(0, body.indexOf("first") + 60));
    const { model } = await started([
      { ...raw(body), stop: { afterBytes: Math.max(afterBytes, 200), then: gate } },
    ]);
    const seen: string[] = [];
    const answer = await collectAnswer(model, {
      tools: [READ_FILE],
      onEvent: (event) => {
        if (event.type === "text" && event.text !== "") goOn();
        if (event.type !== "text" || event.text !== "") seen.push(event.type);
      },
    });
    expect(answer.error).toBeUndefined();
    expect(seen).toEqual(["text", "tool-call", "finish"]);
  });

  test.each([
    ["one byte at a time", (body: string) => ({ body, piece: 1 })],
    ["CR LF", (body: string) => ({ body: body.replaceAll("\n", "\r\n") })],
    ["CR LF, one byte at a time", (body: string) => ({ body: body.replaceAll("\n", "\r\n"), piece: 1 })],
    ["CR alone", (body: string) => ({ body: body.replaceAll("\n", "\r") })],
    ["empty lines between", (body: string) => ({ body: `\n\n${body}\n\n` })],
  ])("P7: %s gives the same answer", async (_, change) => {
    const { model } = await started([{ ...raw(""), ...change(wire.encode({ text: TEXT, calls: [CALL] })) }]);
    const answer = await collectAnswer(model, { tools: [READ_FILE] });
    expect(answer.error).toBeUndefined();
    expect(answer.text).toBe(TEXT);
    expect(answer.calls).toHaveLength(1);
  });

  test("P7: a line of 10 MB arrives whole", async () => {
    const long = "x".repeat(10 * 1024 * 1024);
    const { model } = await started([{ text: long }]);
    const answer = await collectAnswer(model);
    expect(answer.error).toBeUndefined();
    expect(answer.text.length).toBe(long.length);
  });

  test("P8: a stall ends when the signal aborts, with its reason", async () => {
    const body = wire.encode({ text: "never finished" });
    const reason = new Error("enough");
    const controllers = [new AbortController(), new AbortController()] as const;
    const { model, server } = await started((_, index) => {
      if (index === 0)
        return { ...raw(body), stop: { afterBytes: body.indexOf("finished") + 200, then: "stall" } };
      controllers[1].abort(reason);
      return { ...raw(""), stop: { afterBytes: 0, then: "stall" } };
    });
    for (const [asked, { signal }] of controllers.entries()) {
      const onEvent = (): void => controllers[0].abort(reason);
      expect((await collectAnswer(model, { signal, onEvent })).error).toBe(reason);
      expect(server.requests).toHaveLength(asked + 1);
    }
  });

  test("aborted before it began: nothing is asked", async () => {
    const { model, server } = await started([{ text: "no" }]);
    const reason = new Error("enough");
    expect((await collectAnswer(model, { signal: AbortSignal.abort(reason) })).error).toBe(reason);
    expect(server.requests).toEqual([]);
  });

  test("P9: a web page with status 200 is an error that says so", async () => {
    const page = "<!doctype html><html><head><title>Log in</title></head><body>Please log in</body></html>";
    const { model } = await started([
      { body: page, headers: { "content-type": "text/html" } },
      raw(page),
      raw(page.replaceAll(">", ">\n")),
    ]);
    for (let time = 0; time < 3; time += 1) {
      const { error } = await collectAnswer(model);
      expect(isAgentError(error, "MODEL_BROKEN"), String(error)).toBe(true);
      expect(String(error)).toContain("web page");
    }
  });

  test("nothing at all, and nonsense, are errors", async () => {
    const { model } = await started([
      raw(""),
      raw("data: nonsense\n\n"),
      raw("12345\n\n"),
      raw('["a"]\n'),
      raw("data: 5\n\n"),
    ]);
    for (let time = 0; time < 5; time += 1)
      expect(isAgentError((await collectAnswer(model)).error, "MODEL_BROKEN")).toBe(true);
  });

  test("P10: missing and negative usage are undefined", async () => {
    const { model } = await started([
      { text: "a", usage: null },
      { text: "a", usage: { input: -5, output: -1 } },
    ]);
    for (let time = 0; time < 2; time += 1) {
      const answer = await collectAnswer(model);
      expect(answer.error).toBeUndefined();
      expect(answer.finish?.usage).toMatchObject({ inputTokens: undefined, outputTokens: undefined });
    }
  });

  test("P12: two calls with one id come as two", async () => {
    const second = { ...CALL, arguments: { path: "b.txt" } };
    const { model } = await started([{ calls: [CALL, second] }]);
    const { calls, error } = await collectAnswer(model, { tools: [READ_FILE] });
    expect(error).toBeUndefined();
    expect(calls.map((call) => call.arguments)).toEqual(['{"path":"a.txt"}', '{"path":"b.txt"}']);
    expect(calls[0]?.id).toBe(CALL.id);
  });

  test("an answer that ran out of room says so", async () => {
    const { model } = await started([{ text: "half an ans", finish: "length" }]);
    expect((await collectAnswer(model)).finish?.reason).toBe("length");
  });

  test.each([
    [429, "MODEL_BUSY"],
    [500, "MODEL_BUSY"],
    [502, "MODEL_BUSY"],
    [503, "MODEL_BUSY"],
    [529, "MODEL_BUSY"],
    [400, "MODEL_REFUSED"],
    [401, "MODEL_REFUSED"],
    [403, "MODEL_REFUSED"],
    [404, "MODEL_REFUSED"],
  ] as const)("P5: status %i is %s, and is not tried again", async (status, code) => {
    const { model, server } = await started([
      { status, body: '{"error":{"message":"the server said so","type":"x"}}' },
    ]);
    const { error } = await collectAnswer(model);
    expect(isAgentError(error, code), String(error)).toBe(true);
    expect(error).toMatchObject({ detail: { status } });
    expect(String(error)).toContain("the server said so");
    expect(server.requests).toHaveLength(1);
  });

  test("P5: what Retry-After asks for is told, however much it is", async () => {
    const values = ["2", "999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "soon"];
    const { model } = await started((_, index) => {
      return { status: 429, headers: { "retry-after": values[index] ?? "" }, body: "{}" };
    });
    const waits: unknown[] = [];
    while (waits.length < values.length) {
      const { error } = await collectAnswer(model);
      waits.push(isAgentError(error) ? error.detail["retryAfter"] : error);
    }
    expect(waits).toEqual([2000, 999_999_999_000, 0, undefined]);
  });

  test("an overflow is told as one", async () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
    const { model } = await started([
      { status: 400, body: JSON.stringify({ error: { message, type: "invalid_request_error" } }) },
    ]);
    const { error } = await collectAnswer(model);
    expect(isAgentError(error, "MODEL_OVERFLOW"), String(error)).toBe(true);
    expect(error).toMatchObject({ detail: { limit: 8192 } });
  });

  test("nobody there: unreachable, with what to do", async () => {
    const { model, server } = await started([]);
    await server.close();
    servers.splice(0);
    const { error } = await collectAnswer(model);
    expect(isAgentError(error, "MODEL_UNREACHABLE"), String(error)).toBe(true);
    expect(String(error)).toContain(wire.name === "ollama" ? "ollama serve" : server.url.slice(7));
  });

  test("P14: nothing of the request and no key is in an error", async () => {
    const { model } = await started([
      { status: 401, body: JSON.stringify({ error: { message: `bad key ${TEST_KEY}`, type: "x" } }) },
    ]);
    const { error } = await collectAnswer(model, {
      messages: [{ role: "user", content: "my secret words" }],
    });
    const everything = JSON.stringify([
      error,
      (error as Error).message,
      (error as Error).stack,
      (error as Error).cause,
    ]);
    expect(everything).not.toContain("my secret words");
    // Ollama has no key: what its server says is nobody's secret.
    expect(everything.includes(TEST_KEY)).toBe(wire.name === "ollama");
  });
});
