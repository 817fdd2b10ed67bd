/** `longhand chat` as it is run without a terminal, in a process of its own, after the build. On a terminal: test/chat. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "@longhand/store";
import { beforeAll, describe, expect, test } from "vitest";
import { startOpenaiServer } from "../../../agent/test/support/openai-server.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";
import { PROGRAM, writeConfig } from "../support/serving.ts";
import { jsonLines } from "../support/with-home.ts";

beforeAll(async () => {
  await expect(stat(PROGRAM), "run `npm run build` first").resolves.toBeDefined();
});

interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(home: string, words: readonly string[]): ChildProcessWithoutNullStreams {
  const env = {
    PATH: process.env["PATH"],
    LONGHAND_HOME: home,
    LONGHAND_MODEL: "offline",
    OPENAI_API_KEY: "a-key-for-tests",
  };
  return spawn(process.execPath, [PROGRAM, ...words], { cwd: home, env });
}

async function answerOf(child: ChildProcessWithoutNullStreams): Promise<Answer> {
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined);
  await once(child, "close");
  return { exitCode: child.exitCode, stdout, stderr };
}

async function longhand(
  home: string,
  words: readonly string[],
  input: string | Uint8Array = "",
): Promise<Answer> {
  const child = start(home, words);
  child.stdin.end(input);
  return await answerOf(child);
}

/** What was said in each session, newest first. */
async function saidIn(home: string): Promise<[key: string, ...said: unknown[]][]> {
  await using store = await openStore(join(home, "sessions"), { readOnly: true });
  const sessions: [string, ...unknown[]][] = [];
  for await (const { key } of store.list()) {
    const messages = await store.session(key).messages();
    sessions.push([key, ...messages.filter(({ role }) => role === "user").map(({ content }) => content)]);
  }
  return sessions;
}

describe("which session", () => {
  test("a new one each time, the one of KEY, or the newest", async () => {
    await withTemporaryDirectory(async (home) => {
      const first = await longhand(home, ["-m", "help"]);
      expect(first.exitCode).toBe(0);
      // That it is no model is no part of the answer, and is said nevertheless.
      expect(first.stdout).toMatch(/^You can say:\n/);
      expect(first.stderr).toMatch(/^I am not a language model[^\n]+\n$/);
      expect((await longhand(home, ["chat", "kitchen", "-m", "list the files"])).exitCode).toBe(0);
      expect((await longhand(home, ["chat", "kitch", "-m", "help"])).exitCode).toBe(0);
      expect((await longhand(home, ["--continue", "-m", "list the files"])).exitCode).toBe(0);
      expect(await saidIn(home)).toEqual([
        ["kitch", "help", "list the files"],
        ["kitchen", "list the files"],
        [expect.stringMatching(/^chat:/), "help"],
      ]);
    });
  });

  test("--continue is never somebody else's of a channel, and begins one where there is none", async () => {
    await withTemporaryDirectory(async (home) => {
      const line = { channel: "t", chat: "1", sender: "ada", text: "help" };
      const theirs = "t/chat:1/from:ada";
      expect((await longhand(home, ["serve", "--stdio"], JSON.stringify(line))).exitCode).toBe(0);
      expect(await saidIn(home)).toEqual([[theirs, "help"]]);
      expect((await longhand(home, ["chat", "--continue", "-m", "help"])).exitCode).toBe(0);
      expect(await saidIn(home)).toEqual([
        [expect.stringMatching(/^chat:/), "help"],
        [theirs, "help"],
      ]);
    });
  });

  test("a key and --continue exclude each other", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stderr } = await longhand(home, ["chat", "k", "--continue", "-m", "help"]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("exclude each other")]);
      expect(await readdir(home)).toEqual([]);
    });
  });
});

describe("what is said", () => {
  test("--json: each event is a line", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout, stderr } = await longhand(home, ["chat", "k", "-m", "help", "--json"]);
      expect([exitCode, stderr]).toEqual([0, ""]);
      const events = jsonLines(stdout) as { type: string; key: string }[];
      expect(events.at(0)).toMatchObject({ type: "turn-start", key: "k" });
      expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "answered", key: "k" });
      expect(events.some(({ type }) => type === "text-delta")).toBe(true);
    });
  });

  test("over a pipe each line is a message or a command", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stderr } = await longhand(home, ["chat", "k"], "help\n\n/new other\nlist the files");
      expect(exitCode).toBe(0);
      expect(stderr.split("I am not a language model")).toHaveLength(3);
      expect(await saidIn(home)).toEqual([
        ["other", "list the files"],
        ["k", "help"],
      ]);
    });
  });

  test("longhand alone over a pipe is a chat; an empty pipe is answered by the help, and nothing is begun", async () => {
    await withTemporaryDirectory(async (home) => {
      const empty = await longhand(home, []);
      expect(empty).toMatchObject({ exitCode: 0, stderr: "" });
      expect(empty.stdout).toMatch(/^Examples:\n[^]*\n {2}chat /);
      expect(await readdir(home)).toEqual([]);
      expect((await longhand(home, [], "help\nlist the files\n")).exitCode).toBe(0);
      const { stdout } = await longhand(home, ["--json"], "help");
      expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "turn-end", outcome: "answered" });
      const said = (await saidIn(home)).map(([, ...words]) => words);
      expect(said).toEqual([["help"], ["help", "list the files"]]);
    });
  });

  test("an empty message is refused", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stderr } = await longhand(home, ["-m", " "]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("nothing to say")]);
      expect(await readdir(home)).toEqual([]);
    });
  });

  test("-m - is all of standard input", async () => {
    await withTemporaryDirectory(async (home) => {
      expect((await longhand(home, ["chat", "k", "-m", "-"], "help\nme\n")).exitCode).toBe(0);
      expect(await saidIn(home)).toEqual([["k", "help\nme"]]);
      const empty = await longhand(home, ["chat", "k", "-m", "-"], "\n");
      expect([empty.exitCode, empty.stderr]).toEqual([2, expect.stringContaining("no message")]);
    });
  });

  test("what is no text is not sent, in any way", async () => {
    await withTemporaryDirectory(async (home) => {
      const broken = Buffer.from([0x68, 0xff, 0x0a, 0x68, 0x0a]);
      for (const words of [
        ["chat", "k"],
        ["chat", "k", "-m", "-"],
      ]) {
        const { exitCode, stderr } = await longhand(home, words, broken);
        expect([exitCode, stderr]).toEqual([2, expect.stringContaining("UTF-8")]);
      }
      expect(await saidIn(home)).toEqual([]);
    });
  });

  test("SIGTERM ends a chat that waits for a line", async () => {
    await withTemporaryDirectory(async (home) => {
      const child = start(home, ["chat", "k"]);
      child.stdin.write("help\n");
      const answer = answerOf(child);
      await once(child.stdout, "data");
      child.kill("SIGTERM");
      expect((await answer).exitCode).toBe(1);
    });
  });
});

describe("what goes wrong", () => {
  test("a message that is not answered is exit code 1, and is kept", async () => {
    await withTemporaryDirectory(async (home) => {
      const refusing = { status: 401, body: '{"error":{"message":"no such key"}}' };
      const server = await startOpenaiServer(() => refusing);
      try {
        await writeConfig(home, server.url);
        const { exitCode, stdout, stderr } = await longhand(home, [
          ...["chat", "k", "-m", "hello", "--model", "openai:small"],
        ]);
        expect([exitCode, stdout, stderr]).toEqual([1, "", expect.stringContaining("MODEL_REFUSED")]);
        expect(stderr).not.toContain("a-key-for-tests");
      } finally {
        await server.close();
      }
      expect(await saidIn(home)).toEqual([["k", "hello"]]);
    });
  });

  test.each([
    [["--model", "lama:x"], 1, "MODEL_UNKNOWN", 'did you mean "ollama:x"?'],
    [["--model", "gpt-5"], 1, "MODEL_UNKNOWN", 'did you mean "openai:gpt-5"?'],
    [["--agent", "nobody"], 2, "USAGE_INVALID", "there is no agent nobody; there are: longhand"],
  ] as const)("%j", async (words, exitCode, code, message) => {
    await withTemporaryDirectory(async (home) => {
      const plain = await longhand(home, [...words, "-m", "help"]);
      expect(plain).toEqual({ exitCode, stdout: "", stderr: expect.stringContaining(message) as string });
      expect(plain.stderr).not.toContain("not foreseen");
      const json = await longhand(home, [...words, "-m", "help", "--json"]);
      expect(JSON.parse(json.stderr)).toMatchObject({ error: { code } });
    });
  });

  test("a misspelt field of longhand.json: nothing is begun, and serve says it in JSON", async () => {
    await withTemporaryDirectory(async (home) => {
      await writeFile(join(home, "longhand.json"), '{"agent":{"modle":"offline"}}');
      const { exitCode, stdout, stderr } = await longhand(home, ["-m", "help"]);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("longhand.json:1:11: agent.modle: there is no such field; did you mean");
      const serving = await longhand(home, ["serve", "--stdio"], "{}\n");
      expect([serving.exitCode, serving.stdout]).toEqual([1, ""]);
      expect(JSON.parse(serving.stderr)).toMatchObject({ error: { code: "CONFIG_INVALID" } });
      expect(await readdir(home)).toEqual(["longhand.json"]);
    });
  });

  test("session_persistence: false is said, and nothing is kept", async () => {
    await withTemporaryDirectory(async (home) => {
      await writeFile(
        join(home, "longhand.json"),
        '{"channels_config":{"session_persistence":false},"memory":{"enabled":false}}',
      );
      for (const words of [["-m", "help"], ["chat"]]) {
        const { exitCode, stdout, stderr } = await longhand(home, words, "help\n");
        expect([exitCode, stdout]).toEqual([0, expect.stringContaining("You can say:")]);
        expect(stderr).toMatch(
          /^longhand: sessions are not kept: [^\n]+\nI am not a language model[^\n]+\n$/,
        );
      }
      for (const words of [
        ["-m", "help", "--json"],
        ["serve", "--stdio"],
      ]) {
        const { exitCode, stderr } = await longhand(home, words);
        expect([exitCode, JSON.parse(stderr)]).toEqual([
          0,
          { warning: expect.objectContaining({ code: "NOT_KEPT" }) as unknown },
        ]);
      }
      const left = (await readdir(home, { recursive: true })).toSorted();
      expect(left).toEqual(["longhand.json", "workspace", "workspace.json"]);
    });
  });
});

test("--or-tour without a terminal is the tour, and with -m it is not in the way", async () => {
  await withTemporaryDirectory(async (home) => {
    const { exitCode, stdout } = await longhand(home, ["chat", "--or-tour", "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kill: expect.anything() as unknown,
      conversation: expect.anything() as unknown,
    });
    expect(await readdir(home)).toContain("tour");
    const said = await longhand(home, ["chat", "--or-tour", "-m", "help"]);
    expect(said).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("You can say:") as string,
    });
  });
});
