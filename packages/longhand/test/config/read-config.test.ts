import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../../../test/support/run-command.ts";
import { CommandError } from "../../src/command-error.ts";
import { examineConfig, problemText, readConfig } from "../../src/config/read-config.ts";
import type { Places } from "../../src/config/places.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

interface Written {
  readonly home?: unknown;
  readonly workspace?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
}

function placesIn(home: string): Places {
  const place = (path: string): Places["home"] => ({ path, source: "default", why: "" });
  const workspace = join(home, "workspace");
  return {
    home: place(home),
    workspace: { ...place(workspace), real: workspace, state: home },
    sessions: place(join(home, "sessions")),
    memory: place(join(home, "memory")),
  };
}

/** Text is written as it is, anything else as JSON. */
async function put(path: string, content: unknown): Promise<void> {
  if (content === undefined) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

async function withConfig(
  written: Written,
  use: (places: Places, environment: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  await withTemporaryDirectory(async (home) => {
    await put(join(home, "longhand.json"), written.home);
    await put(join(home, "workspace", "longhand.json"), written.workspace);
    await use(placesIn(home), written.environment ?? {});
  });
}

async function problemsOf(written: Written): Promise<readonly string[]> {
  const found: string[] = [];
  await withConfig(written, async (places, environment) => {
    const { problems, config } = await examineConfig(places, environment);
    expect(config === undefined).toBe(problems.length > 0);
    found.push(...problems.map((problem) => problemText(problem).replace(`${places.home.path}/`, "")));
  });
  return found;
}

describe("values", () => {
  test("without any file the defaults hold, with the names of the seeds", async () => {
    await withConfig({}, async (places, environment) => {
      const config = await readConfig(places, environment);
      expect(config.agents).toEqual([
        {
          name: "longhand",
          workspace: places.workspace.path,
          state: places.home.path,
          sessions: places.sessions.path,
          memory: places.memory.path,
          model: "auto",
          instructions: expect.stringContaining("assistant") as string,
          max_context_tokens: 32_000,
          max_answer_tokens: 4096,
          max_history_messages: 50,
          max_steps: 25,
        },
      ]);
      expect(config.channels_config).toEqual({ session_persistence: true });
      expect(config.files.map(({ exists }) => exists)).toEqual([false, false]);
      expect(new Set(config.values.map(({ source }) => source))).toEqual(new Set(["default"]));
    });
  });

  test.each(["auto", "offline", "ollama", "ollama:gemma4:e4b", "openai:x", "anthropic:x"])(
    "the model %s is taken as it is written",
    async (model) => {
      await withConfig({ home: { agent: { model } } }, async (places, environment) => {
        expect((await readConfig(places, environment)).agents[0].model).toBe(model);
      });
    },
  );

  test("the workspace wins field by field, the environment over both, and each value knows where it is from", async () => {
    const written = {
      home: {
        agent: { model: "openai:one", max_steps: 7, max_context_tokens: 9000 },
        memory: { enabled: false },
      },
      workspace:
        '\ufeff{\n  "agent": {\n    "model": "ollama:two",\n    "max_context_tokens": 10000\n  }\n}\n',
      environment: { LONGHAND_MAX_CONTEXT_TOKENS: "12000", LONGHAND_MODEL: "" },
    };
    await withConfig(written, async (places, environment) => {
      const config = await readConfig(places, environment);
      expect(config.agents[0]).toMatchObject({
        model: "ollama:two",
        max_steps: 7,
        max_context_tokens: 12_000,
        max_answer_tokens: 3000,
      });
      expect(config.memory.enabled).toBe(false);
      const fromOf = (field: string): unknown => config.values.find((value) => value.field === field)?.from;
      expect(fromOf("agent.model")).toBe(`${places.workspace.path}/longhand.json:3`);
      expect(fromOf("agent.max_steps")).toBe(`${places.home.path}/longhand.json:4`);
      expect(fromOf("agent.max_context_tokens")).toBe("LONGHAND_MAX_CONTEXT_TOKENS");
      expect(fromOf("skills.enabled")).toBe("default");
    });
  });

  test("further agents have what they say, else what agent says, and a workspace of their own", async () => {
    const agents = [
      { name: "ops", model: "offline", max_context_tokens: 2000 },
      { name: "ann", workspace: "../ann", instructions: "Be brief." },
    ];
    await withConfig({ home: { agent: { max_steps: 3 }, agents } }, async (places, environment) => {
      const { agents: all, values } = await readConfig(places, environment);
      expect(all.slice(1)).toMatchObject([
        {
          name: "ops",
          model: "offline",
          max_answer_tokens: 500,
          max_steps: 3,
          workspace: join(places.home.path, "workspace-ops"),
          sessions: expect.stringMatching(/\/workspaces\/workspace-ops~[0-9a-f]{16}\/sessions$/) as string,
        },
        {
          name: "ann",
          model: "auto",
          instructions: "Be brief.",
          workspace: join(dirname(places.home.path), "ann"),
        },
      ]);
      expect(values).toContainEqual(
        expect.objectContaining({ field: "agents[1].instructions", source: "home" }),
      );
    });
  });

  test("a workspace can narrow the tools and not widen them", async () => {
    const home = { tools: { allow: ["read_file", "list_dir", "exec"], deny: ["exec"] } };
    const workspace = { tools: { allow: ["read_file", "exec", "write_file"], deny: ["list_dir"] } };
    await withConfig({ home, workspace }, async (places, environment) => {
      const { tools } = await readConfig(places, environment);
      expect(tools).toMatchObject({ allow: ["read_file", "exec"], deny: ["exec", "list_dir"] });
    });
    await withConfig({ home, workspace: { tools: { deny: [] } } }, async (places, environment) => {
      expect((await readConfig(places, environment)).tools.deny).toEqual(["exec"]);
    });
  });

  test.each([
    ["127.0.0.1:1234", "http://127.0.0.1:1234"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    [":4321", "http://127.0.0.1:4321"],
    ["https://models.example.org", "https://models.example.org"],
    ["http://box:11434/", "http://box:11434"],
    ["box:80", "http://box"],
    ["[::]:1234", "http://127.0.0.1:1234"],
  ])("OLLAMA_HOST=%s is %s", async (given, expected) => {
    await withConfig({ environment: { OLLAMA_HOST: given } }, async (places, environment) => {
      expect((await readConfig(places, environment)).models.ollama.url).toBe(expected);
    });
  });

  test("keys are places, never values", async () => {
    const secret = "sk-very-secret-0123456789";
    const home = { models: { anthropic: { api_key_env: "MY_KEY", api_key_file: "keys/anthropic" } } };
    await withConfig({ home, environment: { OPENAI_API_KEY: secret } }, async (places, environment) => {
      const config = await readConfig(places, environment);
      expect(config.keys).toEqual([
        { provider: "openai", variable: "OPENAI_API_KEY", isSet: true, file: undefined },
        {
          provider: "anthropic",
          variable: "MY_KEY",
          isSet: false,
          file: join(places.home.path, "keys/anthropic"),
        },
      ]);
      expect(JSON.stringify(config)).not.toContain(secret);
    });
  });

  test("a workspace that is the home has one file", async () => {
    await withConfig({ home: { models: { ollama: { url: "http://box" } } } }, async (places, environment) => {
      const config = await readConfig(
        { ...places, workspace: { ...places.workspace, path: places.home.path } },
        environment,
      );
      expect([config.files.length, config.models.ollama.url]).toEqual([1, "http://box"]);
    });
  });
});

describe("problems", () => {
  test.each<[string, unknown, string]>([
    [
      "a misspelt field",
      { agent: { max_contxt_tokens: 1 } },
      "longhand.json:3:5: agent.max_contxt_tokens: there is no such field; did you mean agent.max_context_tokens?",
    ],
    ["camel case", { agent: { maxSteps: 1 } }, "did you mean agent.max_steps?"],
    [
      "a misspelt group",
      { agnet: {} },
      "longhand.json:2:3: agnet: there is no such field; did you mean agent?",
    ],
    [
      "the right field in the wrong place",
      { max_history_messages: 5 },
      "did you mean agent.max_history_messages?",
    ],
    [
      "a field of nobody",
      { colour: "red" },
      "there are: $schema, agent, agents, models, tools, memory, skills, channels_config",
    ],
    [
      "a misspelt field in a list",
      { agents: [{ name: "a", modle: "auto" }] },
      "agents[0].modle: there is no such field; did you mean agents[].model?",
    ],
    ["__proto__", '{"__proto__": {"agent": 1}}', "__proto__: there is no such field"],
    ["text for a number", { agent: { max_steps: "3" } }, "agent.max_steps: must be a whole number"],
    ["half a step", { agent: { max_steps: 1.5 } }, "agent.max_steps: must be a whole number"],
    ["null", { agent: { name: null } }, "agent.name: must be text in quotes"],
    ["a list for an object", { agent: [] }, "agent: must be an object in { }"],
    ["an object for a list", { tools: { deny: {} } }, "tools.deny: must be a list in [ ]"],
    [
      "a misspelt tool",
      { tools: { deny: ["exec", "read_fil"] } },
      "tools.deny[1]: there is no such tool; did you mean read_file?",
    ],
    [
      "no tool at all",
      { tools: { allow: [5] } },
      "tools.allow[0]: there is no such tool; there are: read_file,",
    ],
    ["text for yes or no", { channels_config: { session_persistence: "no" } }, "must be true or false"],
    ["a list for the file", [], "longhand.json: must be an object in { }"],
    ["too few", { agent: { max_context_tokens: 5 } }, "must be at least 1000"],
    ["too many", { tools: { exec: { timeout_seconds: 9999 } } }, "must be at most 3600"],
    ["a hosted provider without a model", { agent: { model: "openai" } }, "agent.model: must be"],
    ["a model of nobody", { agent: { model: "of:nobody" } }, 'agent.model: must be "auto", "offline"'],
    ["a model without its provider", { agent: { model: "gpt-4o" } }, "did you mean openai:gpt-4o?"],
    [
      "another model without its provider",
      { agent: { model: "claude-sonnet-4-5" } },
      "did you mean anthropic:claude-sonnet-4-5?",
    ],
    [
      "an agent without a name",
      { agents: [{}] },
      "longhand.json:3:5: agents[0].name: must be text in quotes",
    ],
    ["a name with a path in it", { agents: [{ name: "../x" }] }, "agents[0].name: must be 1 to 64 letters"],
    [
      "two agents of one name",
      { agents: [{ name: "longhand" }] },
      "agents[0].name: another agent is called longhand too",
    ],
    [
      "two agents in one place",
      { agents: [{ name: "a", workspace: "workspace/a" }] },
      "agents[0].workspace: is that of the agent longhand, or in it",
    ],
    [
      "an answer as long as the window",
      { agent: { max_context_tokens: 1000, max_answer_tokens: 1000 } },
      "agent.max_answer_tokens: must be less than max_context_tokens, which is 1000",
    ],
    [
      "a directory of the system",
      { agents: [{ name: "a", workspace: "/etc" }] },
      "is a directory of the system",
    ],
    ["Longhand's own", { agents: [{ name: "a", workspace: "sessions" }] }, "is Longhand's own directory"],
    ["a home directory by ~", { agents: [{ name: "a", workspace: "~/a" }] }, "~ is not understood"],
    [
      "an address of another kind",
      { models: { openai: { url: "ftp://x" } } },
      "models.openai.url: must be an http://",
    ],
    ["a field twice", '{"agent": {},\n "agent": {}}', 'longhand.json:2:2: the field "agent" is there twice'],
    ["a comment", "{\n  // hello\n}", "longhand.json:2:3: comments are not part of JSON"],
    ["a comma too many", '{"agent": {},\n}', 'longhand.json:2:1: a field in quotes is expected, not "}"'],
    ["no comma", '{"agent": {}\n "memory": {}}', "longhand.json:2:2: a comma or } is expected"],
    ["no end", '{"agent": {', "the file ends where a field in quotes or } is expected"],
    ["text after the end", "{} {}", "longhand.json:1:4: the end of the file is expected"],
    ["an empty file", " \n", "it is empty; the least it may be is {}"],
    ["brackets without end", "[".repeat(5000), "too many brackets"],
  ])("%s", async (_, home, expected) => {
    expect((await problemsOf({ home })).join("\n")).toContain(expected);
  });

  test("all are told at once, of both files and the environment", async () => {
    const problems = await problemsOf({
      home: { agent: { max_steps: 0, nam: "x" }, memory: { enabled: 1 } },
      workspace: "{",
      environment: { LONGHAND_MODEL: "gpt", LONGHAND_MAX_CONTEXT_TOKENS: "many", LONGHAND_MODLE: "auto" },
    });
    expect(problems).toEqual([
      expect.stringContaining("workspace/longhand.json:1:2"),
      expect.stringContaining("agent.max_steps"),
      expect.stringContaining("agent.nam: there is no such field; did you mean agent.name?"),
      expect.stringContaining("memory.enabled"),
      "LONGHAND_MODLE: there is no such variable; did you mean LONGHAND_MODEL?",
      expect.stringContaining('LONGHAND_MODEL: must be "auto"'),
      "LONGHAND_MAX_CONTEXT_TOKENS: must be a whole number",
    ]);
  });

  test.each([
    ["models.openai.api_key", { models: { openai: { api_key: "sk-0123456789abcdef" } } }],
    ["models.openai.apiKey", { models: { openai: { apiKey: "sk-0123456789abcdef" } } }],
    ["models.openai.api_key_env", { models: { openai: { api_key_env: "sk-0123456789abcdef" } } }],
    ["models.openai.url", { models: { openai: { url: "https://user:sk-0123456789abcdef@host" } } }],
    ["agent.model", { agent: { model: "sk-0123456789abcdef" } }],
  ])("a key in %s is a problem that does not repeat it", async (field, home) => {
    const problems = await problemsOf({ home });
    expect(problems).toEqual([expect.stringContaining(`${field}: `)]);
    expect(problems.join()).not.toContain("0123456789");
    if (/api_?key$/i.test(field)) expect(problems.join()).toMatch(/api_key_env.*0600.*api_key_file/);
  });

  test("where keys and words are sent is not for a workspace to say", async () => {
    for (const workspace of [{ models: { openai: { url: "https://evil.example.org" } } }, { agents: [] }]) {
      expect(await problemsOf({ workspace })).toEqual([
        expect.stringContaining("belongs into longhand.json of the home"),
      ]);
    }
  });

  test("readConfig rejects with all of them", async () => {
    await withConfig({ home: { agnet: {}, memry: {} } }, async (places, environment) => {
      const error: unknown = await readConfig(places, environment).catch((thrown: unknown) => thrown);
      if (!(error instanceof CommandError)) throw new Error("it should be a CommandError");
      expect([error.code, error.detail["problems"]]).toEqual([
        "CONFIG_INVALID",
        [expect.anything(), expect.anything()],
      ]);
      expect(error.message).toMatch(/agnet.*\n.*memry/);
    });
  });

  test("a directory or a pipe under that name is told, and not waited for", async () => {
    await withConfig({}, async (places, environment) => {
      await mkdir(join(places.home.path, "longhand.json"));
      await mkdir(places.workspace.path);
      const fifo = join(places.workspace.path, "longhand.json");
      expect((await runCommand("mkfifo", [fifo], places.home.path)).exitCode).toBe(0);
      const { problems } = await examineConfig(places, environment);
      expect(problems.map(({ message }) => message)).toEqual([
        "it is no regular file",
        "it is no regular file",
      ]);
    });
  });
});
