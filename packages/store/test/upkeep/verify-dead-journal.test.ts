/** What verify and a reader say of a store while the journal of a dead writer remains, and whether that is so after its recovery. */

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeEntry } from "../../src/format/encode.ts";
import type { Damage, VerifyReport } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { copyOfDeadStore, linesOf } from "../support/dead-store.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let root: string;
let directory: string;
let path: string;

const CONTENTS = ["1", "2", "3", "4", "5", "6"];

beforeEach(async () => {
  root = await makeTemporaryDirectory();
  directory = join(root, "dead");
  path = join(directory, "a.jsonl");
  await copyOfDeadStore(join(root, "open"), directory, async (store) => {
    for (const content of CONTENTS) await store.session("a").append(user(content));
    await store.session("b").append(user("hello"));
    // Its records are applied when it is read.
    expect(await contentsOf(store.session("a"))).toEqual(CONTENTS);
    await expect
      .poll(async () => (await readFile(join(root, "open/a.jsonl"), "utf8")).includes('"6"'))
      .toBe(true);
  });
});

afterEach(async () => {
  await removeDirectory(root);
});

async function edit(change: (lines: string[]) => readonly string[]): Promise<void> {
  const lines = linesOf(await readFile(path, "utf8"));
  await writeFile(path, `${change(lines).join("\n")}\n`);
}

async function verify(keys?: readonly string[]): Promise<{ report: VerifyReport; read: readonly Damage[] }> {
  const { store, damage } = await openCollecting(directory, { readOnly: true });
  const report = await store.verify(keys === undefined ? {} : { keys });
  if (await store.session("a").exists()) await contentsOf(store.session("a"));
  await store.close();
  return { report, read: damage };
}

const reasonsOf = (damage: readonly Damage[]): string[] => damage.map(({ reason }) => reason);

describe("a line was copied, and the records behind it are at other positions", () => {
  const copied = "seq 2 after seq 2: a copy, or out of order";

  beforeEach(async () => {
    await edit((lines) => lines.toSpliced(3, 0, lines[2] ?? ""));
  });

  test("the copy is reported, and no record, since all are served", async () => {
    const { report, read } = await verify();
    expect(reasonsOf(report.damage)).toEqual([copied]);
    expect(reasonsOf(read)).toEqual([copied]);
    expect(report.records).toBe(CONTENTS.length + 1);
  });

  test("the same is said before and after the recovery", async () => {
    const before = await verify();
    const { store } = await openCollecting(directory);
    await store.session("c").append(user("recovers"));
    await store.close();
    expect(reasonsOf((await verify()).report.damage)).toEqual(reasonsOf(before.report.damage));
  });
});

const otherMessage = { op: "message", json: JSON.stringify(user("another history")) } as const;

test("of records that do not fit only those are named that are not in the file", async () => {
  // An older file was put back and went on: seq 4 is its own, 5 and 6 are the dead writer's.
  await edit((lines) => {
    const { id } = JSON.parse(lines[0] ?? "") as { id: string };
    const own = encodeEntry({ seq: 4, at: "2026-11-18T10:00:00.000Z", body: otherMessage }, id).toString();
    return [...lines.slice(0, 4), own.trimEnd(), ...lines.slice(5)];
  });
  const { report } = await verify();
  const strays = reasonsOf(report.damage).filter((reason) => reason.includes("journal"));
  expect(strays).toEqual([expect.stringMatching(/^1 record \(seq 4\) that a dead process has acknowledged/)]);
});

test("what to do about records that no repair puts back never touches the session's file, and names the kept one", async () => {
  await edit((lines) => {
    const { id } = JSON.parse(lines[0] ?? "") as { id: string };
    const own = encodeEntry({ seq: 4, at: "2026-11-18T10:00:00.000Z", body: otherMessage }, id).toString();
    return [...lines.slice(0, 4), own.trimEnd()];
  });
  const leftOf = async (): Promise<string> => (await verify()).report.damage[0]?.left ?? "";
  // The damage is one of the session's file here: nothing may say "move this file".
  expect(await leftOf()).toMatch(
    /put the right file back before .* the copy that the next writer makes of them$/,
  );
  const { store } = await openCollecting(directory);
  await store.session("c").append(user("recovers"));
  await store.close();
  const damaged = join(directory, ".longhand", "damaged");
  const [kept = ""] = (await readdir(damaged)).filter((name) => name.endsWith(".records"));
  expect(await leftOf()).toContain(
    `take what you need from ${join(damaged, kept)} and move that out of the store`,
  );
});

describe("with keys, for reading only", () => {
  test("records whose session has no file are reported for its key, and for no other", async () => {
    await rm(path);
    const all = (await verify()).report.damage;
    expect(all).toHaveLength(1);
    expect((await verify(["a"])).report.damage).toEqual(all);
    expect((await verify(["b"])).report.damage).toEqual([]);
  });

  test("a damaged journal is reported for every key, with what to do: it may have held records of each", async () => {
    const journals = join(directory, ".longhand/journal");
    const name = (await readdir(journals)).find((each) => each.endsWith(".journal")) ?? "";
    const bytes = await readFile(join(journals, name));
    bytes.write("!!!!", bytes.indexOf('"content":"3"'));
    await writeFile(join(journals, name), bytes);
    const [whole] = (await verify()).report.damage;
    expect(whole?.reason).toMatch(/^block \d+ is damaged/);
    for (const key of ["a", "b"]) {
      const { damage } = (await verify([key])).report;
      expect(damage).toEqual([
        { ...whole, left: expect.stringContaining("repair the whole store") as string },
      ]);
    }
  });
});

describe("the session's header is damaged", () => {
  const KEPT = ["1", "2", "3"];

  /** What verify says before the recovery and after it, and what a repair makes of it. */
  async function reports(spoil: (bytes: Buffer) => void): Promise<Record<string, readonly Damage[]>> {
    // The last three are in the journal alone.
    const lines = linesOf(await readFile(path, "utf8"));
    const bytes = Buffer.from(`${lines.slice(0, KEPT.length + 1).join("\n")}\n`);
    spoil(bytes);
    await writeFile(path, bytes);
    const reader = await openCollecting(directory, { readOnly: true });
    const before = (await reader.store.verify()).damage;
    const ofKey = (await reader.store.verify({ keys: ["a"] })).damage;
    await reader.store.close();
    const { store } = await openCollecting(directory);
    const after = (await store.verify()).damage;
    const repair = (await store.repair()).damage;
    await store.close();
    return { before, ofKey, after, repair };
  }
  const records = matching(/\(seq 1 to 6\)/);

  test.each([
    ["in one bit", (bytes: Buffer) => void (bytes[20] = (bytes[20] ?? 0) ^ 1)],
    ["in its checksum", (bytes: Buffer) => void bytes.write("zz", bytes.indexOf('"crc":"') + 7)],
  ])("%s: the journal's records are named, and a repair mends it and puts them back", async (_, spoil) => {
    const header = { file: path, offset: 0 };
    const { before, ofKey, after, repair } = await reports(spoil);
    for (const damage of [before, ofKey, after, repair]) {
      expect(damage).toMatchObject([header, { reason: records }]);
      expect(damage?.map(({ left }) => left)).toEqual([undefined, undefined]);
    }
    const { store } = await openCollecting(directory);
    expect(await contentsOf(store.session("a"))).toEqual(CONTENTS);
    expect((await store.verify()).damage).toEqual([]);
    await store.close();
  });

  test("beyond repair: they are named, and what is to be done", async () => {
    const { before, ofKey, after, repair } = await reports((bytes) => void bytes.fill("?", 0, 90));
    for (const damage of [before, ofKey, after, repair])
      expect(damage).toMatchObject([
        { file: path, offset: 0, left: matching(/backup/) },
        { reason: records, left: matching(/put (it|the session's file) back/) },
      ]);
  });
});

function matching(pattern: RegExp): string {
  return expect.stringMatching(pattern) as string;
}
