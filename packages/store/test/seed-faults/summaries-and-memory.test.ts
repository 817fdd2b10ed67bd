/** Seed faults 12, 32 and 35: summaries that forget, compaction that does not last, facts that reach the wrong people. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compactSession, type AskModel, type Question } from "../../src/context.ts";
import { memoryBackend, openStore, type Message, type Session } from "../../src/index.ts";
import { openMemory, type Memory, type Scope } from "../../src/memory.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

function assistant(content: string): Message {
  return { role: "assistant", content };
}

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn += 1)
    await session.append([user(`question ${turn}`), assistant(`answer ${turn}`)]);
}

describe("seed fault 12: the summary before is lost", () => {
  test("however many messages there are, the old summary is given to the model, and tool results too", async () => {
    const session = (await openStore(memoryBackend())).session("s");
    await session.setSummary("the user is allergic to nuts");
    await talk(session, 30);
    await session.append([
      user("look"),
      { ...assistant(""), toolCalls: [{ id: "c", name: "look", arguments: {} }] },
      { role: "tool", toolCallId: "c", content: "THE RESULT" },
      assistant("there"),
    ]);
    await talk(session, 30);
    const asked: Question[] = [];
    const ask: AskModel = (question) => {
      asked.push(question);
      return Promise.resolve(`after ${asked.length}`);
    };
    await compactSession(session, { ask, maxContextTokens: 800 });
    expect(asked.length).toBeGreaterThan(1);
    expect(asked[0]?.user).toContain("the user is allergic to nuts");
    expect(asked.some(({ user: text }) => text.includes("THE RESULT"))).toBe(true);
  });

  test("without a model it is still there", async () => {
    const session = (await openStore(memoryBackend())).session("s");
    await session.setSummary("the user is allergic to nuts");
    await talk(session, 30);
    await compactSession(session);
    expect((await session.state())?.summary).toContain("allergic to nuts");
  });
});

test("seed fault 32: after a restart the view is as it was compacted, and nothing was dropped from the log", async () => {
  const first = await openStore(directory);
  await talk(first.session("s"), 40);
  await compactSession(first.session("s"), { ask: () => Promise.resolve("so far") });
  const seen = await contentsOf(first.session("s"));
  await first.close();
  const second = await openStore(directory);
  expect(await contentsOf(second.session("s"))).toEqual(seen);
  expect((await second.session("s").state())?.summary).toBe("so far");
  expect(await compactSession(second.session("s"))).toMatchObject({ done: false, reason: "within-limits" });
  let messages = 0;
  for await (const record of second.session("s").records()) if (record.op === undefined) messages += 1;
  expect(messages).toBe(80);
  await second.close();
});

describe("seed fault 35: consolidation", () => {
  let memory: Memory;
  let session: Session;
  const model: AskModel = () =>
    Promise.resolve('{"history_entry":"x","facts":[{"text":"the secret is plum","quote":"plum"}]}');

  beforeEach(async () => {
    const sessions = await openStore(memoryBackend());
    memory = await openMemory({ directory, sessions });
    session = sessions.session("group");
  });

  afterEach(async () => {
    await memory.close();
  });

  test("a fact of one sender never reaches another's prompt", async () => {
    await session.append([user("my secret is plum"), assistant("noted")]);
    await memory.consolidate(session, { scope: { user: "ann" }, model });
    const told = async (scope: Scope): Promise<boolean> =>
      (await memory.promptSection({ scope })).text.includes("plum");
    expect(await told({ user: "ann" })).toBe(true);
    for (const scope of [{ user: "bob" }, { user: "ann/../bob" }, { user: '","ann' }, { channel: "ann" }, {}])
      expect(await told(scope)).toBe(false);
  });

  test("many short turns are one question, and text of many bytes a character is no trouble", async () => {
    let asked = 0;
    for (let turn = 1; turn <= 10; turn += 1)
      await session.append([user("これは長い文章です。🙂".repeat(50)), assistant("はい")]);
    await memory.consolidate(session, {
      scope: {},
      model: (question, signal) => {
        asked += 1;
        expect(question.user.isWellFormed()).toBe(true);
        return model(question, signal);
      },
    });
    expect(asked).toBe(1);
  });

  test("what nobody said is not taken for a fact", async () => {
    await session.append([user("hello"), assistant("hello")]);
    await memory.consolidate(session, { scope: {}, model });
    const [fact] = await memory.entries({ scope: {}, kind: "core" });
    expect(fact?.confidence).toBeLessThan(0.5);
  });
});
