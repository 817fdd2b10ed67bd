import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@longhand/store";
import { openMemory, type Memory } from "@longhand/store/memory";
import { expect, onTestFinished, test } from "vitest";
import { builtInTools } from "../../src/tools/built-in-tools.ts";
import { recallTool } from "../../src/tools/recall.ts";
import { rememberTool } from "../../src/tools/remember.ts";
import type { ToolContext } from "../../src/tools/tool.ts";
import { NO_SANDBOX } from "./support/commands.ts";
import { toolContext } from "./support/workspace.ts";

async function makeMemory(): Promise<Memory> {
  const directory = await mkdtemp(join(tmpdir(), "longhand-recall-"));
  const sessions = await openStore(join(directory, "sessions"));
  const memory = await openMemory({ directory: join(directory, "memory"), sessions });
  onTestFinished(async () => {
    await memory.close();
    await sessions.close();
    await rm(directory, { recursive: true });
  });
  return memory;
}

test("what is remembered is recalled, with where it comes from", async () => {
  const memory = await makeMemory();
  const source = { memory, scope: { user: "ann" } };
  const said = await rememberTool(source).run({ text: "Ann's cat is called\nMitzi." }, toolContext());
  const [entry] = await memory.entries({ scope: { user: "ann" } });
  expect(said).toBe(`remembered as ${entry?.id ?? ""}`);
  expect(entry).toMatchObject({ kind: "core", source: { by: "request" } });
  const recalled = await recallTool(source).run({ query: "cat" }, toolContext());
  expect(recalled).toContain("Mitzi");
  expect(recalled).toContain(`(memory ${entry?.id ?? ""}, `);
  expect(recalled).not.toContain("\n");
  expect(await recallTool(source).run({ query: "dog" }, toolContext())).toMatch(/^\[nothing is known/);
});

test("one person's memory does not reach another where the scope comes from the conversation", async () => {
  const memory = await makeMemory();
  const source = { memory, scope: ({ key }: ToolContext) => ({ user: key }) };
  const by = (key: string): ToolContext => ({ ...toolContext(), key });
  await rememberTool(source).run({ text: "The password hint is a river." }, by("ann"));
  expect(await recallTool(source).run({ query: "river" }, by("ann"))).toContain("hint");
  expect(await recallTool(source).run({ query: "river" }, by("bob"))).not.toContain("hint");
});

test("builtInTools has recall and remember only with a memory", async () => {
  const memory = await makeMemory();
  const names = (with_: { memory?: { memory: Memory; scope: object } }): string[] =>
    builtInTools({ workspace: tmpdir(), sandbox: NO_SANDBOX, ...with_ }).map(({ name }) => name);
  const files = ["read_file", "write_file", "edit_file", "list_dir", "exec"];
  expect(names({})).toEqual(files);
  expect(names({ memory: { memory, scope: {} } })).toEqual([...files, "recall", "remember"]);
});
