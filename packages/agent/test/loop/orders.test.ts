/** Every order is settled once and nobody's words or memory go astray: steering, signals, closing, many conversations. */

import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/events.ts";
import type { Conversation } from "../../src/loop/types.ts";
import type { Model } from "../../src/models/model.ts";
import {
  openTestLoop,
  removeDirectories,
  settingsIn,
  temporaryDirectory,
} from "../support/open-test-loop.ts";
import { gate, lastText, says, scriptedModel } from "../support/scripted-model.ts";

afterEach(removeDirectories);

/** Waits at every message that begins with "slow". */
function holding(): { model: Model; open: () => void } {
  const held = gate();
  const model = scriptedModel(async function* (request, signal) {
    if (lastText(request).startsWith("slow")) await held.opened(signal);
    yield* says(`heard ${lastText(request)}`);
  });
  return { model, open: held.open };
}

async function started(events: readonly AgentEvent[]): Promise<void> {
  await expect.poll(() => events.some(({ type }) => type === "turn-start")).toBe(true);
}

async function saidIn(conversation: Conversation): Promise<unknown[]> {
  const messages = await conversation.session.messages();
  return messages.filter(({ role }) => role === "user").map(({ content }) => content);
}

describe("steering", () => {
  test("is considered by the turn that runs: one turn, and both resolve with it", async () => {
    const directory = await temporaryDirectory();
    const { model, open } = holding();
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, model)]);
    const conversation = loop.agent().conversation("a");
    const first = conversation.say({ text: "slow" });
    await started(events);
    const words = { text: "and this" };
    const steered = [words, words].map((said) => conversation.say(said, { whenBusy: "steer" }));
    open();
    const turns = (await Promise.all([first, ...steered])).map(({ turn }) => turn);
    expect(new Set(turns).size).toBe(1);
    expect(events.filter(({ type }) => type === "turn-start")).toHaveLength(1);
    expect(await saidIn(conversation)).toEqual(["slow", "and this", "and this"]);
    await loop.close();
  });

  test("with words that cannot be kept rejects alone; the turn goes on", async () => {
    const directory = await temporaryDirectory();
    const { model, open } = holding();
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, model)]);
    const conversation = loop.agent().conversation("a");
    await conversation.say({ text: "early", id: "used" });
    events.length = 0;
    const first = conversation.say({ text: "slow" });
    await started(events);
    const bad = conversation.say({ text: "other words", id: "used" }, { whenBusy: "steer" });
    const good = conversation.say({ text: "good" }, { whenBusy: "steer" });
    const refusal = bad.catch((error: unknown) => error);
    open();
    expect((await first).outcome).toBe("answered");
    expect(await refusal).toMatchObject({ code: "ID_CONFLICT" });
    expect((await good).outcome).toBe("answered");
    expect(await saidIn(conversation)).toEqual(["early", "slow", "good"]);
    await loop.close();
  });

  test("too late, it comes before what was said after it", async () => {
    const directory = await temporaryDirectory();
    const { model } = holding();
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, model)]);
    const conversation = loop.agent().conversation("a");
    const said = [conversation.say({ text: "slow 1" })];
    await started(events);
    said.push(conversation.say({ text: "2s" }, { whenBusy: "steer" }));
    said.push(conversation.say({ text: "3s" }, { whenBusy: "steer" }));
    said.push(conversation.say({ text: "4" }));
    await conversation.cancel();
    await Promise.all(said);
    expect(await saidIn(conversation)).toEqual(["slow 1", "2s", "3s", "4"]);
    await loop.close();
  });
});

describe("taking it back", () => {
  test("cancel() also finds what has not begun yet", async () => {
    const directory = await temporaryDirectory();
    const { loop } = await openTestLoop(directory, [settingsIn(directory, holding().model)]);
    const conversation = loop.agent().conversation("a");
    const said = conversation.say({ text: "slow" }).catch((error: unknown) => error);
    expect(conversation.isBusy).toBe(true);
    expect(await conversation.cancel()).toBe(true);
    const result = await said;
    expect((result as { outcome?: string }).outcome ?? (result as { code: string }).code.toLowerCase()).toBe(
      "cancelled",
    );
    await loop.close();
  });

  test("by the signal rejects at once while it waits, and is never said", async () => {
    const directory = await temporaryDirectory();
    const { model, open } = holding();
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, model)]);
    const conversation = loop.agent().conversation("a");
    const first = conversation.say({ text: "slow" });
    await started(events);
    const controllers = [new AbortController(), new AbortController()];
    const waiting = conversation.say({ text: "waits" }, { signal: controllers[0]?.signal });
    const steering = conversation.say(
      { text: "steers" },
      { whenBusy: "steer", signal: controllers[1]?.signal },
    );
    const both = Promise.allSettled([waiting, steering]);
    for (const controller of controllers) controller.abort(new Error("never mind"));
    for (const { status } of await both) expect(status).toBe("rejected");
    open();
    await first;
    await conversation.settled();
    expect(await saidIn(conversation)).toEqual(["slow"]);
    await loop.close();
  });
});

describe("closing", () => {
  test("refuses everybody with the same words, however many wait, and whoever comes later", async () => {
    const directory = await temporaryDirectory();
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, holding().model)]);
    const agent = loop.agent();
    const conversation = agent.conversation("a");
    const first = conversation.say({ text: "slow" });
    await started(events);
    const waiting = Array.from({ length: 130 }, (_, number) => conversation.say({ text: `${number}` }));
    const refused = Promise.allSettled(waiting);
    const closing = loop.close();
    const late = agent
      .conversation("other")
      .say({ text: "x" })
      .catch((error: unknown) => error);
    await closing;
    expect((await first).outcome).toBe("cancelled");
    for (const result of await refused) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "LOOP_CLOSED" } });
    }
    expect(await late).toMatchObject({ code: "LOOP_CLOSED" });
    const afterwards = agent.conversation("third").say({ text: "x" });
    await expect(afterwards).rejects.toMatchObject({ code: "LOOP_CLOSED" });
  });
});

describe("scopes", () => {
  /** Keeps what it hears as a fact. */
  const remembering = scriptedModel((request) => {
    const system = request.messages.find(({ role }) => role === "system")?.content;
    if (request.tools.length === 0 && typeof system === "string" && system.includes("JSON")) {
      return says(JSON.stringify({ history_entry: lastText(request).slice(-200), facts: [] }));
    }
    return says("yes");
  });

  test("stay with a conversation that is held, however many others there are", async () => {
    const directory = await temporaryDirectory();
    const memory = join(directory, "main", "memory");
    const { loop } = await openTestLoop(directory, [settingsIn(directory, remembering, { memory })]);
    const agent = loop.agent();
    const ana = agent.conversation("ana", { scope: { user: "ana" } });
    for (let number = 0; number < 3000; number++) agent.conversation(`other ${number}`);
    expect(agent.conversation("ana")).toBe(ana);
    await ana.say({ text: "my secret is 4711" });
    await agent.catchUpMemory();
    const everything = (await agent.memory?.everything()) ?? [];
    expect(everything.map(({ scope }) => scope)).toEqual([{ user: "ana" }]);
    await loop.close();
  });

  test("cannot be changed under a conversation", async () => {
    const directory = await temporaryDirectory();
    const { loop } = await openTestLoop(directory, [settingsIn(directory, remembering)]);
    const held = loop.agent().conversation("a", { scope: { user: "ana" } });
    expect(() => loop.agent().conversation("a", { scope: { user: "bob" } })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
    expect(loop.agent().conversation("a", { scope: { user: "ana" } })).toBe(held);
    await loop.close();
  });

  test("what is said at this machine is not told to anybody in a channel", async () => {
    const directory = await temporaryDirectory();
    const memory = join(directory, "main", "memory");
    const { loop } = await openTestLoop(directory, [settingsIn(directory, remembering, { memory })]);
    const agent = loop.agent();
    const own = agent.conversation("chat:1");
    await own.say({ text: "my safe code is 4711" });
    await agent.catchUpMemory();
    expect(await agent.memory?.everything()).toHaveLength(1);
    for (const scope of [
      { agent: "main", channel: "telegram", user: "eve" },
      { agent: "main", channel: "telegram", user: "owner" },
      { agent: "main" },
    ]) {
      expect((await agent.memory?.promptSection({ scope }))?.text).toBe("");
      expect(await agent.memory?.recall("safe code", { scope })).toEqual([]);
    }
    // The control: who said it is told.
    expect((await agent.memory?.promptSection({ scope: own.scope }))?.text).toContain("4711");
    await loop.close();
  });
});
