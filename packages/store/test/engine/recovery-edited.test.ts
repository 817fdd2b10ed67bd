/** A writer is killed, its session's file is edited line by line, and the store is opened again: nothing that the journal or the file has is lost. */

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { damagedCopies, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const WORDS = ["one", "two", "thr", "for", "fiv"];

let directory: string;
let path: string;

beforeEach(async () => {
  directory = join(await makeTemporaryDirectory(), "store");
  path = sessionFile(directory, "k");
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(join(directory, ".."));
});

/** The first so many words are in the file only, the others in the journal of a killed writer too. */
async function crash(unjournaled = 1): Promise<void> {
  const { store } = await openCollecting(directory);
  for (const word of WORDS.slice(0, unjournaled)) await store.session("k").append(user(word));
  await store.close();
  const writer = new ChildProcess("hold-store", directory);
  await writer.printed(1);
  for (const word of WORDS.slice(unjournaled)) await writer.ask(`append k ${word}`);
  await vi.waitFor(async () => expect(await readFile(path, "utf8")).toContain("fiv"));
  await writer.kill();
}

/** The lines of the session's file, the header first. */
async function edit(change: (lines: readonly string[]) => readonly string[]): Promise<void> {
  const lines = (await readFile(path, "utf8")).split(/(?<=\n)/);
  await writeFile(path, change(lines).join(""));
}

async function readOnlyPlan(): Promise<{ readonly mendable: number; readonly left: number }> {
  const { store } = await openCollecting(directory, { readOnly: true });
  const { damage } = await store.verify();
  await store.close();
  const left = damage.filter((each) => each.left !== undefined).length;
  return { mendable: damage.length - left, left };
}

/** What a reader without recovery sees, and what a repair leaves: the plan of the one is what the other does. */
async function expectMended(contents: readonly string[] = WORDS): Promise<void> {
  const plan = await readOnlyPlan();
  const { store } = await openCollecting(directory);
  const report = await store.repair();
  const left = report.damage.filter((each) => each.left !== undefined).length;
  expect({ mendable: report.damage.length - left, left }).toEqual(plan);
  expect(report.lost ?? []).toHaveLength(WORDS.length - contents.length);
  expect(await contentsOf(store.session("k"))).toEqual(contents);
  expect((await store.verify()).damage).toEqual([]);
  expect(await store.session("k").append(user("next"))).toEqual({ seq: WORDS.length + 1 });
  await store.close();
}

describe("the journal has every line from the edit on", () => {
  const edits: readonly (readonly [string, (lines: readonly string[]) => readonly string[]])[] = [
    ["a newline is removed", (lines) => lines.with(2, lines[2]?.trimEnd() ?? "")],
    ["a line is removed", (lines) => lines.toSpliced(3, 1)],
    ["two lines are swapped", (lines) => lines.with(2, lines[4] ?? "").with(4, lines[2] ?? "")],
  ];

  test.each(edits)("%s: the recovery puts each line back to its position", async (_, change) => {
    await crash();
    const before = await readFile(path, "utf8");
    await edit(change);
    const reader = await openCollecting(directory, { readOnly: true });
    expect(await contentsOf(reader.store.session("k"))).toEqual(WORDS);
    expect((await reader.store.verify()).damage).toEqual([]);
    await reader.store.close();
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session("k"))).toEqual(WORDS);
    expect(damage).toEqual([]);
    await store.close();
    expect(await readFile(path, "utf8")).toBe(before);
    expect(await damagedCopies(directory)).toEqual(new Map());
    await expectMended();
  });
});

describe("a line that no journal has stands where the journal's records go", () => {
  test("it is not written over, and a repair puts the record back from what was kept aside", async () => {
    await crash(2);
    await edit((lines) => lines.with(3, lines[1] ?? ""));
    await expectMended();
  });

  test("a record that is glued to another is not written over", async () => {
    await crash(3);
    await edit((lines) => [...lines.slice(0, 3), (lines[2] ?? "").trimEnd(), lines[3] ?? ""]);
    await expectMended();
  });

  test("the seqs of the records behind it are not given again before the repair", async () => {
    await crash(3);
    await edit((lines) => [...lines.slice(0, 4), lines[1] ?? ""]);
    const { store } = await openCollecting(directory);
    await expect(store.session("k").append(user("other"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    await store.close();
    await expectMended();
  });

  test("nor are they if the record before them is glued in front of an earlier one, and does not count before the repair", async () => {
    await crash(3);
    await edit((lines) => [...lines.slice(0, 2), (lines[3] ?? "").trimEnd(), lines[2] ?? ""]);
    const { store } = await openCollecting(directory);
    await expect(store.session("k").append(user("other"))).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    await store.close();
    await expectMended();
  });
});

test("lines that were moved by a copy are in the file: nothing is reported of the journal, and one place is mended", async () => {
  await crash(2);
  await edit((lines) => lines.toSpliced(3, 0, lines[1] ?? ""));
  expect(await readOnlyPlan()).toEqual({ mendable: 1, left: 0 });
  await expectMended();
});

test("a record that a sealed file has lost, and only the journal still has, is put back", async () => {
  const { store } = await openCollecting(directory);
  await store.session("k").append(user("one"));
  await store.close();
  const writer = new ChildProcess("hold-store", directory);
  await writer.printed(1);
  for (const word of WORDS.slice(1, 4)) await writer.ask(`append k ${word}`);
  await writer.ask("seal k");
  await writer.ask("append k fiv");
  await writer.kill();
  const segments = join(directory, "segments");
  const [id = ""] = await readdir(segments);
  const packed = join(segments, id, "0.jsonl.gz");
  const lines = gunzipSync(await readFile(packed))
    .toString()
    .split(/(?<=\n)/);
  await rm(packed);
  await writeFile(join(segments, id, "0.jsonl"), lines.with(3, lines[1] ?? "").join(""));
  await expectMended();
});

test("kept records that the session has are not reported when their file is sealed", async () => {
  await crash(2);
  await edit((lines) => lines.toSpliced(3, 0, lines[1] ?? ""));
  const { store } = await openCollecting(directory);
  expect([...(await damagedCopies(directory)).keys()]).toMatchObject([expect.stringMatching(/\.records$/)]);
  await store.repair();
  await store.reclaim({ seal: true });
  expect((await store.verify()).damage).toEqual([]);
  expect(await contentsOf(store.session("k"))).toEqual(WORDS);
  await store.close();
});
