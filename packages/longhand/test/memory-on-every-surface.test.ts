/**
 * One policy for every surface (chat, -m, pipe, serve): turns that were not consolidated when a program ended are caught up by the next
 * start, whatever it is, once, and none is left out.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentInstance, type AgentLoop, type Model, openLoop, serveLines } from "@longhand/agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ChatLink } from "../src/chat/chat-link.ts";
import { runChat } from "../src/chat/run-chat.ts";
import { runOnce } from "../src/chat/run-once.ts";
import { runPiped } from "../src/chat/run-piped.ts";
import type { Input } from "../src/terminal/output.ts";
import { VirtualTerminal } from "./chat/support/virtual-terminal.ts";
import { fakeOutput } from "./support/fake-world.ts";

const LONG = { timeout: 60_000 };

let directory: string;
/** The questions about what to remember. */
let asked: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "longhand-surfaces-"));
  asked = [];
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

function model(canSummarise: boolean): Model {
  return {
    name: "recording",
    canSummarise,
    stream: async function* ({ messages }) {
      const [system, last] = [messages[0]?.content, messages.at(-1)?.content];
      const isMemory = typeof system === "string" && system.startsWith("You keep the memory");
      if (isMemory) asked.push(typeof last === "string" ? last : "");
      yield { type: "text", text: isMemory ? '{"history_entry":"They talked."}' : "yes" };
      const usage = { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined };
      yield await Promise.resolve({ type: "finish", reason: "stop", usage } as const);
    },
  };
}

interface Started {
  readonly loop: AgentLoop;
  readonly agent: AgentInstance;
  readonly link: ChatLink;
}

async function open(canSummarise = true): Promise<Started> {
  const link = new ChatLink();
  const loop = await openLoop({
    agents: [
      {
        name: "main",
        workspace: directory,
        sessions: join(directory, "sessions"),
        memory: join(directory, "memory"),
        model: model(canSummarise),
        instructions: "You are main.",
        tools: () => [],
        skills: { found: [], invalid: [], promptSection: () => "", load: () => Promise.resolve(undefined) },
        // The grace is long, so that a slow machine fails nothing; nothing but the first answer begins the catch-up.
        consolidation: { startDelayMs: 3_600_000, graceMs: 60_000 },
      },
    ],
    events: link.events,
    onProblem: link.onProblem,
  });
  return { loop, agent: loop.agent(), link };
}

type Surface = (started: Started, key: string, texts: readonly string[]) => Promise<void>;

const nobody: Input = {
  isTerminal: false,
  read: () => Promise.resolve(Buffer.from("")),
  readLine: () => Promise.reject(new Error("nobody was to be asked")),
};

async function* linesOf(texts: readonly string[]): AsyncIterable<string> {
  for (const text of texts) yield await Promise.resolve(text);
}

const common = {
  toPaste: (words: string): string => words,
  currentDirectory: "/",
  chooseModel: (): Promise<never> => Promise.reject(new Error("no other model")),
};

const SURFACES: Readonly<Record<string, Surface>> = {
  chat: async ({ agent, link }, key, texts) => {
    const terminal = new VirtualTerminal();
    const ended = runChat({
      ...common,
      agent,
      key,
      terminal,
      link,
      historyFile: undefined,
      waitingDirectory: undefined,
    });
    for (const [index, text] of texts.entries()) {
      terminal.type(`${text}\r`);
      const answers = async (): Promise<number> =>
        (await agent.store.session(key).messages()).filter(({ role }) => role === "assistant").length;
      await expect.poll(answers, LONG).toBe(index + 1);
    }
    terminal.type("/quit\r");
    await ended;
  },
  "-m": async ({ agent, link }, key, [text = ""]) => {
    const output = fakeOutput({});
    await runOnce({ agent, key, text, json: false, output, input: nobody, link });
  },
  pipe: async ({ agent, link }, key, texts) => {
    const output = fakeOutput({});
    const lines = linesOf(texts);
    await runPiped({ ...common, agent, key, lines, output, json: false, link, isPerson: false });
  },
  serve: async ({ agent }, key, texts) => {
    const said = texts.map((text) => JSON.stringify({ channel: "test", chat: key, sender: key, text }));
    await serveLines({
      agents: [agent],
      listen: () => () => undefined,
      lines: linesOf(said),
      write: () => undefined,
      signal: new AbortController().signal,
    });
  },
};

async function start(
  surface: string,
  key: string,
  texts: readonly string[],
  canSummarise = true,
): Promise<void> {
  const started = await open(canSummarise);
  await SURFACES[surface]?.(started, key, texts);
  await started.loop.close();
}

async function waiting(): Promise<readonly string[]> {
  const { loop, agent } = await open();
  const due = (await agent.memory?.due()) ?? [];
  await loop.close();
  return due.map(({ key }) => key);
}

const names = Object.keys(SURFACES);

describe.each(names)("turns said over %s", (first) => {
  const texts = first === "-m" ? ["the words"] : ["the words", "and more"];

  test("cost no request for the memory while the program runs or when it ends, and wait", async () => {
    await start(first, "k", texts);
    expect(asked).toEqual([]);
    expect(await waiting()).toHaveLength(1);
  });

  test.each(names)("are caught up by the next start of %s, in one request, once", async (next) => {
    await start(first, "k", texts);
    await start(next, "other", ["hello"]);
    expect(asked).toHaveLength(1);
    for (const text of texts) expect(asked[0]).toContain(`USER: ${text}`);
    // Once: the start after that asks about the second conversation only.
    await start(next, "third", ["hello"]);
    expect(asked).toHaveLength(2);
    for (const text of texts) expect(asked[1]).not.toContain(text);
  });

  test("control: without the mark that is made before a turn nothing is caught up", async () => {
    await start(first, "k", texts, false);
    await start("pipe", "other", ["hello"]);
    expect(asked).toEqual([]);
  });
});

test("turns of the conversation that goes on are caught up too, and none twice", async () => {
  await start("pipe", "k", ["one"]);
  await start("pipe", "k", ["two"]);
  await start("pipe", "k", ["three"]);
  await start("pipe", "other", ["four"]);
  const all = asked.join("\n");
  for (const text of ["one", "two", "three"]) expect(all.split(`USER: ${text}\n`)).toHaveLength(2);
});
