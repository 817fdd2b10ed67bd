/** `longhand context` shows what the chat sends: the same messages and the same tools. */

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { localScope, type Model, type ModelRequest } from "@longhand/agent";
import { expect, test } from "vitest";
import { type Agents, withAgents } from "../../src/assembly/with-agents.ts";
import { findPlaces } from "../../src/config/find-places.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";

const NAME = "openai:recorder";
const UNREPORTED = { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined };

interface Shown {
  readonly model: string;
  readonly usage: Readonly<Record<string, number>>;
  readonly tools: unknown;
  readonly messages: readonly { readonly message: unknown }[];
}

function recorder(): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name: NAME,
    requests,
    canSummarise: false,
    async *stream(request) {
      requests.push(request);
      await Promise.resolve();
      yield { type: "text", text: `answer ${requests.length}` };
      yield { type: "finish", reason: "stop", usage: UNREPORTED };
    },
  };
}

async function inChat(home: string, use: (agents: Agents) => Promise<void>): Promise<void> {
  const { places } = findPlaces(
    { home },
    { environment: {}, currentDirectory: home, temporaryDirectory: "/tmp", accountHome: () => home },
  );
  const wanted = {
    places,
    environment: {},
    events: () => undefined,
    onProblem: () => undefined,
    toPaste: commandToPaste({}),
  };
  await withAgents({ ...wanted, model: "offline" }, use);
}

test("the messages and tools are those of the next request, without the next question", async () => {
  await withTemporaryDirectory(async (home) => {
    const settings = {
      agent: { model: NAME, instructions: "You are a lighthouse keeper.", max_context_tokens: 9000 },
      tools: { deny: ["write_file"] },
    };
    await writeFile(join(home, "longhand.json"), JSON.stringify(settings), { mode: 0o600 });
    const model = recorder();
    await inChat(home, async ({ agent }) => {
      agent.useModel(model);
      await agent.memory?.remember({
        text: "The user's boat is called Gudrun.",
        scope: localScope(agent.name),
      });
      for (const text of ["question 1", "question 2"]) await agent.conversation("k").say({ text });
    });
    const before = await readdir(home, { recursive: true });
    const { exitCode, stdout, stderr } = await runIn(home, ["context", "k", "--json"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(await readdir(home, { recursive: true })).toEqual(before);
    const shown = JSON.parse(stdout) as Shown;
    await inChat(home, async ({ agent }) => {
      agent.useModel(model);
      await agent.conversation("k").say({ text: "question 3" });
    });
    const sent = model.requests.at(-1);
    expect(sent?.messages.at(-1)?.content).toBe("question 3");
    expect(shown.messages.map(({ message }) => message)).toEqual(sent?.messages.slice(0, -1));
    expect(shown.tools).toEqual(JSON.parse(JSON.stringify(sent?.tools)));
    expect([shown.model, shown.usage["maxTokens"]]).toEqual([NAME, sent?.contextTokens]);
    const system = JSON.stringify(shown.messages[0]);
    for (const part of ["lighthouse keeper", "Gudrun", "Your tools work in"]) expect(system).toContain(part);
    expect(JSON.stringify(shown.tools)).not.toContain("write_file");
  });
});
