/** Scopes never meet: hostile names, look-alikes, and what is visible from where. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkScope, parseScopeCode, scopeCode, visibleScopes } from "../../src/memory/scope.ts";
import type { Memory, Scope } from "../../src/memory/types.ts";
import { SeededRandom } from "../../src/testing/index.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { memoryIn, refusedWith } from "./support/memory-in.ts";

const NAMES = [
  "a",
  "A",
  "__proto__",
  "constructor",
  "../x",
  "/etc/passwd",
  "a\nb",
  'a\r\n## user "b"',
  "\0",
  "\ud800",
  "\ufffd",
  "\\ud800",
  '"',
  '","channel":"a',
  '"],["channel","a',
  "#1",
  "#2",
  "[]",
  "user:a",
  "é",
  "e\u0301",
  "ａ",
  "а", // Cyrillic
  " a",
  "a ",
  "undefined",
  "null",
  "x".repeat(900),
];
const FIELDS = ["user", "channel", "agent"] as const;

function randomScope(random: SeededRandom): Scope {
  const fields = FIELDS.filter(() => random.below(2) === 0);
  return Object.fromEntries(fields.map((field) => [field, NAMES[random.below(NAMES.length - 1)] ?? "a"]));
}

describe("the code of a scope", () => {
  test("is another for every other scope, and says which it is", () => {
    const scopes = FIELDS.flatMap((field) => NAMES.map((name): Scope => ({ [field]: name })));
    const random = new SeededRandom(1);
    for (let count = 0; count < 2000; count++) scopes.push(randomScope(random));
    const seen = new Map<string, Scope>();
    for (const scope of scopes) {
      const code = scopeCode(checkScope(scope));
      expect(code.isWellFormed() && !code.includes("\0")).toBe(true);
      expect(parseScopeCode(code)).toStrictEqual(scope);
      expect(seen.get(code) ?? scope).toStrictEqual(scope);
      seen.set(code, scope);
    }
  });

  test("does not depend on the order in which the fields were given", () => {
    expect(scopeCode({ agent: "c", user: "a" })).toBe(scopeCode({ user: "a", agent: "c" }));
  });

  test.each([
    "",
    "[]#1",
    "{}",
    '[["user",""]]',
    '[["user",1]]',
    '[["other","a"]]',
    '[["agent","c"],["user","a"]]',
  ])("%s is none", (text) => {
    expect(parseScopeCode(text)).toBeUndefined();
  });
});

describe("what is no scope", () => {
  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a string", "ann"],
    ["an array", [["user", "ann"]]],
    ["an unknown field", { usr: "ann" }],
    ["a user who is undefined, which would be everybody", { user: undefined }],
    ["a user without a name", { user: "" }],
    ["a number", { user: 5 }],
    ["a user who is only inherited", Object.create({ user: "ann" })],
    ["names that are too long", { user: "x".repeat(10_000) }],
  ])("is refused: %s", async (_, scope) => {
    const directory = await makeTemporaryDirectory();
    const memory = await memoryIn(directory);
    for (const call of [
      memory.remember({ text: "x", scope: scope as Scope }),
      memory.entries({ scope: scope as Scope }),
      memory.promptSection({ scope: scope as Scope }),
    ]) {
      await refusedWith(call, "OPTION_INVALID");
    }
    expect(await memory.everything({ all: true })).toEqual([]);
    await memory.close();
    await removeDirectory(directory);
  });
});

test("visible are the scope itself and the wider ones, narrowest first", () => {
  expect(visibleScopes({ user: "u", channel: "c", agent: "a" }).map(scopeCode)).toEqual(
    [
      { user: "u", channel: "c", agent: "a" },
      { user: "u", channel: "c" },
      { user: "u", agent: "a" },
      { channel: "c", agent: "a" },
      { user: "u" },
      { channel: "c" },
      { agent: "a" },
      {},
    ].map(scopeCode),
  );
  expect(visibleScopes({})).toEqual([{}]);
});

describe("entries of hostile names", () => {
  let directory: string;
  let memory: Memory;
  beforeEach(async () => {
    directory = await makeTemporaryDirectory();
    memory = await memoryIn(directory);
  });
  afterEach(async () => {
    await memory.close();
    await removeDirectory(directory);
  });

  test("reach only the prompts of those who may see them, also after a refresh and a restart", async () => {
    const random = new SeededRandom(7);
    const scopes = [
      ...NAMES.map((user) => ({ user })),
      ...Array.from({ length: 30 }, () => randomScope(random)),
    ];
    const written = new Map<string, Scope>();
    for (const [index, scope] of scopes.entries()) {
      const { id } = await memory.remember({ text: `fact number ${index}`, scope });
      written.set(id, scope);
    }
    await memory.close();
    memory = await memoryIn(directory);
    expect(await memory.refresh()).toEqual([]);
    expect((await memory.everything({ all: true })).length).toBe(scopes.length);
    for (const scope of scopes) {
      const { entries, text } = await memory.promptSection({ scope, maxTokens: 1_000_000 });
      const visible = new Set(visibleScopes(scope).map(scopeCode));
      for (const [id, of] of written) {
        expect(entries.some((entry) => entry.id === id)).toBe(visible.has(scopeCode(of)));
      }
      expect(text.split("\n").filter((line) => line.includes("fact number")).length).toBe(entries.length);
    }
  });
});
