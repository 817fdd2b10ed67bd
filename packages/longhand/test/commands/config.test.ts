import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";

const SECRET = "sk-very-secret-0123456789";

describe("config show", () => {
  test("tells every value and where it is from, of a key only that there is one, and writes nothing", async () => {
    await withTemporaryDirectory(async (home) => {
      const environment = { LONGHAND_MODEL: "offline", OPENAI_API_KEY: SECRET };
      const { exitCode, stdout, stderr } = await runIn(home, ["config", "show"], { environment });
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("agent.model\toffline\tLONGHAND_MODEL\n");
      expect(stdout).toContain("agent.max_context_tokens\t32000\tdefault\n");
      expect(stdout).toContain("models.openai key\tis set\tOPENAI_API_KEY\n");
      expect(stdout).toContain("models.anthropic key\tis not set\tANTHROPIC_API_KEY\n");
      expect(stdout).toContain("LONGHAND_MODEL is set  (for agent.model)\n");
      expect(stdout).toContain(`${join(home, "longhand.json")}  (the home's; not there)\n`);
      const json = await runIn(home, ["config", "show", "--json"], { environment });
      expect(JSON.parse(json.stdout)).toMatchObject({
        keys: [
          { provider: "openai", isSet: true },
          { provider: "anthropic", isSet: false },
        ],
        variables: expect.arrayContaining([
          { name: "OLLAMA_HOST", field: "models.ollama.url", isSet: false },
        ]) as unknown,
      });
      expect(stdout + json.stdout).not.toContain(SECRET);
      expect(await readdir(home)).toEqual([]);
    });
  });

  test("values that a terminal would act on are shown escaped, and lines fit", async () => {
    await withTemporaryDirectory(async (home) => {
      const instructions = `\u001b[2J${"be kind ".repeat(40)}`;
      await writeFile(join(home, "longhand.json"), JSON.stringify({ agent: { instructions } }));
      const { stdout } = await runIn(home, ["config", "show"], { width: 80 });
      expect(stdout).not.toContain("\u001b");
      expect(stdout).toContain("\\x1b[2J");
    });
  });

  test("of a configuration that is wrong is an error with all problems", async () => {
    await withTemporaryDirectory(async (home) => {
      await writeFile(join(home, "longhand.json"), JSON.stringify({ agnet: {}, tools: { alow: [] } }));
      const { exitCode, stdout, stderr } = await runIn(home, ["config", "show"]);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(
        /^longhand: the configuration cannot be used:\n.*did you mean agent\?\n.*did you mean tools\.allow\?\n$/,
      );
      const json = await runIn(home, ["config", "show", "--json"]);
      expect(JSON.parse(json.stderr)).toMatchObject({
        error: {
          code: "CONFIG_INVALID",
          detail: { problems: [{ field: "agnet" }, { field: "tools.alow" }] },
        },
      });
    });
  });
});

describe("config check", () => {
  test("says that all is well, and what it has looked at", async () => {
    await withTemporaryDirectory(async (home) => {
      await mkdir(join(home, "workspace"));
      await writeFile(join(home, "workspace", "longhand.json"), '{"agent": {"max_steps": 5}}');
      const { exitCode, stdout } = await runIn(home, ["config", "check"]);
      expect([exitCode, stdout]).toEqual([
        0,
        `${home}/workspace/longhand.json: is right\n${home}/longhand.json: is not there; the defaults hold\nNo problems found.\n`,
      ]);
    });
  });

  test("tells every problem with file, line and column, and exits with 1", async () => {
    await withTemporaryDirectory(async (home) => {
      await writeFile(join(home, "longhand.json"), '{\n  "agent": {"modle": 1, "max_steps": "x"}\n}');
      const { exitCode, stdout } = await runIn(home, ["config", "check"]);
      expect([exitCode, stdout]).toEqual([
        1,
        [
          `${home}/longhand.json:2:13: agent.modle: there is no such field; did you mean agent.model?`,
          `${home}/longhand.json:2:25: agent.max_steps: must be a whole number`,
          "2 problems found.\n",
        ].join("\n"),
      ]);
      const json = await runIn(home, ["config", "check", "--json"]);
      expect(json.exitCode).toBe(1);
      expect(JSON.parse(json.stdout)).toMatchObject({
        problems: [
          { line: 2, column: 13 },
          { line: 2, column: 25 },
        ],
      });
    });
  });
});

test.each(["show", "check"])("config %s --help begins with examples", async (name) => {
  await withTemporaryDirectory(async (home) => {
    const { exitCode, stdout } = await runIn(home, ["config", name, "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Examples:\n {2}longhand config ${name}`));
  });
});
