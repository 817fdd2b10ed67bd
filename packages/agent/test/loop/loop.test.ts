/** Agents side by side, turns that wait, steer and cancel, and the chain by which everything closes. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "@longhand/store";
import { contextUsage } from "@longhand/store/context";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/models/model.ts";
import {
  openTestLoop,
  removeDirectories,
  settingsIn,
  temporaryDirectory,
} from "../support/open-test-loop.ts";
import { gate, lastText, says, scriptedModel } from "../support/scripted-model.ts";

afterEach(removeDirectories);

const echo = scriptedModel((request) => says(`you said: ${lastText(request)}`));

const textsOf = (request: ModelRequest): unknown[] =>
  request.messages.filter(({ role }) => role !== "system").map(({ content }) => content);

describe("several agents", () => {
  test("have sessions of their own: one never reads another's history, also under the same key", async () => {
    const directory = await temporaryDirectory();
    const seen: unknown[][] = [];
    const listening = scriptedModel((request) => {
      seen.push(textsOf(request));
      return says("yes");
    });
    const { loop } = await openTestLoop(directory, [
      settingsIn(directory, echo, { name: "one" }),
      settingsIn(directory, listening, { name: "two" }),
    ]);
    await loop.agent("one").conversation("same").say({ text: "for one alone" });
    await loop.agent("two").conversation("same").say({ text: "for two" });
    expect(seen).toEqual([["for two"]]);
    expect(loop.agents.map(({ keptBy }) => keptBy)).toEqual(["jsonl", "jsonl"]);
    await loop.close();
  });

  test("are found by their names; an unknown one is named with those there are", async () => {
    const directory = await temporaryDirectory();
    const { loop } = await openTestLoop(directory, [settingsIn(directory, echo)]);
    expect(loop.agent().name).toBe("main");
    expect(() => loop.agent("mian")).toThrow(expect.objectContaining({ code: "AGENT_UNKNOWN" }));
    await loop.close();
  });

  test("cannot share a name", async () => {
    const directory = await temporaryDirectory();
    const twice = [settingsIn(directory, echo), settingsIn(directory, echo)];
    await expect(openTestLoop(directory, twice)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("what is said while a turn runs", () => {
  test("waits: turns come one after another, in order", async () => {
    const directory = await temporaryDirectory();
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, echo)]);
    const conversation = loop.agent().conversation("a");
    const results = await Promise.all(["1", "2", "3", "4"].map((text) => conversation.say({ text })));
    expect(results.map(({ text }) => text)).toEqual([1, 2, 3, 4].map((n) => `you said: ${n}`));
    const kinds = events.filter(({ type }) => type === "turn-start" || type === "turn-end");
    expect(kinds.map(({ type }) => type)).toEqual(Array(4).fill(["turn-start", "turn-end"]).flat());
    const messages = await conversation.session.messages();
    expect(messages.map(({ role }) => role)).toEqual(Array(4).fill(["user", "assistant"]).flat());
    await loop.close();
  });

  test("steers: the turn that runs considers it, or else it is a turn of its own; never lost", async () => {
    const directory = await temporaryDirectory();
    const held = gate();
    const slow = scriptedModel(async function* (request, signal) {
      if (lastText(request) === "first") await held.opened(signal);
      yield* says(`heard ${lastText(request)}`);
    });
    const { loop } = await openTestLoop(directory, [settingsIn(directory, slow)]);
    const conversation = loop.agent().conversation("a");
    const first = conversation.say({ text: "first" });
    await expect.poll(() => conversation.isBusy).toBe(true);
    const steered = conversation.say({ text: "and this" }, { whenBusy: "steer" });
    held.open();
    await first;
    expect((await steered).outcome).toBe("answered");
    const said = (await conversation.session.messages()).filter(({ role }) => role === "user");
    expect(said.map(({ content }) => content)).toEqual(["first", "and this"]);
    await loop.close();
  });

  test("cancels: the turn ends, its history is valid, and the new one is answered", async () => {
    const directory = await temporaryDirectory();
    const held = gate();
    const slow = scriptedModel(async function* (request, signal) {
      if (lastText(request) === "first") {
        yield { type: "text", text: "I begin" };
        await held.opened(signal);
      }
      yield* says("done");
    });
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, slow)]);
    const conversation = loop.agent().conversation("a");
    const first = conversation.say({ text: "first" });
    await expect.poll(() => events.some(({ type }) => type === "text-delta")).toBe(true);
    const second = conversation.say({ text: "second" }, { whenBusy: "cancel" });
    expect((await first).outcome).toBe("cancelled");
    expect((await second).text).toBe("done");
    await loop.close();
  });

  test("cancel() says whether there was a turn", async () => {
    const directory = await temporaryDirectory();
    const held = gate();
    const slow = scriptedModel(async function* (_, signal) {
      await held.opened(signal);
      yield* says("never");
    });
    const { loop, events } = await openTestLoop(directory, [settingsIn(directory, slow)]);
    const conversation = loop.agent().conversation("a");
    expect(await conversation.cancel()).toBe(false);
    const turn = conversation.say({ text: "go" });
    await expect.poll(() => events.some(({ type }) => type === "turn-start")).toBe(true);
    expect(await conversation.cancel()).toBe(true);
    expect((await turn).outcome).toBe("cancelled");
    await loop.close();
  });
});

describe("closing", () => {
  test("cancels turns in hand, waits for their writes, and refuses what waits", async () => {
    const directory = await temporaryDirectory();
    const held = gate();
    const slow = scriptedModel(async function* (_, signal) {
      yield { type: "text", text: "half an ans" };
      await held.opened(signal);
    });
    const settings = settingsIn(directory, slow);
    const { loop, events } = await openTestLoop(directory, [settings]);
    const conversation = loop.agent().conversation("a");
    const running = conversation.say({ text: "one" });
    const waiting = conversation.say({ text: "two" }).catch((error: unknown) => error);
    await expect.poll(() => events.some(({ type }) => type === "text-delta")).toBe(true);
    await Promise.all([loop.close(), loop.close()]);
    expect((await running).outcome).toBe("cancelled");
    expect(await waiting).toMatchObject({ code: "LOOP_CLOSED" });
    await expect(conversation.say({ text: "three" })).rejects.toMatchObject({ code: "LOOP_CLOSED" });
    expect(events.at(-1)?.type).toBe("turn-end");
    const store = await openStore(settings.sessions ?? "");
    const messages = await store.session("a").messages();
    expect(messages.map(({ role }) => role).slice(0, 2)).toEqual(["user", "assistant"]);
    expect(JSON.stringify(messages)).toContain("half an ans");
    expect(JSON.stringify(messages)).not.toContain("two");
    await store.close();
  });
});

describe("a store that cannot be opened", () => {
  /** A journal directory that is a file: the JSONL store refuses, plain JSON files do not care. */
  async function spoiled(): Promise<string> {
    const directory = await temporaryDirectory();
    const sessions = join(directory, "main", "sessions");
    await mkdir(sessions, { recursive: true, mode: 0o700 });
    await writeFile(join(sessions, ".longhand"), "not a directory");
    return directory;
  }

  test("is told loudly, the JSON backend takes over, and the store takes its sessions in later", async () => {
    const directory = await spoiled();
    const settings = settingsIn(directory, echo);
    const { loop, problems } = await openTestLoop(directory, [settings]);
    expect(loop.agent().keptBy).toBe("json");
    expect(problems.map(({ message }) => message).join()).toContain(
      `longhand migrate ${settings.sessions ?? ""}`,
    );
    expect(problems.map(({ message }) => message).join()).toContain("could not be opened");
    await loop.agent().conversation("a").say({ text: "hello" });
    await loop.close();
    const sessions = settings.sessions ?? "";
    expect(await readFile(join(sessions, "a.json"), "utf8")).toContain("you said: hello");

    const { rename } = await import("node:fs/promises");
    await rename(join(sessions, ".longhand"), join(directory, "away"));
    // Without being asked to, it takes nothing over, and says what it has left alone.
    const between = await openTestLoop(directory, [settings]);
    await between.loop.close();
    expect(between.problems).toMatchObject([
      { code: "SESSIONS_FOREIGN", message: expect.stringMatching(/a\.json.*longhand migrate/) as string },
    ]);
    const later = await openTestLoop(directory, [{ ...settings, migrateSessions: true }]);
    expect(later.loop.agent().keptBy).toBe("jsonl");
    expect(later.problems).toMatchObject([
      { code: "SESSIONS_MIGRATED", message: expect.stringContaining("a.json.migrated") as string },
    ]);
    const messages = await later.loop.agent().store.session("a").messages();
    expect(messages.map(({ content }) => content)).toEqual(["hello", "you said: hello"]);
    await later.loop.close();
  });

  test("the JSON backend leaves files of other programs as they are, and refuses their keys", async () => {
    const directory = await spoiled();
    const settings = settingsIn(directory, echo);
    const at = "2026-01-02T03:04:05Z";
    const messages = [{ role: "user", content: "old" }];
    const files = [
      ["prompts", JSON.stringify({ model: "m", messages })],
      ["picoclaw", JSON.stringify({ key: "picoclaw", messages, created: at, updated: at })],
    ] as const;
    const pathOf = (key: string): string => join(settings.sessions ?? "", `${key}.json`);
    for (const [key, text] of files) await writeFile(pathOf(key), text);
    const { loop } = await openTestLoop(directory, [settings]);
    for (const [key, text] of files) {
      await expect(
        loop.agent().store.session(key).append({ role: "user", content: "new" }),
      ).rejects.toMatchObject({
        code: "SESSION_EXISTS",
        message: expect.stringContaining(pathOf(key)) as string,
      });
      expect(await readFile(pathOf(key), "utf8")).toBe(text);
    }
    await loop.close();
  });

  test("nothing to keep: in memory, and it says so", async () => {
    const directory = await temporaryDirectory();
    const { loop } = await openTestLoop(directory, [settingsIn(directory, echo, { sessions: undefined })]);
    expect(loop.agent().keptBy).toBe("memory");
    expect((await loop.agent().conversation("a").say({ text: "x" })).text).toBe("you said: x");
    await loop.close();
  });
});

describe("after a turn", () => {
  test("a view with too many messages is compacted in the background, and the event says so", async () => {
    const directory = await temporaryDirectory();
    const settings = settingsIn(directory, { ...echo, canSummarise: false }, { maxHistoryMessages: 30 });
    const { loop, events } = await openTestLoop(directory, [settings]);
    const conversation = loop.agent().conversation("a");
    for (let n = 0; n < 20; n++) await conversation.say({ text: `message ${n}` });
    await conversation.settled();
    expect(events.some(({ type }) => type === "compaction")).toBe(true);
    expect((await conversation.session.state())?.summary).not.toBe("");
    await loop.close();
  });

  test("a system prompt that leaves no room for a second question of an eighth is no problem", async () => {
    const directory = await temporaryDirectory();
    const settings = settingsIn(directory, echo, {
      maxContextTokens: 4000,
      instructions: "Be brief, and say why. ".repeat(380),
    });
    const { loop, problems } = await openTestLoop(directory, [settings]);
    const conversation = loop.agent().conversation("a");
    expect((await conversation.say({ text: "x" })).text).toBe("you said: x");
    const { system } = await contextUsage(conversation.session, await loop.agent().contextOptions("a"));
    expect(system).toBeGreaterThan(2500);
    await conversation.settled();
    expect(problems).toEqual([]);
    await loop.close();
  });

  test("what was said is consolidated into the memory of its scope, and told in the next prompt", async () => {
    const directory = await temporaryDirectory();
    const systems: string[] = [];
    const model = scriptedModel((request) => {
      const system = request.messages.find(({ role }) => role === "system")?.content;
      if (request.tools.length === 0 && typeof system === "string" && system.includes("JSON")) {
        return says(JSON.stringify({ history_entry: "They met.", facts: ["Her name is Ada."] }));
      }
      systems.push(typeof system === "string" ? system : "");
      return says("hello");
    });
    const settings = settingsIn(directory, model, { memory: join(directory, "main", "memory") });
    const { loop, problems } = await openTestLoop(directory, [settings]);
    const conversation = loop.agent().conversation("a", { scope: { user: "ada" } });
    await conversation.say({ text: "My name is Ada." });
    await loop.agent().catchUpMemory();
    const entries = await loop.agent().memory?.entries({ scope: { user: "ada" } });
    expect({ texts: entries?.map(({ text }) => text), problems }).toMatchObject({
      texts: expect.arrayContaining(["They met."]) as unknown,
    });
    await conversation.say({ text: "Who am I?" });
    expect(systems.at(-1)).toContain("They met.");
    const other = loop.agent().conversation("b", { scope: { user: "bob" } });
    await other.say({ text: "Who is she?" });
    expect(systems.at(-1)).not.toContain("They met.");
    await loop.close();
  });
});
