/** Remembering, superseding and undoing, and that two memories over one directory see each other. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { openMemory } from "../../src/memory/open-memory.ts";
import type { Memory } from "../../src/memory/types.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { memoryIn, refusedWith, worldOf } from "./support/memory-in.ts";

let directory: string;
let memory: Memory;
const ann = { user: "ann" } as const;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  memory = await memoryIn(directory);
});
afterEach(async () => {
  await memory.close();
  await removeDirectory(directory);
});

async function current(from: Memory = memory): Promise<readonly string[]> {
  return (await from.entries({ scope: ann })).map(({ text }) => text);
}

describe("remember", () => {
  test("an entry comes back as it went in, also after the memory was closed", async () => {
    const entry = await memory.remember({
      text: "Ann\nlikes \u0000 \ud800 tea",
      kind: "daily",
      scope: { user: "ann", agent: "a" },
      source: { by: "conversation", key: "telegram:1", id: "01J", from: 3, to: 8 },
      confidence: 0.5,
    });
    expect(entry).toMatchObject({ text: "Ann\nlikes \u0000 \ud800 tea", kind: "daily", status: "current" });
    await memory.close();
    memory = await memoryIn(directory);
    expect(await memory.entry(entry.id)).toEqual(entry);
    expect(await memory.everything()).toEqual([entry]);
  });

  test("what was left out is filled in: a core fact, asked for, and sure", async () => {
    const entry = await memory.remember({ text: "x", scope: ann });
    expect(entry).toMatchObject({ kind: "core", source: { by: "request" }, confidence: 1, supersedes: [] });
    expect(new Date(entry.at).toISOString()).toBe(entry.at);
  });

  test.each([
    ["text", { text: " \n" }],
    ["text", { text: 5 }],
    ["kind", { kind: "other" }],
    ["confidence", { confidence: 1.1 }],
    ["confidence", { confidence: Number.NaN }],
    ["confidence", { confidence: "1" }],
    ["source", { source: { by: "conversation" } }],
    ["supersedes", { supersedes: "01J" }],
    ["scope", { scope: undefined }],
    ["colour", { colour: "red" }],
  ])("a wrong %s is refused, and nothing is written", async (option, wrong) => {
    const entry = { text: "x", scope: ann, ...wrong };
    const error = await refusedWith(memory.remember(entry as never), "OPTION_INVALID");
    expect(error.detail).toMatchObject({ option });
    expect(await memory.everything({ all: true })).toEqual([]);
  });
});

describe("supersede and undo", () => {
  test("a new entry takes the place of the old one, which is kept", async () => {
    const paris = await memory.remember({ text: "lives in Paris", scope: ann });
    await memory.remember({ text: "lives in Rome", scope: ann, supersedes: [paris.id] });
    expect(await current()).toEqual(["lives in Rome"]);
    const all = await memory.entries({ scope: ann, all: true });
    expect(all.map(({ text, status }) => [text, status])).toEqual([
      ["lives in Paris", "superseded"],
      ["lives in Rome", "current"],
    ]);
  });

  test("undoing brings back what was superseded; undoing twice changes nothing", async () => {
    const paris = await memory.remember({ text: "lives in Paris", scope: ann });
    const rome = await memory.remember({ text: "lives in Rome", scope: ann, supersedes: [paris.id] });
    expect(await memory.undo(rome.id)).toEqual({ ...rome, status: "undone" });
    expect(await current()).toEqual(["lives in Paris"]);
    expect(await memory.undo(rome.id)).toEqual({ ...rome, status: "undone" });
    expect(await current()).toEqual(["lives in Paris"]);
  });

  test("what two have superseded is current again only when both are undone", async () => {
    const one = await memory.remember({ text: "1", scope: ann });
    const two = await memory.remember({ text: "2", scope: ann, supersedes: [one.id] });
    const three = await memory.remember({ text: "3", scope: ann, supersedes: [two.id] });
    await memory.undo(two.id);
    expect(await current()).toEqual(["3"]);
    await memory.undo(three.id);
    expect(await current()).toEqual(["1"]);
  });

  test("only what is current in the same scope can be superseded", async () => {
    const one = await memory.remember({ text: "1", scope: ann });
    const bob = { user: "bob" };
    await refusedWith(memory.remember({ text: "2", scope: bob, supersedes: [one.id] }), "OPTION_INVALID");
    await memory.remember({ text: "2", scope: ann, supersedes: [one.id] });
    await refusedWith(memory.remember({ text: "3", scope: ann, supersedes: [one.id] }), "OPTION_INVALID");
    expect((await memory.everything({ all: true })).length).toBe(2);
  });

  test("an unknown id is named", async () => {
    const error = await refusedWith(memory.undo("01JNOBODY"), "OPTION_INVALID");
    expect(error.message).toContain("01JNOBODY");
    await refusedWith(memory.forget("01JNOBODY"), "OPTION_INVALID");
    expect(await memory.entry("01JNOBODY")).toBeUndefined();
  });
});

describe("two at once", () => {
  test("another memory over the same directory sees the entries, and both write", async () => {
    const other = await memoryIn(directory);
    const texts = Array.from({ length: 20 }, (_, index) => `fact ${index}`);
    const writers = [memory, other];
    await Promise.all(
      texts.map(async (text, index) => await writers[index % 2]?.remember({ text, scope: ann })),
    );
    await other.close();
    expect((await current()).toSorted()).toEqual(texts.toSorted());
  });

  test("of two that supersede the same entry at the same time one is refused", async () => {
    const other = await memoryIn(directory);
    const { id } = await memory.remember({ text: "old", scope: ann });
    const results = await Promise.allSettled(
      [memory, other].map(
        async (each, index) => await each.remember({ text: `new ${index}`, scope: ann, supersedes: [id] }),
      ),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await other.close();
    expect((await current()).length).toBe(1);
  });

  test("a forgetting in one is seen by the other, and its next entry is not lost", async () => {
    const other = await memoryIn(directory);
    const { id } = await memory.remember({ text: "secret", scope: ann });
    await memory.remember({ text: "kept", scope: ann });
    await memory.close();
    expect(await current(other)).toEqual(["secret", "kept"]);
    memory = await memoryIn(directory);
    await memory.forget(id);
    await other.remember({ text: "later", scope: ann });
    expect(await current(other)).toEqual(["kept", "later"]);
    await other.close();
    expect(await current()).toEqual(["kept", "later"]);
  });
});

test.each([{}, { directory: "" }, { directory: 5 }, { directory: "x", sessions: undefined }, { dir: "x" }])(
  "openMemory refuses %o",
  async (options) => {
    await refusedWith(openMemory(worldOf(nodeHost), options as never), "OPTION_INVALID");
  },
);

test("closing twice is closing; everything else is STORE_CLOSED then", async () => {
  await memory.close();
  await memory.close();
  await refusedWith(memory.remember({ text: "x", scope: ann }), "STORE_CLOSED");
  await refusedWith(memory.entries({ scope: ann }), "STORE_CLOSED");
  await refusedWith(memory.refresh(), "STORE_CLOSED");
});
