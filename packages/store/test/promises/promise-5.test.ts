/** No mixing: neither do two keys share a history, nor an old and a new session of one key. */

import { appendFile, copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { fileNameOf } from "../../src/format/key.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { damagedCopies, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
  await mkdir(directory, { mode: 0o700 });
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(parent);
});

async function write(where: string, key: string, ...contents: readonly string[]): Promise<string> {
  const store = await openStore(where);
  for (const content of contents) await store.session(key).append(user(content));
  const id = (await store.session(key).state())?.id ?? "";
  await store.close();
  return id;
}

describe("promise 5: no mixing", () => {
  test("a line of one session, copied into the file of another, fails its checksum there", async () => {
    await write(directory, "anna", "hello", "anna's secret");
    await write(directory, "bert", "hello");
    const line = (await readFile(sessionFile(directory, "anna"), "utf8")).split("\n")[2];
    await appendFile(sessionFile(directory, "bert"), `${line ?? ""}\n`);
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session("bert"))).toEqual(["hello"]);
    expect(damage).toMatchObject([{ key: "bert", kind: "corrupt", reason: "checksum mismatch" }]);
    expect(await store.session("bert").append(user("more"))).toEqual({ seq: 3 });
    expect(await store.search("secret")).toMatchObject([{ key: "anna" }]);
    await store.close();
  });

  test("control: copied into the file it came from, the same kind of line is known to be good", async () => {
    await write(directory, "anna", "hello", "again");
    const path = sessionFile(directory, "anna");
    const line = (await readFile(path, "utf8")).split("\n")[2];
    await appendFile(path, `${line ?? ""}\n`);
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session("anna"))).toEqual(["hello", "again"]);
    expect(damage).toMatchObject([{ reason: "seq 2 after seq 2: a copy, or out of order" }]);
    await store.close();
  });

  test("a whole file under another key's name is refused, and listed under neither", async () => {
    await write(directory, "anna", "anna's secret");
    await copyFile(sessionFile(directory, "anna"), sessionFile(directory, "bert"));
    const { store, damage } = await openCollecting(directory);
    const refusal = { code: "SESSION_DAMAGED", detail: { key: "bert", keyInFile: "anna" } };
    await expect(store.session("bert").messages()).rejects.toMatchObject(refusal);
    await expect(store.session("bert").append(user("x"))).rejects.toMatchObject(refusal);
    const listed: string[] = [];
    for await (const { key } of store.list()) listed.push(key);
    expect(listed).toEqual(["anna"]);
    expect(damage).toMatchObject([{ file: sessionFile(directory, "bert") }]);
    await store.close();
  });

  /** A writer that has acknowledged a message, has not landed it, and is dead. */
  async function dieWithUnapplied(key: string, content: string): Promise<void> {
    const writer = new ChildProcess("hold-store", directory, "no-landing");
    await writer.printed(1);
    expect(await writer.ask(`append ${key} ${content}`)).toBe('{"seq":1}');
    await writer.kill();
  }

  test("what the journal holds of a session deleted by hand does not come back in a new one of its key", async () => {
    await dieWithUnapplied("anna", "old secret");
    await rm(sessionFile(directory, "anna"));
    const { store, damage } = await openCollecting(directory);
    expect(await store.session("anna").exists()).toBe(false);
    expect(await store.session("anna").append(user("new"))).toEqual({ seq: 1 });
    await store.close();
    expect(damage).toMatchObject([
      { kind: "corrupt", reason: expect.stringContaining("anna.jsonl") as string },
    ]);
    // It was acknowledged, so it is kept, but aside.
    const [copy, ...others] = (await damagedCopies(directory)).values();
    expect(others).toEqual([]);
    expect(copy).toContain("old secret");
    const again = await openCollecting(directory);
    expect(await contentsOf(again.store.session("anna"))).toEqual(["new"]);
    expect(again.damage).toEqual([]);
    await again.store.close();
  });

  test.each([true, false])(
    "nor if the new one is there before the journal is replayed (readOnly: %s)",
    async (readOnly) => {
      await dieWithUnapplied("anna", "old secret");
      const elsewhere = join(parent, "e");
      const id = await write(elsewhere, "anna", "new one", "new two");
      await copyFile(sessionFile(elsewhere, "anna"), sessionFile(directory, "anna"));
      const { store } = await openCollecting(directory, { readOnly });
      expect(await contentsOf(store.session("anna"))).toEqual(["new one", "new two"]);
      expect((await store.session("anna").state())?.id).toBe(id);
      await store.close();
      expect(await readFile(sessionFile(directory, "anna"))).toEqual(
        await readFile(sessionFile(elsewhere, "anna")),
      );
    },
  );

  test("control: with the old file in place, the same journal does bring its message back", async () => {
    await dieWithUnapplied("anna", "old secret");
    const { store } = await openCollecting(directory);
    expect(await contentsOf(store.session("anna"))).toEqual(["old secret"]);
    await store.close();
  });

  test("no two keys have one file name, on no file system", () => {
    const key = fc
      .oneof(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
        fc.string({
          unit: fc.constantFrom("a", "A", "_", ":", "-", ".", "é", "e\u0301", "ß", "K"),
          minLength: 1,
        }),
        fc.constantFrom("con", "CON", "nul", "com1", "..", "a".repeat(80), "a".repeat(81)),
      )
      .filter((text) => text.isWellFormed() && !text.includes("\0"));
    const asSeen = (each: string): string => fileNameOf(each).normalize("NFC").toLowerCase().toUpperCase();
    fc.assert(
      fc.property(key, key, (one, other) => {
        fc.pre(one !== other);
        expect(asSeen(one)).not.toBe(asSeen(other));
        expect(fileNameOf(one)).toMatch(/^[a-z0-9_][a-z0-9_~-]*\.jsonl$/);
      }),
      { numRuns: 2000 },
    );
  });
});
