/** A chat that is killed while a message waits, on a real terminal with the built program. */

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { startOllamaServer } from "../../../agent/test/support/ollama-server.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";
import { PROGRAM } from "../support/serving.ts";
import { type Tmux, whyNoTmux, withTmux } from "./support/tmux.ts";

let reason: string | undefined;
beforeAll(async () => {
  reason = await whyNoTmux();
  if (reason !== undefined && process.env["CI"] === "true") throw new Error(reason);
});

/** The answer to "first" never ends. */
async function withModel(use: (url: string) => Promise<void>): Promise<void> {
  const server = await startOllamaServer(({ body }) => {
    const messages = (body?.["messages"] ?? []) as readonly { readonly content: string }[];
    return messages.at(-1)?.content.includes("first") === true
      ? { text: ["it begins", " and never ends"], stop: { afterBytes: 130, then: "stall" } }
      : { text: "an answer" };
  });
  try {
    await use(server.url);
  } finally {
    await server.close();
  }
}

async function withHome(use: (home: string) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (directory) => await use(join(directory, "home")));
}

async function inChat(
  home: string,
  url: string,
  words: readonly string[],
  use: (tmux: Tmux) => Promise<void>,
): Promise<void> {
  // Beside the home: a directory in it cannot be a workspace.
  const work = join(home, "..", "work");
  await mkdir(work, { recursive: true });
  const environment = [`LONGHAND_HOME=${home}`, `OLLAMA_HOST=${url}`, "LONGHAND_MODEL=ollama"];
  const command = ["env", ...environment, process.execPath, PROGRAM, "chat", "--workspace", work];
  await withTmux([...command, ...words], { width: 100, height: 30 }, use);
}

async function killWhileWaiting(home: string, url: string): Promise<void> {
  await inChat(home, url, ["talk"], async (tmux) => {
    await tmux.sees("❯");
    await tmux.types("first");
    await tmux.presses("Enter");
    // Shown once the question is durable.
    await tmux.sees("it begins");
    await tmux.types("second, which waits");
    await tmux.presses("Enter");
    await tmux.sees("waiting: second, which waits");
    process.kill(await tmux.processId(), "SIGKILL");
    await tmux.ends();
  });
}

describe("a chat that is killed while a message waits", () => {
  test("offers it again, does not send it by itself, and sends it once", async (context) => {
    if (reason !== undefined) context.skip(reason);
    await withHome(async (home) => {
      await withModel(async (url) => {
        await killWhileWaiting(home, url);
        expect(await readdir(join(home, "chat-waiting"))).toHaveLength(1);
        await inChat(home, url, ["--continue"], async (tmux) => {
          await tmux.sees("These words were waiting and were not sent:", "❯ second, which waits");
          await tmux.presses("Enter");
          await tmux.sees("an answer");
          await tmux.presses("C-d");
          await tmux.sees("To continue this conversation");
        });
        expect(await readdir(join(home, "chat-waiting"))).toEqual([]);
        await inChat(home, url, ["--continue"], async (tmux) => {
          const seen = await tmux.sees("❯ second, which waits", "an answer", "tokens");
          expect(seen.split("second, which waits")).toHaveLength(2);
          expect(seen).not.toContain("were waiting");
        });
      });
    });
  });

  test("control: without the file nothing would be offered", async (context) => {
    if (reason !== undefined) context.skip(reason);
    await withHome(async (home) => {
      await withModel(async (url) => {
        await killWhileWaiting(home, url);
        await rm(join(home, "chat-waiting"), { recursive: true });
        await inChat(home, url, ["--continue"], async (tmux) => {
          const seen = await tmux.sees("❯ first", "tokens");
          expect(seen).not.toContain("second, which waits");
        });
      });
    });
  });
});
