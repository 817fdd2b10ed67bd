/** A fact that was told in a private chat stays out of every group, in the prompt and in recall; and the other way round. */

import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { scopeOfPlace, sessionKeyOf, type ChatPlace } from "../../src/channels/session-key.ts";
import { parseLine } from "../../src/channels/parse-line.ts";
import { serveLines } from "../../src/channels/serve-lines.ts";
import type { ModelRequest } from "../../src/models/model.ts";
import { recallTool } from "../../src/tools/recall.ts";
import {
  openTestLoop,
  removeDirectories,
  settingsIn,
  temporaryDirectory,
} from "../support/open-test-loop.ts";
import { calls, lastText, says, scriptedModel } from "../support/scripted-model.ts";

afterEach(removeDirectories);

const PRIVATE: ChatPlace = { channel: "telegram", chat: "ann", sender: "ann" };
const DIRECT: ChatPlace = { channel: "telegram", chat: "D42", sender: "ann", kind: "private" };
const GROUP: ChatPlace = { channel: "telegram", chat: "-100", sender: "ann", kind: "group" };
const UNSAID: ChatPlace = { channel: "telegram", chat: "-200", sender: "ann" };
/** Its chat is called as the sender, and yet it is a group. */
const NAMED: ChatPlace = { channel: "telegram", chat: "ann", sender: "ann", thread: "t", kind: "group" };

function systemOf({ messages }: ModelRequest): string {
  const system = messages.find(({ role }) => role === "system")?.content;
  return typeof system === "string" ? system : "";
}

/** Says in each place what it is told, then asks in every place, and gives the prompts and what recall found there. */
async function told(
  said: ReadonlyMap<ChatPlace, string>,
  asked: readonly ChatPlace[],
  scopeOf?: (place: ChatPlace) => ChatPlace,
): Promise<{ prompts: string[]; recalled: string[] }> {
  const directory = await temporaryDirectory();
  const prompts: string[] = [];
  const recalled: string[] = [];
  const model = scriptedModel((request) => {
    const system = systemOf(request);
    if (system.startsWith("You keep the memory")) {
      const quote = /my word is \w+/u.exec(lastText(request))?.[0] ?? "";
      return says(JSON.stringify({ history_entry: "They talked.", facts: [{ text: quote, quote }] }));
    }
    const last = request.messages.at(-1);
    if (last?.role === "tool") recalled.push(lastText(request));
    else if (lastText(request) === "ask") {
      prompts.push(system);
      return calls("recall", { query: "word" });
    }
    return says("ok");
  });
  const settings = settingsIn(directory, model, {
    memory: join(directory, "main", "memory"),
    tools: ({ memory, scopeOf: scope }) => (memory === undefined ? [] : [recallTool({ memory, scope })]),
  });
  const { loop } = await openTestLoop(directory, [settings]);
  const agent = loop.agent();
  const serve = async (place: ChatPlace, text: string): Promise<void> => {
    await serveLines({
      agents: [agent],
      listen: () => () => undefined,
      lines: (async function* () {
        yield await Promise.resolve(JSON.stringify({ ...(scopeOf?.(place) ?? place), text }));
      })(),
      write: () => undefined,
      signal: new AbortController().signal,
    });
  };
  for (const [place, text] of said) await serve(place, text);
  expect((await agent.catchUpMemory()).waiting).toBe(0);
  for (const place of asked) await serve(place, "ask");
  await loop.close();
  return { prompts, recalled };
}

test("a private fact is in the prompt of private chats of its sender, and in no group's", async () => {
  const { prompts, recalled } = await told(new Map([[PRIVATE, "my word is walrus"]]), [
    ...[PRIVATE, DIRECT, GROUP, UNSAID],
  ]);
  expect(prompts.map((prompt) => prompt.includes("walrus"))).toEqual([true, true, false, false]);
  expect(recalled.map((found) => found.includes("walrus"))).toEqual([true, true, false, false]);
});

test("a fact of a group is in that group's prompt, and in no other", async () => {
  const { prompts, recalled } = await told(new Map([[GROUP, "my word is walrus"]]), [
    ...[GROUP, PRIVATE, UNSAID, { ...GROUP, sender: "bob" }, { ...GROUP, chat: "-101" }],
  ]);
  expect(prompts.map((prompt) => prompt.includes("walrus"))).toEqual([true, false, false, false, false]);
  expect(recalled.map((found) => found.includes("walrus"))).toEqual([true, false, false, false, false]);
});

test("control: if the chat's kind were not known, the private fact would stand in the group's prompt", async () => {
  const blind = (place: ChatPlace): ChatPlace => ({ ...place, kind: "private" });
  const { prompts, recalled } = await told(new Map([[PRIVATE, "my word is walrus"]]), [GROUP], blind);
  expect(prompts[0]).toContain("walrus");
  expect(recalled[0]).toContain("walrus");
});

test("the scope of private chats is what it was, so that earlier memories stay with their owners", () => {
  const scope = { agent: "main", channel: "telegram", user: "ann" };
  expect(scopeOfPlace("main", PRIVATE)).toEqual(scope);
  expect(scopeOfPlace("main", DIRECT)).toEqual(scope);
  for (const place of [GROUP, UNSAID, NAMED]) expect(scopeOfPlace("main", place)).not.toEqual(scope);
});

test("no group has the scope of a private chat or of another group, whatever their names are", () => {
  const names = ["a", "b", '["a","b"]', '["a",null,"b"]', "local", '","', "x".repeat(400)];
  const codes = new Map<string, string>();
  for (const channel of names)
    for (const account of [undefined, ...names])
      for (const chat of names)
        for (const kind of ["private", "group"] as const) {
          const place = { channel, ...(account === undefined ? {} : { account }), chat, sender: "s", kind };
          const code = JSON.stringify(scopeOfPlace("main", place));
          const whose = JSON.stringify([channel, account, kind === "group" ? chat : null]);
          expect(codes.get(code) ?? whose).toBe(whose);
          codes.set(code, whose);
        }
});

test("the kind is no part of the key; a line with another kind than these is refused", () => {
  expect(sessionKeyOf(GROUP)).toBe(sessionKeyOf({ ...GROUP, kind: "private" }));
  const line = (kind: unknown): string => JSON.stringify({ ...PRIVATE, kind, text: "x" });
  expect(parseLine(line("group"))).toMatchObject({ place: { kind: "group" }, said: { name: "ann" } });
  expect(parseLine(JSON.stringify({ ...DIRECT, text: "x" })).said).toEqual({ text: "x" });
  expect(() => parseLine(line("secret"))).toThrow("kind must be one of private, group");
});
