/** Cancelled at any point a turn leaves a valid history, its end is told once, and the next turn goes on. */

import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { refusal } from "../../../store/test/support/strict-provider.ts";
import { AgentError } from "../../src/errors.ts";
import type { AgentEvent } from "../../src/events.ts";
import { deferred } from "../../src/kernel/deferred.ts";
import { Mailbox } from "../../src/kernel/mailbox.ts";
import { recoverTurn } from "../../src/turn/recover-turn.ts";
import { runTurn } from "../../src/turn/run-turn.ts";
import type { Said } from "../../src/turn/types.ts";
import { EARLIER, KEY, SAID, scenario } from "./support/kill-scenario.mjs";
import { plainText } from "./support/plain-text.ts";
import { answer, call, calls, say, scriptedModel, text, tool } from "./support/scripted.ts";
import { withStore } from "./support/with-store.ts";

/** Cancels at the event with this number; 0: not at all. Answers with how many events there were. */
async function cancelAt(number: number): Promise<readonly AgentEvent[]> {
  return await withStore("memory", async (store) => {
    const session = store.session(KEY);
    await session.append(EARLIER);
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    let effects = 0;
    const steering = new Mailbox<Said>(10);
    const settings = scenario({
      effect: () => {
        effects += 1;
      },
      wait: async () => await wait(1),
      overflow: () => new AgentError("MODEL_OVERFLOW", "too long"),
      steering,
      settings: {
        events: (event) => {
          if (events.push(event) === number) controller.abort(new AgentError("CANCELLED", "enough"));
        },
      },
    });
    const running = { id: "turn-1", signal: controller.signal, steering };
    const result = await runTurn(session, SAID, running, settings);
    const at = `cancelled at event ${number}, ${events[number - 1]?.type ?? ""}`;
    const messages = await session.messages();
    expect(refusal(messages), at).toBeUndefined();
    expect(
      events.filter(({ type }) => type === "turn-end"),
      at,
    ).toEqual([events.at(-1)]);
    expect(await recoverTurn(session, { agent: "test", events: () => undefined }), at).toBeUndefined();
    const shown = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
    const kept: string[] = [];
    for await (const record of session.records({ kept: true, from: EARLIER.length + 1 }))
      if (record.op === undefined && record.message.role === "assistant" && !("writtenBy" in record.message))
        kept.push(plainText(record.message.content));
    expect(kept.join(""), at).toBe(shown);
    if (result.outcome === "cancelled") {
      expect(messages.at(-1), at).toMatchObject({ stopReason: "cancelled", writtenBy: "longhand" });
      expect(result.error?.code).toBe("CANCELLED");
    } else expect(result.outcome, at).toBe("answered");
    const counted = messages.find(({ toolCallId }) => toolCallId === "three")?.content;
    if (effects === 0) expect(counted ?? "[cancelled before it ran]", at).toBe("[cancelled before it ran]");
    else expect(counted ?? "counted", at).toMatch(/^counted$|while it ran/);
    expect((await say(session, "go on", { model: scriptedModel(answer("fine")) })).result.outcome, at).toBe(
      "answered",
    );
    return events;
  });
}

test("at each event", async () => {
  const { length } = await cancelAt(0);
  expect(length).toBeGreaterThan(15);
  const ends = [];
  for (let number = 1; number <= length; number += 1) ends.push((await cancelAt(number)).at(-1));
  const cancelled = ends.filter((event) => event?.type === "turn-end" && event.outcome === "cancelled");
  // Not cancelled is only what was whole already.
  expect(cancelled.length).toBeGreaterThanOrEqual(length - 3);
});

test("while a tool runs that does not listen, a model that does not, a question that nobody answers, a pause", async () => {
  await withStore("memory", async (store) => {
    let hanging = (): void => undefined;
    const hang = async (): Promise<never> => {
      hanging();
      return await new Promise<never>(() => undefined);
    };
    const script = [calls(call("1", "hang"), call("2", "hang", { a: 1 })), answer("x")];
    const mute = async function* () {
      yield text("Well, ");
      await hang();
    };
    const busy = new AgentError("MODEL_BUSY", "busy", { retryAfter: 50_000 });
    const cases = [
      { model: scriptedModel(...script), tools: [tool("hang", hang)] },
      { model: scriptedModel(...script), tools: [tool("hang", hang, { isReadOnly: true })], hangs: 2 },
      { model: scriptedModel(mute) },
      {
        model: scriptedModel(...script),
        tools: [tool("hang", hang, { needsApproval: () => "why" })],
        approve: hang,
      },
      { model: scriptedModel(busy) },
      { model: scriptedModel(answer("x")), system: hang },
    ];
    const results: unknown[] = [];
    for (const [index, { hangs = 1, ...settings }] of cases.entries()) {
      const controller = new AbortController();
      const stuck = deferred<undefined>();
      let left = hangs;
      hanging = () => {
        if ((left -= 1) === 0) stuck.resolve(undefined);
      };
      const onEvent = (event: AgentEvent): void => {
        if (event.type === "error" && event.retryIn !== undefined) stuck.resolve(undefined);
      };
      const { signal } = controller;
      const saying = say(store.session(`${index}`), "go", settings, { signal, onEvent });
      await stuck.promise;
      controller.abort();
      const { result, messages } = await saying;
      expect(result.outcome).toBe("cancelled");
      expect(refusal(messages)).toBeUndefined();
      results.push(
        messages
          .slice(1, -1)
          .map(({ role, content }) => (role === "tool" ? content : `${role} ${plainText(content)}`)),
      );
    }
    const ran = "[cancelled while it ran; what it had done by then stays done]";
    const never = "[cancelled before it ran]";
    expect(results).toEqual([
      ["assistant ", ran, never],
      ["assistant ", ran, ran],
      ["assistant Well, "],
      ["assistant ", never, never],
      [],
      [],
    ]);
  });
});

test("what was said to steer a turn that was cancelled is left for whoever asks next", async () => {
  await withStore("memory", async (store) => {
    const controller = new AbortController();
    const steering = new Mailbox<Said>(2);
    const stop = tool("stop", () => {
      steering.offer({ text: "wait" });
      controller.abort();
      return "stopped";
    });
    const model = scriptedModel(calls(call("1", "stop")), answer("x"));
    const { result } = await say(
      store.session("a"),
      "go",
      { model, tools: [stop] },
      { signal: controller.signal, steering },
    );
    expect(result.outcome).toBe("cancelled");
    expect(steering.close()).toEqual([{ text: "wait" }]);
  });
});
