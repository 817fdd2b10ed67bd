import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/program.ts";
import { runIn, withTemporaryDirectory } from "./support/fake-world.ts";

describe("help", () => {
  test.each(Object.keys(COMMANDS))("%s --help begins with examples", async (name) => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout, stderr } = await runIn(home, [name, "--help"]);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(new RegExp(`^Examples:\n {2}.*longhand ${name}`));
      expect(stdout.indexOf("Usage:")).toBeGreaterThan(stdout.indexOf("Examples:"));
      // What serve says is for programs always: that it is JSON is in its help, and there is nothing to choose.
      expect(stdout).toContain(name === "serve" ? "JSON" : "--json");
      expect(stdout).toContain("--sessions <dir>");
      expect((await runIn(home, ["help", name])).stdout).toBe(stdout);
    });
  });

  test.each(["list", "show", "add", "undo", "forget", "prompt"])(
    "memory %s --help begins with examples",
    async (name) => {
      await withTemporaryDirectory(async (home) => {
        const { exitCode, stdout, stderr } = await runIn(home, ["memory", name, "--help"]);
        expect([exitCode, stderr]).toEqual([0, ""]);
        expect(stdout).toMatch(new RegExp(`^Examples:\n {2}longhand memory ${name}`));
        for (const option of ["--json", "--memory <dir>"]) expect(stdout).toContain(option);
        expect((await runIn(home, ["help", "memory", name])).stdout).toBe(stdout);
        expect(await readdir(home)).toEqual([]);
      });
    },
  );

  test("memory alone is its help", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout } = await runIn(home, ["memory"]);
      expect([exitCode, stdout]).toEqual([0, (await runIn(home, ["memory", "--help"])).stdout]);
    });
  });

  test.each([[[]], [["--help"]], [["help"]], [["--home", "x"]]])(
    "longhand %j is the help",
    async (commandLine) => {
      await withTemporaryDirectory(async (home) => {
        const { exitCode, stdout, stderr } = await runIn(home, commandLine);
        expect([exitCode, stderr]).toEqual([0, ""]);
        expect(stdout).toMatch(/^Examples:/);
        for (const name of Object.keys(COMMANDS)) expect(stdout).toContain(`\n  ${name} `);
      });
    },
  );

  test.each(["--version", "-V", "-v"])("%s", async (option) => {
    await withTemporaryDirectory(async (home) => {
      expect((await runIn(home, [option])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    });
  });
});

test("the help says each thing once, and nothing that is not for people", async () => {
  await withTemporaryDirectory(async (home) => {
    expect((await runIn(home, ["tail", "--help"])).stdout).not.toMatch(/\(default\)/);
    const chat = (await runIn(home, ["chat", "--help"])).stdout;
    expect(chat).not.toMatch(/--or-(?:tour|help)/);
    expect(chat).toContain("continue the newest session");
    const all = (await runIn(home, ["--help"])).stdout;
    for (const heading of ["Talk:", "Read:", "Write:", "Keep in order:", "Maintain:"])
      expect(all).toContain(`\n${heading}\n`);
    expect(all).toMatch(/\n {2}list +list sessions\n/);
  });
});

describe("wrong usage is exit code 2", () => {
  test.each([
    ["lst", "Did you mean list?"],
    ["lst", "see: longhand --help"],
    ["rm k", "Did you mean delete?"],
    ["version", "Did you mean --version?"],
    ["--nonsense", "see: longhand --help"],
    ["help lst", "Did you mean list?"],
    ["lst --help", "unknown command 'lst'"],
    ["--home x lst --help", "unknown command 'lst'"],
    ["list --nonsense", "unknown option '--nonsense'"],
    ["list --limit many", "whole number"],
    ["list --limit 0", "whole number from 1 on"],
    ["search x --limit 0", "whole number from 1 on"],
    ["list --lmit 3", "Did you mean --limit?"],
    ["--jsno list", "Put --jsno after the command: longhand list --jsno"],
    ["append k x --wait soon", "number of seconds"],
    ["list --order size", "Allowed choices"],
    ["list extra", "too many arguments"],
    [
      "show",
      "missing required argument 'key'\n  usage: longhand show [options] <key>\n  see:   longhand show --help",
    ],
    ["truncate k", "--keep-last"],
    ["append k", "no text to append"],
    ["append k hi --role boss", "Allowed choices"],
    ["undo k 1 --to 3", "not both"],
    ["tail k -n many", "whole number"],
    ["fork k", "missing required argument 'newkey'"],
    ["rename k", "missing required argument 'title'"],
    ["purge --before soon", "a date such as"],
    ["reclaim --drop-before 0", "from 1 on"],
    ["reclaim --drop-before 12", "needs the key of a session"],
    ["doctor --yes", "--yes is for --break-lease"],
    ["export k --format pdf", "Allowed choices"],
    ["search", "missing required argument 'words'"],
    ["search x --in nowhere", "Allowed choices"],
    ["show k --last 1 --from 2", "not both"],
    ["show k --from 0", "whole number from 1 on"],
    ["context k --max-tokens 0", "whole number from 1 on"],
    ["context", "missing required argument 'key'"],
    ["compact k --undo --explain", "only one of --undo and --explain"],
    ["compact k --undo --keep 2", "not for --undo"],
    ["compact k --force", "unknown option '--force'"],
    ["tour --memory x", "takes no --memory"],
    ["memory lst", "unknown command 'lst'"],
    ["memory show", "missing required argument 'id'\n  usage: longhand memory show [options] <id>"],
    ["memory show x --all", "unknown option '--all'"],
    ["memory list --kind odd", "Allowed choices"],
    ["memory list --scope ann", "such as user=ann"],
    ["memory list --scope person=ann", "such as user=ann"],
    ["memory list --scope user=", "such as user=ann"],
    ["memory list --limit 0", "whole number from 1 on"],
    ["memory add tea", "required option '--scope <scope>' not specified"],
    ["memory prompt", "required option '--scope <scope>' not specified"],
    ["memory prompt --scope global --tokens few", "whole number from 1 on"],
    ["pin k", "missing required argument 'seq'"],
    ["pin k 0", "whole number from 1 on"],
    ["unpin k one", "whole number from 1 on"],
  ])("longhand %s", async (commandLine, expected) => {
    await withTemporaryDirectory(async (home) => {
      const words = commandLine.split(" ");
      const plain = await runIn(home, words);
      expect([plain.exitCode, plain.stdout]).toEqual([2, ""]);
      expect(plain.stderr).toContain(expected);
      expect(plain.stderr).toMatch(/^longhand: /);
      const json = await runIn(home, [...words, "--json"]);
      expect(json.exitCode).toBe(2);
      expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "USAGE_INVALID" } });
    });
  });
});

test.each([
  ["--sessions", ["list", "--sessions", ""]],
  ["--workspace", ["--workspace", "", "append", "k", "x"]],
  ["--home", ["append", "k", "x", "--home="]],
  ["--output", ["export", "k", "--output", ""]],
  ["--memory", ["memory", "list", "--memory", ""]],
  ["--model", ["context", "k", "--model", ""]],
  ["--scope", ["memory", "list", "--scope", ""]],
  ["--id", ["restore", "k", "--id", ""]],
  ["--break-lease", ["doctor", "--break-lease", ""]],
  ["word", ["search", " ", ""]],
] as const)("an empty %s is wrong usage, and nothing is written", async (name, words) => {
  await withTemporaryDirectory(async (home) => {
    const { exitCode, stderr } = await runIn(home, words);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(name)]);
    expect(await readdir(home)).toEqual([]);
  });
});

test("--json before the command is told where it belongs", async () => {
  await withTemporaryDirectory(async (home) => {
    const { exitCode, stderr } = await runIn(home, ["--json", "list"]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("after the command: longhand list --json"),
    ]);
  });
});
