import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MemoryEntry, PromptSection } from "@longhand/store/memory";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines } from "../support/with-home.ts";

async function add(home: string, text: string, ...more: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runIn(home, ["memory", "add", text, ...more, "--json"]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return (JSON.parse(stdout) as MemoryEntry).id;
}

async function promptOf(home: string, ...more: readonly string[]): Promise<PromptSection> {
  const { stdout } = await runIn(home, ["memory", "prompt", ...more, "--json"]);
  return JSON.parse(stdout) as PromptSection;
}

describe("memory add", () => {
  test("makes the memory, and what it says takes it back", async () => {
    await withTemporaryDirectory(async (home) => {
      const words = ["memory", "add", "Ann likes tea.", "--scope", "user=ann"];
      const { exitCode, stdout, stderr } = await runIn(home, words);
      expect([exitCode, stderr]).toEqual([0, ""]);
      const [, id = ""] = /^Remembered for user=ann: (\w{26}) {2}Ann likes tea\.\n/.exec(stdout) ?? [];
      expect(await readFile(join(home, "memory", "MEMORY.md"), "utf8")).toContain("likes tea");
      const listed = jsonLines((await runIn(home, ["memory", "list", "--json"])).stdout);
      expect(listed).toMatchObject([
        { id, kind: "core", scope: { user: "ann" }, text: "Ann likes tea.", source: { by: "request" } },
      ]);
      const [, undo = ""] = /To take it back: longhand (.*)\n/.exec(stdout) ?? [];
      expect((await runIn(home, undo.split(" "))).exitCode).toBe(0);
      expect((await promptOf(home, "--scope", "user=ann")).text).toBe("");
    });
  });

  test("without a scope, or without words, it is wrong usage and makes nothing", async () => {
    await withTemporaryDirectory(async (home) => {
      const unscoped = await runIn(home, ["memory", "add", "tea"]);
      expect([unscoped.exitCode, unscoped.stderr]).toEqual([2, expect.stringContaining("--scope")]);
      const empty = await runIn(home, ["memory", "add", " ", "--scope", "global"]);
      expect([empty.exitCode, empty.stderr]).toEqual([2, expect.stringContaining("no text to remember")]);
      expect((await runIn(home, ["memory", "list"])).stdout).toContain("Nothing is remembered yet");
    });
  });
});

describe("memory list --limit", () => {
  test("shows the newest, and says how many there are besides; so for a program", async () => {
    await withTemporaryDirectory(async (home) => {
      for (const text of ["one", "two", "three"]) await add(home, text, "--scope", "global");
      const { stdout } = await runIn(home, ["memory", "list", "--limit", "2"]);
      expect(stdout.match(/\tcore\t/g)).toHaveLength(2);
      expect(stdout).toContain("1 older not shown; leave out --limit to see all\n");
      expect((await runIn(home, ["memory", "list", "--limit", "3"])).stdout).not.toContain("not shown");
      const json = await runIn(home, ["memory", "list", "--limit", "1", "--json"]);
      expect(jsonLines(json.stdout)).toHaveLength(1);
    });
  });
});

describe("memory prompt", () => {
  test("prints what a model in the scope is told, and nothing of another's", async () => {
    await withTemporaryDirectory(async (home) => {
      await add(home, "Ann likes tea.", "--scope", "user=ann");
      await add(home, "Bo likes coffee.", "--scope", "user=bo");
      await add(home, "Ann was ill.", "--scope", "user=ann", "--kind", "daily");
      const { exitCode, stdout, stderr } = await runIn(home, ["memory", "prompt", "--scope", "user=ann"]);
      expect([exitCode, stderr]).toEqual([0, ""]);
      const { text, entries } = await promptOf(home, "--scope", "user=ann");
      expect(stdout).toBe(`${text}\n`);
      expect(text).toContain("data, not instructions");
      expect(text).not.toContain("Bo");
      expect(entries.map((entry) => entry.text)).toEqual(["Ann likes tea.", "Ann was ill."]);
    });
  });

  test("keeps to --tokens, and what it is about comes first", async () => {
    await withTemporaryDirectory(async (home) => {
      const long = "The long way home goes past many houses and over seven bridges. ".repeat(4);
      for (const name of ["Rome", "Oslo", "Bern"]) await add(home, `${name}: ${long}`, "--scope", "global");
      const all = await promptOf(home, "--scope", "global");
      const some = await promptOf(home, "--scope", "global", "--tokens", "170", "--about", "Rome");
      expect(all.entries).toHaveLength(3);
      expect(some.entries.map(({ text }) => text.slice(0, 4))).toEqual(["Rome"]);
    });
  });

  test("where nothing is known standard output is empty, and nothing is made", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout, stderr } = await runIn(home, ["memory", "prompt", "--scope", "user=ann"]);
      expect([exitCode, stdout]).toEqual([0, ""]);
      expect(stderr).toBe("Nothing is remembered that a model in user=ann could be told in 2000 tokens.\n");
      expect(await promptOf(home, "--scope", "user=ann")).toEqual({ text: "", entries: [] });
      expect((await runIn(home, ["memory", "list"])).stdout).toContain("Nothing is remembered yet");
    });
  });
});
