/** `longhand undo` and the memory: what was learnt from the undone messages goes and comes back with them. */

import { expect, test } from "vitest";
import type { Memory } from "@longhand/store/memory";
import type { Store } from "@longhand/store";
import { withRemembered } from "../support/with-remembered.ts";

const ANA = { user: "ana" };

async function twoTurns(memory: Memory, store: Store): Promise<void> {
  const session = store.session("k");
  await session.append([
    { role: "user", content: "I live in Porto" },
    { role: "assistant", content: "ok" },
  ]);
  await session.append([
    { role: "user", content: "I have a cat" },
    { role: "assistant", content: "ok" },
  ]);
  const facts = [
    { text: "Ana lives in Porto", quote: "I live in Porto" },
    { text: "Ana has a cat", quote: "I have a cat" },
  ];
  const model = (): Promise<string> =>
    Promise.resolve(JSON.stringify({ history_entry: "They talked.", facts }));
  await memory.consolidate(session, { scope: ANA, model });
}

test("an undo says which facts are withdrawn and which entry stays; an undo of the undo brings them back", async () => {
  await withRemembered(twoTurns, async (longhand) => {
    const { stdout, exitCode } = await longhand("undo k 2");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Withdrawn from the memory with it, 1 entry:\n {2}\w{26} Ana has a cat\n/u);
    expect(stdout).toMatch(
      /Kept, since it also tells of other turns, 1 entry [^\n]*\n {2}\w{26} They talked\.\n/u,
    );
    const listed = (await longhand("memory list --kind core")).stdout;
    expect(listed).toContain("Porto");
    expect(listed).not.toContain("cat");
    const back = await longhand("undo k --to 4");
    expect(back.stdout).toMatch(/Back in the memory, 1 entry:\n {2}\w{26} Ana has a cat\n/u);
    expect((await longhand("memory list --kind core")).stdout).toContain("cat");
  });
});

test("as JSON the entries are in memory", async () => {
  await withRemembered(twoTurns, async (longhand) => {
    const { stdout } = await longhand("undo k --to 2 --json");
    expect(JSON.parse(stdout)).toMatchObject({
      memory: {
        withdrawn: [{ text: "Ana has a cat" }],
        restored: [],
        partial: [{ text: "They talked." }],
      },
    });
  });
});

test("messages that the memory knows nothing of are undone without a word about it", async () => {
  await withRemembered(
    async (_, store) => await store.session("k").append({ role: "user", content: "hello" }),
    async (longhand) => {
      const { stdout } = await longhand("undo k");
      expect(stdout).not.toContain("memory");
    },
  );
});
