import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { openStore } from "@longhand/store";
import { commandToPaste, completeCommands } from "../../src/terminal/command-to-paste.ts";
import { shellQuote } from "../../src/terminal/shell-quote.ts";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";

/** The words that a shell makes of a line. */
async function wordsOf(line: string): Promise<string[]> {
  const script = `printf '%s\\0' ${line}`;
  const { stdout } = await promisify(execFile)("bash", ["--norc", "--noprofile", "-c", script], {
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
  });
  return stdout.split("\0").slice(0, -1);
}

describe("a command to paste", () => {
  test("repeats the places that were given, before a key that may begin with a dash", () => {
    expect(commandToPaste({})("list")).toBe("longhand list");
    expect(commandToPaste({ sessions: "./my s", home: "/h" })("undo --to 6", "-k")).toBe(
      "longhand undo --to 6 --home /h --sessions './my s' -- -k",
    );
    expect(commandToPaste({ memory: "m" })("memory list")).toBe("longhand memory list --memory m");
  });

  test.each([
    "plain",
    "it's $HOME",
    "new\nline",
    "\u001b[31m'\\\r\t",
    "a\u202eb\u200bc",
    "\u{e0001}",
    "日本 語",
  ])("%j comes out of a shell as it went in", async (word) => {
    expect(await wordsOf(shellQuote(word))).toEqual([word]);
  });
});

describe("started by npm", () => {
  test.each([
    [{ npm_lifecycle_event: "start", npm_command: "start" }, "npx longhand"],
    [{ npm_lifecycle_event: "npx", npm_command: "exec" }, "npx longhand"],
    [{ npm_command: "exec" }, "npx longhand"],
    [{}, "longhand"],
  ])("%j: commands to paste begin with %s", async (environment, program) => {
    await withTemporaryDirectory(async (home) => {
      const list = await runIn(home, ["list"], { environment });
      expect(list.stdout).toContain(`  ${program} append my-first`);
      expect(list.stdout).toContain(`: ${program} list --sessions DIR`);
      expect((await runIn(home, ["show", "last"], { environment })).stderr).toContain(`: ${program} append`);
      await runIn(home, ["append", "k", "x"]);
      const undone = await runIn(home, ["undo", "k", "--sessions", join(home, "sessions")], { environment });
      expect(undone.stdout).toContain(` ${program} undo --to 1 --sessions `);
      const migrated = await runIn(home, ["migrate", "sessions", "--undo"], { environment });
      expect(migrated.exitCode).toBe(0);
    });
  });
});

test("what commands print acts on the store they were given", async () => {
  await withTemporaryDirectory(async (home) => {
    const sessions = join(home, "my store");
    const key = "new\nline";
    const store = await openStore(sessions);
    await store.session(key).append({ role: "user", content: "one" });
    await store.close();
    const longhand = async (line: string): Promise<string> => {
      const { exitCode, stdout } = await runIn(home, (await wordsOf(line)).slice(1));
      expect(exitCode).toBe(0);
      return stdout;
    };
    const place = `--sessions '${sessions}'`;
    const commandIn = (text: string, before: string): string =>
      new RegExp(`${before} *(longhand .*)`).exec(text)?.[1] ?? "";
    const undone = await longhand(`longhand undo new ${place}`);
    expect(await longhand(commandIn(undone, "To read it:"))).toContain("  one\n");
    expect(await longhand(commandIn(undone, "To bring it back:"))).toContain("1 message in the view");
    const cut = await longhand(`longhand truncate new --keep-last 0 ${place}`);
    const shown = await longhand(`longhand show new ${place}`);
    expect(await longhand(commandIn(shown, "cut or undone too:"))).toContain("  one\n");
    expect(await longhand(commandIn(cut, "To bring it back:"))).toContain("1 message in the view");

    await mkdir(join(home, "other"));
    await mkdir(join(home, "other one"));
    for (const words of [
      ["show", "zzz"],
      ["show", "last", "--sessions", join(home, "other")],
    ]) {
      const given = words.includes("--sessions") ? words : [...words, "--sessions", sessions];
      expect((await runIn(home, given)).stderr).toMatch(/longhand (list|append).* --sessions /);
    }
    const none = await longhand(`longhand list --sessions '${join(home, "other one")}'`);
    await longhand(commandIn(none, "Begin one:"));
    expect((await runIn(home, ["list", "--sessions", join(home, "other one")])).stdout).toContain("my-first");
    expect((await runIn(home, ["list"])).stdout).toContain("No sessions");
  });
});

describe("commands in what the store and the agents say", () => {
  const toPaste = commandToPaste({ home: "/h" }, "npx longhand");

  test.each([
    ["Run longhand repair, which puts them back", "Run npx longhand repair --home /h, which puts them back"],
    ["and longhand doctor shows it", "and npx longhand doctor --home /h shows it"],
    ["longhand verify.", "npx longhand verify --home /h."],
  ])("%s", (said, complete) => {
    expect(completeCommands(said, toPaste)).toBe(complete);
    expect(completeCommands(complete, toPaste)).toBe(complete);
  });

  test.each([
    "/a/longhand repair/k.jsonl is damaged",
    "longhand repair --sessions /m",
    "npx longhand repair",
    "longhand verify-store",
    "longhand migrate DIRECTORY",
  ])("are left as they are: %s", (said) => {
    expect(completeCommands(said, toPaste)).toBe(said);
  });
});

test("every command that is advised for damage carries the options that were given", async () => {
  await withTemporaryDirectory(async (directory) => {
    const home = join(directory, "my home");
    await mkdir(home);
    const sessions = join(home, "sessions");
    const store = await openStore(sessions);
    for (const key of ["line", "header", "gone"])
      for (const content of ["one", "two", "three"])
        await store.session(key).append({ role: "user", content });
    await store.close();
    const spoil = async (key: string, from: string): Promise<void> => {
      const path = join(sessions, `${key}.jsonl`);
      await writeFile(path, (await readFile(path, "utf8")).replace(from, from.toUpperCase()), {
        mode: 0o600,
      });
    };
    await spoil("line", '"two"');
    await spoil("header", '"longhand"');
    for (const words of [
      "list",
      "show line",
      "show header",
      "verify",
      "repair --dry-run",
      "repair",
      "doctor",
      "search x",
    ]) {
      for (const json of [[], ["--json"]]) {
        const { stdout, stderr } = await runIn(directory, [...words.split(" "), ...json, "--home", home]);
        const named = [...(stdout + stderr).matchAll(/longhand (repair|verify|doctor|list)\b.{0,40}/g)];
        for (const [command] of named) expect(command).toContain(` --home '`);
      }
    }
    const { stderr } = await runIn(directory, ["list", "--home", home]);
    expect(stderr).toContain(`: longhand repair --home '${home}'\n`);
  });
});
