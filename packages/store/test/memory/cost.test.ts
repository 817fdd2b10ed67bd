/** What a batch costs: the table in docs/memory.md is what is measured here. */

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/context.ts";
import { memoryBackend, openStore, type Store } from "../../src/index.ts";
import { openMemory, type Memory, type Question } from "../../src/memory.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const WORDS = "the quick brown fox jumps over the lazy dog and then sleeps for a while ";

let directory: string;
let store: Store;
let memory: Memory;

beforeAll(async () => {
  directory = await makeTemporaryDirectory();
  store = await openStore(memoryBackend());
  memory = await openMemory({ directory, sessions: store });
});

afterAll(async () => {
  await memory.close();
  await removeDirectory(directory);
});

function text(characters: number): string {
  return WORDS.repeat(Math.ceil(characters / WORDS.length)).slice(0, characters);
}

interface Case {
  readonly row: string;
  readonly turns: number;
  readonly asked: number;
  readonly answered: number;
  readonly facts: number;
}

const CASES: readonly Case[] = [
  { row: "1 short turn (60 characters asked, 300 answered)", turns: 1, asked: 60, answered: 300, facts: 0 },
  { row: "6 short turns", turns: 6, asked: 60, answered: 300, facts: 0 },
  { row: "6 long turns (200 asked, 1,500 answered)", turns: 6, asked: 200, answered: 1500, facts: 0 },
  { row: "6 long turns, 50 known facts", turns: 6, asked: 200, answered: 1500, facts: 50 },
  { row: "as much as fits, 50 known facts", turns: 30, asked: 2000, answered: 2000, facts: 50 },
];

describe("a batch", () => {
  test.each(CASES)("$row", async ({ row, turns, asked, answered, facts }) => {
    const scope = { user: row };
    for (let number = 0; number < facts; number += 1)
      await memory.remember({ text: `Fact number ${number}: ${text(60)}`, scope });
    const session = store.session(row);
    for (let number = 0; number < turns; number += 1)
      await session.append([
        { role: "user", content: text(asked) },
        { role: "assistant", content: text(answered) },
      ]);
    const fact = { text: text(60), quote: text(40), confidence: 0.9, replaces: [] };
    const answer = JSON.stringify({ history_entry: text(180), facts: [fact] });
    const questions: Question[] = [];
    await memory.consolidate(session, {
      scope,
      model: (question) => {
        questions.push(question);
        return Promise.resolve(answer);
      },
    });
    expect(questions).toHaveLength(1);
    const { system = "", user = "", maxTokens } = questions[0] ?? {};
    const tokens = estimateTokens(system) + estimateTokens(user);
    const page = await readFile(new URL("../../../../docs/memory.md", import.meta.url), "utf8");
    expect(page).toContain(`| ${row} | ${tokens.toLocaleString("en-US")} | ${estimateTokens(answer)} |`);
    expect(maxTokens).toBe(1000);
  });
});
