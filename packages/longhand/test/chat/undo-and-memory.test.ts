/** `/undo` in the chat withdraws the facts that came from the undone turn, and says so. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryBackend, openStore } from "@longhand/store";
import { openMemory } from "@longhand/store/memory";
import { expect, test } from "vitest";
import type { CommandWorld } from "../../src/chat/chat-command.ts";
import { redo } from "../../src/chat/commands/redo.ts";
import { undo } from "../../src/chat/commands/undo.ts";
import { fakeOutput } from "../support/fake-world.ts";

const SCOPE = { user: "ana" };

test("the fact of the undone turn is withdrawn and named, the one of the turn before stays; /redo brings it back", async () => {
  const directory = await mkdtemp(join(tmpdir(), "longhand-undo-"));
  const store = await openStore(memoryBackend());
  const memory = await openMemory({ directory, sessions: store });
  const session = store.session("k");
  const facts = [];
  for (const words of ["I live in Porto", "I have a cat"]) {
    await session.append([
      { role: "user", content: words },
      { role: "assistant", content: "ok" },
    ]);
    facts.push({ text: `Ana says: ${words}`, quote: words });
  }
  const answer = JSON.stringify({ history_entry: "They talked.", facts });
  await memory.consolidate(session, { scope: SCOPE, model: () => Promise.resolve(answer) });
  const output = fakeOutput({});
  const world = {
    agent: { memory },
    conversation: { session, key: "k" },
    output,
    toPaste: (words: string) => `longhand ${words}`,
  };
  await undo.run("", world as unknown as CommandWorld);
  const printed = output.printed.join("");
  expect(printed).toContain("The last turn is taken back");
  expect(printed).toMatch(/Withdrawn from the memory with it, 1 entry:\n\s+\w{26} Ana says: I have a cat/u);
  const left = await memory.entries({ scope: SCOPE, kind: "core" });
  expect(left.map(({ text }) => text)).toEqual(["Ana says: I live in Porto"]);
  expect((await memory.promptSection({ scope: SCOPE })).text).not.toContain("cat");
  const again = fakeOutput({});
  await redo.run("", { ...world, output: again } as unknown as CommandWorld);
  expect(again.printed.join("")).toMatch(/Back in the memory, 1 entry:\n\s+\w{26} Ana says: I have a cat/u);
  expect(await memory.entries({ scope: SCOPE, kind: "core" })).toHaveLength(2);
  await memory.close();
  await rm(directory, { recursive: true, force: true });
});
