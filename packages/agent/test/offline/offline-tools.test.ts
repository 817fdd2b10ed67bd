/** The offline assistant with the real tools: what it asks for is what they take, and what it says is what they did. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryBackend, type Message, openStore } from "@longhand/store";
import { openMemory } from "@longhand/store/memory";
import { expect, test } from "vitest";
import { offlineModel } from "../../src/offline/offline-model.ts";
import { OFFLINE_TOOLS } from "../../src/offline/understand-request.ts";
import { BUILT_IN_SKILLS, findSkills } from "../../src/skills/find-skills.ts";
import { loadSkillTool } from "../../src/skills/load-skill-tool.ts";
import { builtInTools } from "../../src/tools/built-in-tools.ts";
import type { Tool } from "../../src/tools/tool.ts";

/** As small as a turn can be: answers until there is no call left. `exec` is checked and not run. */
async function say(text: string, messages: Message[], tools: readonly Tool[]): Promise<string> {
  const { signal } = new AbortController();
  messages.push({ role: "user", content: text });
  for (;;) {
    const request = {
      messages,
      tools: tools.map(({ schema }) => schema),
      contextTokens: 32_000,
      maxTokens: 4096,
    };
    let content = "";
    const toolCalls = [];
    for await (const event of offlineModel().stream(request, signal)) {
      if (event.type === "text") content += event.text;
      if (event.type === "tool-call") {
        toolCalls.push({ id: event.id, name: event.name, arguments: JSON.parse(event.arguments) as unknown });
      }
    }
    messages.push({ role: "assistant", content, ...(toolCalls.length === 0 ? {} : { toolCalls }) });
    if (toolCalls.length === 0) return content;
    for (const call of toolCalls) {
      const tool = tools.find(({ name }) => name === call.name);
      const parsed = tool?.parse(call.arguments) ?? { problem: "there is no such tool" };
      if ("problem" in parsed) throw new Error(`${call.name}: ${parsed.problem}`);
      const context = { agent: "a", key: "k", callId: call.id, signal };
      const output = call.name === "exec" ? "not run" : ((await tool?.run(parsed.input, context)) ?? "");
      messages.push({
        role: "tool",
        toolCallId: call.id,
        content: typeof output === "string" ? output : output.content,
        isError: typeof output !== "string" && output.isError === true,
      });
    }
  }
}

test("every request it understands is carried out by the tools there are", async () => {
  const directory = await mkdtemp(join(tmpdir(), "longhand-offline-"));
  const workspace = await mkdtemp(join(tmpdir(), "longhand-offline-workspace-"));
  const store = await openStore(memoryBackend());
  const memory = await openMemory({ directory, sessions: store });
  try {
    const tools = [
      ...builtInTools({
        workspace,
        sandbox: { unavailable: "not in this test", remedy: "none" },
        memory: { memory, scope: { user: "ann" } },
      }),
      loadSkillTool(await findSkills({ builtIn: BUILT_IN_SKILLS })),
    ];
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...OFFLINE_TOOLS]));
    const messages: Message[] = [];
    expect(await say("write Hello, Ann! to notes.txt", messages, tools)).toMatch(
      /^[^]*Written to `notes\.txt` \(11 bytes[^)]*\)\.$/,
    );
    expect(await readFile(join(workspace, "notes.txt"), "utf8")).toBe("Hello, Ann!");
    expect(await say("list the files", messages, tools)).toContain("notes.txt");
    expect(await say("read notes.txt", messages, tools)).toContain("Hello, Ann!");
    expect(await say("run date", messages, tools)).toContain("not run");
    expect(await say("remember that I like green tea", messages, tools)).toContain("Remembered.");
    expect(await say("list the skills", messages, tools)).toContain("write-a-skill");
    expect(await say("use the skill write-a-skill", messages, tools)).toContain("Skill write-a-skill");
    expect(await say("what did I say about tea?", messages, tools)).toContain("green tea");
  } finally {
    await memory.close();
    await store.close();
    for (const made of [directory, workspace]) await rm(made, { recursive: true, force: true });
  }
});
