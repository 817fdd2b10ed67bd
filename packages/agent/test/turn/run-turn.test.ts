/** A turn from its first word to its end: what is kept, in which order, and what is told. */

import { isLonghandError, type Session } from "@longhand/store";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../store/test/support/strict-provider.ts";
import { Mailbox } from "../../src/kernel/mailbox.ts";
import { recoverTurn } from "../../src/turn/recover-turn.ts";
import { rewindTurn } from "../../src/turn/rewind-turn.ts";
import type { Said } from "../../src/turn/types.ts";
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
} from "./support/scripted.ts";
import { withStore, type BackendName } from "./support/with-store.ts";

const quiet = { agent: "test", events: (): void => undefined };

async function kinds(session: Session): Promise<string[]> {
  const found: string[] = [];
  for await (const record of session.records())
    found.push(
      record.op === undefined ? record.message.role : record.op === "note" ? record.kind : record.op,
    );
  return found;
}

describe.each<BackendName>(["memory", "json", "jsonl"])("over %s", (name) => {
  test("the words, the calls, the results and the answer are kept in order, and told in order", async () => {
    await withStore(name, async (store) => {
      const session = store.session("a");
      const model = scriptedModel(
        calls(reasoning("Hm. "), text("I look."), call("1", "look", { at: "here" })),
        [text("Not"), text("hing."), finish("stop", { inputTokens: 90, outputTokens: 3, cachedTokens: 10 })],
      );
      const look = tool("look", (input) => `seen ${JSON.stringify(input)}`, { isReadOnly: true });
      const { result, events, messages } = await say(
        session,
        { text: "what is there?", name: "Ada" },
        { model, tools: [look] },
      );
      expect(result).toMatchObject({ outcome: "answered", text: "Nothing." });
      expect(result.seq).toBe((await session.state())?.seq);
      expect(messages).toMatchObject([
        { role: "user", content: "what is there?", name: "Ada" },
        {
          role: "assistant",
          content: "I look.",
          reasoning: "Hm. ",
          toolCalls: [{ id: "1", name: "look", arguments: { at: "here" } }],
          model: "scripted",
          stopReason: "tool-calls",
        },
        { role: "tool", toolCallId: "1", name: "look", content: 'seen {"at":"here"}' },
        {
          role: "assistant",
          content: "Nothing.",
          usage: { inputTokens: 90, outputTokens: 3, cachedTokens: 10 },
          stopReason: "stop",
        },
      ]);
      expect(events.map(({ type }) => type)).toEqual([
        "turn-start",
        "reasoning-delta",
        "text-delta",
        "usage",
        "tool-call",
        "tool-result",
        "text-delta",
        "text-delta",
        "usage",
        "turn-end",
      ]);
      expect(model.requests.map(({ messages: seen }) => seen.map(({ role }) => role))).toEqual([
        ["system", "user"],
        ["system", "user", "assistant", "tool"],
      ]);
      expect(await recoverTurn(session, quiet)).toBeUndefined();
    });
  });
});

test("the words are durable before the model is called, and each result before the next call", async () => {
  await withStore("jsonl", async (store) => {
    const session = store.session("a");
    const lasts: unknown[] = [];
    const looking = async function* (events: ReturnType<typeof answer>) {
      lasts.push((await session.messages({ last: 1 }))[0]?.content);
      yield* events;
    };
    const model = scriptedModel(
      () => looking(calls(call("1", "look"))),
      () => looking(answer("done")),
    );
    await say(session, "hello", { model, tools: [tool("look", () => "seen")] });
    expect(lasts).toEqual(["hello", "seen"]);
    expect(await kinds(session)).toEqual([
      ...["longhand/turn", "user", "assistant", "longhand/calls", "tool", "assistant", "longhand/turn"],
    ]);
  });
});

test("words that cannot be kept change nothing and are rejected", async () => {
  await withStore("jsonl", async (store) => {
    const session = store.session("a");
    const model = scriptedModel(answer("hello"));
    const wrong = { text: 7 as unknown as string };
    await expect(say(session, wrong, { model })).rejects.toSatisfy((error) =>
      isLonghandError(error, "MESSAGE_INVALID"),
    );
    expect(await session.exists()).toBe(false);
    await say(session, { text: "one", id: "1" }, { model });
    const before = await session.state();
    await expect(say(session, { text: "two", id: "1" }, { model })).rejects.toSatisfy((error) =>
      isLonghandError(error, "ID_CONFLICT"),
    );
    expect((await session.state())?.seq).toBe(before?.seq);
    const { signal } = abortedAlready();
    await expect(say(session, "three", { model }, { signal })).rejects.toThrow("enough");
    expect((await session.state())?.seq).toBe(before?.seq);
  });
});

function abortedAlready(): AbortController {
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  return controller;
}

test("what was said under the same id is kept once and answered once", async () => {
  await withStore("memory", async (store) => {
    const session = store.session("a");
    const model = scriptedModel(answer("first"), answer("second"));
    const first = await say(session, { text: "hello", id: "1" }, { model });
    await say(session, "between", { model });
    const again = await say(session, { text: "hello", id: "1" }, { model });
    expect(again.result).toEqual(first.result);
    expect(again.events).toEqual([]);
    expect(model.requests).toHaveLength(2);
    expect(again.messages).toHaveLength(4);
  });
});

test("words that somebody else has kept under that id are answered, and not kept again", async () => {
  await withStore("memory", async (store) => {
    const session = store.session("a");
    await session.append({ role: "user", content: "hello" }, { id: "1" });
    const { result, events, messages } = await say(
      session,
      { text: "hello", id: "1" },
      { model: scriptedModel(answer("hi")) },
    );
    expect(result.outcome).toBe("answered");
    expect(ofType(events, "turn-start")).toMatchObject([{ seq: 1 }]);
    expect(messages.map(({ content }) => content)).toEqual(["hello", "hi"]);
  });
});

test("what steers is heard between two steps, and also after what would have been the last", async () => {
  await withStore("memory", async (store) => {
    const session = store.session("a");
    const steering = new Mailbox<Said>(10);
    const look = tool("look", () => {
      steering.offer({ text: "faster", id: "s1" });
      steering.offer({ text: "faster", id: "s1" });
      return "seen";
    });
    const model = scriptedModel(
      calls(call("1", "look")),
      async function* () {
        await Promise.resolve();
        steering.offer({ text: "and louder", name: "Bob" });
        yield* answer("fast");
      },
      answer("LOUD"),
    );
    const { result, messages } = await say(session, "look", { model, tools: [look] }, { steering });
    expect(result.text).toBe("LOUD");
    expect(messages.map(({ content }) => content)).toEqual([
      "look",
      "",
      "seen",
      "faster",
      "fast",
      "and louder",
      "LOUD",
    ]);
    expect(refusal(messages)).toBeUndefined();
    expect(steering.size).toBe(0);
  });
});

test("calls that only read run beside each other; others run one after another, each known to have begun", async () => {
  await withStore("memory", async (store) => {
    const running = new Set<string>();
    let most = 0;
    const busy = async (_input: unknown, { callId }: { callId: string }): Promise<string> => {
      running.add(callId);
      most = Math.max(most, running.size);
      await new Promise((resolve) => setImmediate(resolve));
      running.delete(callId);
      return callId;
    };
    const tools = [tool("read", busy, { isReadOnly: true }), tool("write", busy)];
    const model = (): ReturnType<typeof scriptedModel> =>
      scriptedModel(
        calls(call("1", "read", { a: 1 }), call("2", "read", { a: 2 }), call("3", "read")),
        answer("ok"),
      );
    await say(store.session("a"), "read", { model: model(), tools });
    expect(most).toBe(3);
    most = 0;
    const mixed = scriptedModel(
      calls(call("1", "read"), call("2", "write"), call("3", "write", { a: 1 })),
      answer("ok"),
    );
    const session = store.session("b");
    const { messages } = await say(session, "write", { model: mixed, tools });
    expect(most).toBe(1);
    expect(messages.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(["1", "2", "3"]);
    expect(await kinds(session)).toEqual([
      ...["longhand/turn", "user", "assistant", "tool", "longhand/calls", "tool", "longhand/calls", "tool"],
      ...["assistant", "longhand/turn"],
    ]);
  });
});

test("two stores that speak to one key at once: their turns never interleave", async () => {
  await withStore("jsonl", async (one) => {
    const { openStore } = await import("@longhand/store");
    const other = await openStore(one.directory ?? "");
    try {
      const look = tool("look", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return "seen";
      });
      const speak = async (store: typeof one, who: string): Promise<void> => {
        for (const number of [1, 2, 3]) {
          const model = scriptedModel(
            calls(text(`${who}${number}`), call("1", "look")),
            answer(`${who}${number}`),
          );
          await say(store.session("a"), `${who}${number}`, { model, tools: [look] });
        }
      };
      await Promise.all([speak(one, "x"), speak(other, "y")]);
      const messages = await one.session("a").messages();
      expect(messages).toHaveLength(24);
      for (let index = 0; index < messages.length; index += 4) {
        const said = messages[index]?.content;
        expect(messages.slice(index, index + 4)).toMatchObject([
          { role: "user", content: said },
          { role: "assistant", content: said },
          { role: "tool" },
          { role: "assistant", content: said },
        ]);
      }
    } finally {
      await other.close();
    }
  });
});

test("the last turn is taken back whole, with what steered it; then the one before it", async () => {
  await withStore("memory", async (store) => {
    const session = store.session("a");
    await session.append([
      { role: "user", content: "earlier" },
      { role: "assistant", content: "yes" },
    ]);
    const steering = new Mailbox<Said>(1);
    steering.offer({ text: "more" });
    const one = await say(
      session,
      { text: "one", id: "1" },
      { model: scriptedModel(answer("1"), answer("1!")) },
      { steering },
    );
    const two = await say(session, "two", { model: scriptedModel(new Error("down")), retry: { tries: 1 } });
    expect(two.result.outcome).toBe("failed");
    expect(await rewindTurn(session, one.result.turn)).toBeUndefined();
    expect((await rewindTurn(session, two.result.turn))?.turn).toBe(two.result.turn);
    expect((await session.messages()).map(({ content }) => content)).toEqual([
      "earlier",
      "yes",
      "one",
      "1",
      "more",
      "1!",
    ]);
    expect((await rewindTurn(session))?.turn).toBe(one.result.turn);
    expect((await session.messages()).map(({ content }) => content)).toEqual(["earlier", "yes"]);
    // What was taken back can be said again.
    await say(session, { text: "one", id: "1" }, { model: scriptedModel(answer("1")) });
    await rewindTurn(session);
    expect(await rewindTurn(session)).toMatchObject({ turn: undefined });
    expect(await session.messages()).toEqual([]);
    expect(await rewindTurn(session)).toBeUndefined();
  });
});

test("a sink that throws spoils nothing, and is told in the end", async () => {
  await withStore("memory", async (store) => {
    const session = store.session("a");
    const onEvent = (): void => {
      throw new Error("the sink is broken");
    };
    await expect(say(session, "hello", { model: scriptedModel(answer("hi")) }, { onEvent })).rejects.toThrow(
      "the sink is broken",
    );
    expect((await session.messages()).map(({ content }) => content)).toEqual(["hello", "hi"]);
    expect(await recoverTurn(session, quiet)).toBeUndefined();
  });
});
