/** A program that is killed leaves its turns to the memory of the next start: caught up once, in one request. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type ModelServer, type RecordedRequest } from "../../agent/test/support/model-server.ts";
import { startOpenaiServer } from "../../agent/test/support/openai-server.ts";
import { withTemporaryDirectory } from "./support/fake-world.ts";
import { PROGRAM, Serving, writeConfig } from "./support/serving.ts";

const LONG = { timeout: 60_000, interval: 50 };
const servers: ModelServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

function isMemory({ body }: RecordedRequest): boolean {
  return JSON.stringify(body).includes("You keep the memory");
}

async function modelServer(home: string): Promise<ModelServer> {
  const server = await startOpenaiServer((request) => ({
    text: isMemory(request) ? '{"history_entry":"They talked."}' : "yes",
  }));
  servers.push(server);
  await writeConfig(home, server.url, { memory: { enabled: true } });
  return server;
}

function asked(server: ModelServer): string[] {
  return server.requests.filter(isMemory).map(({ body }) => JSON.stringify(body));
}

/** Says two things over a pipe that stays open, and is killed when both are answered. */
async function killedPipe(home: string, server: ModelServer): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, "chat", "first"], {
    cwd: home,
    env: { PATH: process.env["PATH"], LONGHAND_HOME: home, OPENAI_API_KEY: "a-key-for-tests" },
  });
  const ended = once(child, "close");
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stdin.write("a purple walrus\nand more\n");
  await vi.waitFor(() => expect([printed.split("yes").length, server.requests.length]).toEqual([3, 2]), LONG);
  // An answer is shown before it is durable, and only whole turns are consolidated.
  await vi.waitFor(async () => {
    const log = await readFile(join(home, "sessions/first.jsonl"), "utf8");
    expect(log.split('"role":"assistant"')).toHaveLength(3);
  }, LONG);
  child.kill("SIGKILL");
  await ended;
}

async function killedServe(home: string): Promise<void> {
  const serving = new Serving(home);
  for (const text of ["a purple walrus", "and more"])
    serving.say({ channel: "test", chat: "1", sender: "1", text });
  await serving.until("done", 2);
  await serving.kill("SIGKILL");
}

test.each(["pipe", "serve"])(
  "%s killed after two turns: the next start catches up once",
  async (surface) => {
    await withTemporaryDirectory(async (home) => {
      const server = await modelServer(home);
      if (surface === "pipe") await killedPipe(home, server);
      else await killedServe(home);
      expect(asked(server)).toEqual([]);
      for (const start of [1, 2]) {
        const next = new Serving(home);
        next.say({ channel: "test", chat: "2", sender: "2", text: `hello ${start}` });
        await next.until("done");
        await vi.waitFor(() => expect(asked(server)).toHaveLength(start), LONG);
        await next.end();
      }
      const [first = "", second = ""] = asked(server);
      for (const text of ["a purple walrus", "and more"]) {
        expect(first).toContain(text);
        expect(second).not.toContain(text);
      }
    });
  },
  180_000,
);
