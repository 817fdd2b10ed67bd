/** What models and tools do wrong, and what becomes of the turn: the rows P1 to P15 as far as they are a turn's business. */

import { describe, expect, test, vi } from "vitest";
import { refusal } from "../../../store/test/support/strict-provider.ts";
import { AgentError, type AgentErrorCode } from "../../src/errors.ts";
import { isOwnMessage } from "../../src/turn/turn-log.ts";
import { plainText } from "./support/plain-text.ts";
import {
  answer,
  call,
  calls,
  finish,
  ofType,
  reasoning,
  say,
  scriptedModel,
  text,
  tool,
  UNREPORTED,
} from "./support/scripted.ts";
import { withChanges } from "./support/with-changes.ts";
import { withStore } from "./support/with-store.ts";

const failure = (code: AgentErrorCode, detail = {}): AgentError =>
  new AgentError(code, `so it is: ${code}`, detail);

describe("an answer that is cut off", () => {
  test("after something was shown is kept as aborted, its calls are never run, and it is not tried again", async () => {
    await withStore("memory", async (store) => {
      let runs = 0;
      const model = scriptedModel([reasoning("Hm."), text("I will "), call("1", "write")]);
      const write = tool("write", () => String((runs += 1)));
      const { result, messages, events } = await say(store.session("a"), "go", { model, tools: [write] });
      expect(result).toMatchObject({ outcome: "failed", text: "I will ", error: { code: "MODEL_BROKEN" } });
      expect(messages).toMatchObject([
        { role: "user" },
        { role: "assistant", content: "I will ", reasoning: "Hm.", stopReason: "aborted" },
        { role: "assistant", stopReason: "failed", writtenBy: "longhand" },
      ]);
      expect(messages[1]?.toolCalls).toBeUndefined();
      expect(runs).toBe(0);
      expect(model.requests).toHaveLength(1);
      expect(refusal(messages)).toBeUndefined();
      expect(events.slice(-2)).toMatchObject([{ type: "error", code: "MODEL_BROKEN" }, { type: "turn-end" }]);
    });
  });

  test("before anything was shown is tried again, also if a call was whole", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel([call("1", "write")], answer("there"));
      const { result, events } = await say(store.session("a"), "go", { model });
      expect(result).toMatchObject({ outcome: "answered", text: "there" });
      expect(ofType(events, "error")).toMatchObject([{ code: "MODEL_BROKEN" }]);
      expect(ofType(events, "error")[0]?.retryIn).toBeGreaterThanOrEqual(0);
    });
  });
});

describe("calls that cannot be run", () => {
  const strict = tool("strict", () => "fine", {
    parse: (input) =>
      typeof input === "object" && input !== null && "n" in input && typeof input.n === "number"
        ? { input }
        : { problem: "n must be a number" },
  });

  test("become error results, and the model goes on", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel(
        calls(call("1", "strict", '{"n":')),
        calls(call("2", "strict", { n: "1" }), call("3", "nothing")),
        calls(call("4", "strict", { n: 1 })),
        answer("done"),
      );
      const { result, messages, events } = await say(store.session("a"), "go", { model, tools: [strict] });
      expect(result.outcome).toBe("answered");
      const results = messages.filter(({ role }) => role === "tool");
      expect(results.map(({ content }) => content)).toEqual([
        "the arguments are no valid JSON; write them again",
        "invalid arguments: n must be a number",
        'there is no tool "nothing"; there are: strict',
        "fine",
      ]);
      expect(results.map(({ isError }) => isError)).toEqual([true, true, true, undefined]);
      expect(messages[1]?.toolCalls).toEqual([{ id: "1", name: "strict", arguments: '{"n":' }]);
      expect(ofType(events, "tool-result").map(({ isError }) => isError)).toEqual([true, true, true, false]);
      expect(refusal(messages)).toBeUndefined();
    });
  });

  test("a call that contradicts itself is not run, and its result says so", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel(
        calls({
          type: "tool-call",
          id: "1",
          name: "strict",
          arguments: '{"n":1}',
          refusal: "the fields differ",
        }),
        answer("done"),
      );
      const { messages } = await say(store.session("a"), "go", { model, tools: [strict] });
      expect(messages.filter(({ role }) => role === "tool")).toMatchObject([
        { content: "the fields differ", isError: true },
      ]);
    });
  });

  test("three times in a row for one tool end the turn", async () => {
    await withStore("memory", async (store) => {
      let asked = 0;
      const model = scriptedModel(async function* () {
        await Promise.resolve();
        asked += 1;
        yield* calls(call(String(asked), "strict", `{"n": ${asked},`));
      });
      const { result, messages } = await say(store.session("a"), "go", { model, tools: [strict] });
      expect(result).toMatchObject({ outcome: "failed", error: { code: "TOOL_FAILED" } });
      expect(asked).toBe(3);
      expect(refusal(messages)).toBeUndefined();
      expect(messages.at(-1)).toMatchObject({ stopReason: "failed", writtenBy: "longhand" });
    });
  });

  test("a tool that throws, hangs or answers nonsense gives an error result", async () => {
    await withStore("memory", async (store) => {
      let wasStopped = false;
      const tools = [
        tool("throw", () => Promise.reject(new Error("the key is s3cret"))),
        tool("hang", async (_input, { signal }) => {
          signal.addEventListener("abort", () => (wasStopped = true));
          return await new Promise<string>(() => undefined);
        }),
        tool("nonsense", () => 7 as unknown as string),
      ];
      const model = scriptedModel(
        calls(call("1", "throw"), call("2", "hang"), call("3", "nonsense")),
        answer("ok"),
      );
      const { messages } = await say(store.session("a"), "go", {
        model,
        tools,
        toolLimit: 20,
        redact: (content) => content.replaceAll("s3cret", "***"),
      });
      expect(messages.filter(({ role }) => role === "tool")).toMatchObject([
        { content: "the key is ***", isError: true },
        { content: "hang took longer than 20 ms and was stopped", isError: true },
        { content: "nonsense answered no text", isError: true },
      ]);
      expect(wasStopped).toBe(true);
    });
  });

  test("what needs a yes is not run without one", async () => {
    await withStore("memory", async (store) => {
      let runs = 0;
      const danger = tool("danger", () => String((runs += 1)), { needsApproval: () => "it deletes" });
      const script = [calls(call("1", "danger")), answer("ok")] as const;
      const asked: string[] = [];
      const approve = (yes: boolean) => (question: { reason: string }) => {
        asked.push(question.reason);
        return Promise.resolve(yes);
      };
      const results = [];
      for (const settings of [{}, { approve: approve(false) }, { approve: approve(true) }]) {
        const model = scriptedModel(...script);
        const { messages } = await say(store.session(`a${results.length}`), "go", {
          model,
          tools: [danger],
          ...settings,
        });
        results.push(messages.find(({ role }) => role === "tool")?.content);
      }
      expect(results).toEqual(["refused, and not run: it deletes", "refused, and not run: it deletes", "1"]);
      expect(asked).toEqual(["it deletes", "it deletes"]);
    });
  });

  test("two calls with one id are kept apart, answered, and told", async () => {
    await withStore("memory", async (store) => {
      const echo = tool("echo", (input) => JSON.stringify(input));
      const model = scriptedModel(
        calls(call("x", "echo", { a: 1 }), call("x", "echo", { a: 2 })),
        calls(call("x", "echo", { a: 3 })),
        answer("ok"),
      );
      const { messages, events } = await say(store.session("a"), "go", { model, tools: [echo] });
      const results = messages.filter(({ role }) => role === "tool");
      expect(results.map(({ toolCallId, content }) => [toolCallId, content])).toEqual([
        ["x", '{"a":1}'],
        ["x~2", '{"a":2}'],
        ["x~3", '{"a":3}'],
      ]);
      expect(ofType(events, "tool-call").map(({ givenId }) => givenId)).toEqual([undefined, "x", "x"]);
      expect(refusal(messages)).toBeUndefined();
    });
  });

  test("a call without an id gets one", async () => {
    await withStore("memory", async (store) => {
      const echo = tool("echo", (input) => JSON.stringify(input));
      const model = scriptedModel(
        calls(call("", "echo", { a: 1 }), call(" ", "echo", { a: 2 })),
        answer("ok"),
      );
      const { messages, events } = await say(store.session("a"), "go", { model, tools: [echo] });
      expect(messages.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(["call", "call~2"]);
      expect(ofType(events, "tool-call").map(({ givenId }) => givenId)).toEqual([undefined, undefined]);
    });
  });

  test("a long result loses its middle", async () => {
    await withStore("memory", async (store) => {
      const long = tool("long", () => `begin ${"x".repeat(100_000)} end`);
      const model = scriptedModel(calls(call("1", "long")), answer("ok"));
      const { messages } = await say(store.session("a"), "go", {
        model,
        tools: [long],
        maxToolResultBytes: 1000,
      });
      const content = plainText(messages[2]?.content);
      expect(content).toMatch(/^begin .* end$/s);
      expect(Buffer.byteLength(content)).toBeLessThanOrEqual(1000);
    });
  });
});

describe("a model that never comes to an end", () => {
  test("is stopped at the limit of steps, and the last message says so", async () => {
    await withStore("memory", async (store) => {
      let asked = 0;
      const model = scriptedModel(async function* () {
        await Promise.resolve();
        yield* calls(call("1", "look", { at: (asked += 1) }));
      });
      const { result, messages } = await say(store.session("a"), "go", {
        model,
        tools: [tool("look", () => "x")],
        maxSteps: 4,
      });
      expect(result).toMatchObject({ outcome: "step-limit", error: { code: "STEP_LIMIT" } });
      expect(asked).toBe(4);
      expect(refusal(messages)).toBeUndefined();
      expect(messages.at(-1)?.content).toContain("no final answer after 4 steps");
      expect(isOwnMessage(messages.at(-1) ?? { role: "user", content: "" })).toBe(true);
    });
  });

  test("is stopped when it asks for the same again and again, whatever the order of the fields", async () => {
    await withStore("memory", async (store) => {
      let runs = 0;
      const look = tool("look", () => String((runs += 1)));
      const model = scriptedModel(
        calls(call("1", "look", '{"a":1,"b":[{"c":2,"d":3}]}')),
        calls(call("2", "look", '{"b":[{"d":3,"c":2}],"a":1}')),
        calls(call("3", "look", '{ "a": 1, "b": [{"c":2,"d":3}] }')),
      );
      const { result, messages, events } = await say(store.session("a"), "go", { model, tools: [look] });
      expect(result).toMatchObject({ outcome: "same-call", error: { code: "SAME_CALL" } });
      expect(runs).toBe(2);
      const told = events.filter(({ type }) => type.startsWith("tool-")).slice(-2);
      expect(told).toMatchObject([
        { type: "tool-call", id: "3", name: "look", arguments: { a: 1 } },
        { type: "tool-result", id: "3", isError: true },
      ]);
      expect(refusal(messages)).toBeUndefined();
    });
  });
});

describe("a provider that is busy or down", () => {
  test("is asked again after what it asked for, which is capped", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel(
        failure("MODEL_BUSY", { retryAfter: 15 }),
        failure("MODEL_BUSY", { retryAfter: 86_400_000 }),
        failure("MODEL_UNREACHABLE"),
        answer("there"),
      );
      const retry = { firstPause: 1, longestPause: 30 };
      const { result, events } = await say(store.session("a"), "go", { model, retry });
      expect(result.outcome).toBe("answered");
      const [first, second, third] = ofType(events, "error");
      expect(first?.retryIn).toBe(15);
      expect(second?.retryIn).toBe(30);
      expect(third?.retryIn).toBeLessThanOrEqual(4);
    });
  });

  test("fails the turn after the last try, and the words stay", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel(failure("MODEL_BUSY"));
      const redact = (content: string): string => content.replaceAll("so it is", "***");
      const { result, messages, events } = await say(store.session("a"), "go", {
        model,
        redact,
        retry: { firstPause: 1, tries: 3 },
      });
      expect(result).toMatchObject({
        outcome: "failed",
        error: { code: "MODEL_BUSY", message: "***: MODEL_BUSY" },
      });
      expect(model.requests).toHaveLength(3);
      expect(messages).toMatchObject([{ content: "go" }, { stopReason: "failed", writtenBy: "longhand" }]);
      expect(ofType(events, "turn-end")).toMatchObject([{ outcome: "failed", seq: result.seq }]);
      expect(JSON.stringify([events, messages])).not.toContain("so it is");
    });
  });

  test("is not asked again where that is no use", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel(failure("MODEL_REFUSED"));
      expect((await say(store.session("a"), "go", { model })).result.error?.code).toBe("MODEL_REFUSED");
      expect(model.requests).toHaveLength(1);
    });
  });

  test("is not asked again beyond the total limit, which a clock that jumps does not change", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel(
        failure("MODEL_BUSY", { retryAfter: 60 }),
        failure("MODEL_BUSY"),
        answer("there"),
      );
      const late = await say(store.session("a"), "go", { model, retry: { firstPause: 1, total: 50 } });
      expect(late.result.error?.code).toBe("MODEL_BUSY");
      expect(model.requests).toHaveLength(1);
      const jumps = vi.spyOn(Date, "now").mockReturnValueOnce(0).mockReturnValue(9e12);
      try {
        const second = scriptedModel(failure("MODEL_BUSY"), failure("MODEL_BUSY"), answer("there"));
        const { result } = await say(store.session("b"), "go", {
          model: second,
          retry: { firstPause: 1, total: 60_000 },
        });
        expect(result.outcome).toBe("answered");
      } finally {
        jumps.mockRestore();
      }
    });
  });

  test("is given up when it falls silent, and told so", async () => {
    await withStore("memory", async (store) => {
      let wasTold = false;
      const model = scriptedModel(async function* (_request, signal) {
        signal.addEventListener("abort", () => (wasTold = true));
        await new Promise(() => undefined);
        yield text("never");
      }, answer("there"));
      const { result, events } = await say(store.session("a"), "go", {
        model,
        retry: { firstPause: 1, idle: 30 },
      });
      expect(result.outcome).toBe("answered");
      expect(ofType(events, "error")).toMatchObject([{ code: "MODEL_STALLED" }]);
      expect(wasTold).toBe(true);
    });
  });
});

describe("a request that is too long", () => {
  const earlier = Array.from({ length: 24 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `${index} ${"and so on ".repeat(30)}`,
  }));

  test("is compacted once, then asked again", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await session.append(earlier);
      const model = scriptedModel(failure("MODEL_OVERFLOW"), answer("They talked."), answer("there"));
      const { result, events } = await say(session, "go", { model });
      expect(result).toMatchObject({ outcome: "answered", text: "there" });
      expect(ofType(events, "compaction")).toHaveLength(1);
      expect((await session.state())?.summary).toBe("They talked.");
      expect(model.requests[2]?.messages.length).toBeLessThan(model.requests[0]?.messages.length ?? 0);
    });
  });

  test("is compacted to what system prompt, tools and answer leave, not to a half of the window", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await session.append(earlier.slice(0, 12));
      const model = scriptedModel(failure("MODEL_OVERFLOW"), answer("They talked."), answer("there"));
      const system = (): Promise<string> => Promise.resolve("Be brief, and say why. ".repeat(700));
      const sizes = { maxContextTokens: 8000, maxAnswerTokens: 1000 };
      const { result, events } = await say(session, "go", { model, system, ...sizes });
      expect(result).toMatchObject({ outcome: "answered", text: "there" });
      expect(ofType(events, "compaction")).toHaveLength(1);
    });
  });

  test("fails with its type if that was not enough, or there is nothing to compact", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await session.append(earlier);
      const model = scriptedModel(
        failure("MODEL_OVERFLOW"),
        answer("They talked."),
        failure("MODEL_OVERFLOW"),
      );
      expect((await say(session, "go", { model })).result).toMatchObject({
        outcome: "failed",
        error: { code: "MODEL_OVERFLOW" },
      });
      expect(model.requests).toHaveLength(3);
      const bare = scriptedModel(new Error("prompt is too long: 208310 tokens > 200000 maximum"));
      expect((await say(store.session("b"), "go", { model: bare })).result.error?.code).toBe(
        "MODEL_OVERFLOW",
      );
    });
  });
});

describe("usage", () => {
  test.each([
    ["missing", UNREPORTED],
    ["negative", { inputTokens: -5, outputTokens: -1, cachedTokens: -1 }],
    ["no number", { inputTokens: Number.NaN, outputTokens: 0.5, cachedTokens: undefined }],
  ])("%s is estimated, and marked so", async (_what, usage) => {
    await withStore("memory", async (store) => {
      const model = scriptedModel([text("Hello there."), finish("stop", usage)]);
      const { events, messages } = await say(store.session("a"), "hello", { model });
      const [told] = ofType(events, "usage");
      expect(told?.estimated).toBe(true);
      expect(told?.inputTokens).toBeGreaterThan(5);
      expect(told?.outputTokens).toBeGreaterThan(1);
      expect(messages[1]?.usage).toMatchObject({ inputTokens: told?.inputTokens, estimated: true });
    });
  });

  test("reported corrects the estimates of that model", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      const usage = { inputTokens: 400, outputTokens: 2, cachedTokens: 0 };
      const model = scriptedModel([text("ok"), finish("stop", usage)]);
      const { events } = await say(session, "some words ".repeat(100), { model });
      expect(ofType(events, "usage")).toMatchObject([{ ...usage, estimated: false }]);
      const note = await session.lastNote("longhand/token-correction");
      const [known] = (note?.data as { models: { model: string; factor: number }[] }).models;
      expect(known?.model).toBe("scripted");
      expect(known?.factor).toBeGreaterThan(1);
    });
  });
});

test("usage that cannot be kept leaves no call that looks as if it might have run", async () => {
  await withStore("memory", async (store) => {
    const session = store.session("a");
    const broken = withChanges(session, {
      note: async (kind, data) => {
        if (kind === "longhand/token-correction") throw new Error("no space");
        return await session.note(kind, data);
      },
    });
    const usage = { inputTokens: 400, outputTokens: 2, cachedTokens: 0 };
    const model = scriptedModel([call("1", "count"), finish("tool-calls", usage)], answer("never"));
    let runs = 0;
    const count = tool("count", () => String((runs += 1)));
    const { result, messages } = await say(broken, "some words ".repeat(100), { model, tools: [count] });
    expect(result).toMatchObject({ outcome: "failed", error: { message: "no space" } });
    expect(runs).toBe(1);
    expect(messages.filter(({ role }) => role === "tool")).toMatchObject([{ toolCallId: "1", content: "1" }]);
    expect(refusal(messages)).toBeUndefined();
  });
});

describe("an empty answer", () => {
  test("is asked for once more", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel(
        [reasoning("Hm. "), text(" \n"), finish()],
        [reasoning("Well. "), ...answer("there")],
      );
      const { result, messages } = await say(store.session("a"), "go", { model });
      expect(result.outcome).toBe("answered");
      expect(messages.at(-1)).toMatchObject({ reasoning: "Hm. Well. " });
    });
  });

  test("twice is a failure, and no empty message is kept", async () => {
    await withStore("memory", async (store) => {
      const model = scriptedModel([reasoning("Hm."), finish()], [finish()]);
      const { result, messages } = await say(store.session("a"), "go", { model });
      expect(result).toMatchObject({ outcome: "failed", error: { code: "MODEL_EMPTY" } });
      expect(model.requests).toHaveLength(2);
      expect(messages).toHaveLength(2);
      expect(messages[1]).toMatchObject({ writtenBy: "longhand", reasoning: "Hm." });
      expect(refusal(messages)).toBeUndefined();
    });
  });
});

test("an answer that does not end is ended, kept as far as it goes, and the conversation goes on", async () => {
  await withStore("jsonl", async (store) => {
    let pieces = 0;
    const endless = scriptedModel(async function* () {
      for (;;) {
        await Promise.resolve();
        pieces += 1;
        yield text("😀".repeat(100_000));
        yield call("1", "look", {});
      }
    });
    const look = tool("look", () => {
      throw new Error("a call of an answer that was cut off must not run");
    });
    const { result, messages } = await say(store.session("a"), "go", { model: endless, tools: [look] });
    expect(result.outcome).toBe("answered");
    expect(pieces).toBeLessThan(30);
    expect(messages[1]).toMatchObject({ role: "assistant", stopReason: "length" });
    expect(messages[1]?.toolCalls).toBeUndefined();
    const content = messages[1]?.content;
    expect(typeof content === "string" && content.isWellFormed()).toBe(true);
    const next = await say(store.session("a"), "again", {
      model: scriptedModel([text("yes"), finish("stop")]),
    });
    expect(next.result.text).toBe("yes");
  });
});

test("an answer that is too long is kept, and says so", async () => {
  await withStore("memory", async (store) => {
    const model = scriptedModel([text("and so"), finish("length")]);
    const { result, messages } = await say(store.session("a"), "go", { model });
    expect(result.outcome).toBe("answered");
    expect(messages[1]).toMatchObject({ content: "and so", stopReason: "length" });
  });
});

test("a prompt that cannot be made fails the turn, and the words stay", async () => {
  await withStore("memory", async (store) => {
    const system = (): Promise<string> => Promise.reject(new Error("no memory"));
    const { result, messages } = await say(store.session("a"), "go", {
      model: scriptedModel(answer("x")),
      system,
    });
    expect(result).toMatchObject({ outcome: "failed", error: { code: "TURN_FAILED", message: "no memory" } });
    expect(messages).toHaveLength(2);
  });
});
