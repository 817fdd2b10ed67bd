/** The format on disk does not drift: the golden files are written and read the same, by us and by a stranger. */

import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordsOf } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { usedBytes } from "../support/simulated-store.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { fileNameOf, layOver, readJournal, readSession, type ReadSession } from "./independent-reader.ts";
import { KEY, writeGoldenStore } from "./write-golden-store.ts";

type GoldenFile = "crashed.jsonl" | "expected.jsonl" | (typeof JOURNALS)[number];

const golden = (name: GoldenFile): string => fileURLToPath(new URL(name, import.meta.url));

const JOURNALS = [
  "crashed.journal",
  "crashed-without-owner.journal",
  "crashed-without-after.journal",
] as const;
/** Whose journals they are. */
const INSTANCE = "01M7GARMG0CHJ68S34CHJ68S34";

const LIVE = [
  { role: "user", content: "from the start" },
  { role: "user", content: "again" },
  { role: "user", content: "not landed" },
  { role: "user", content: "nor this" },
];
const ID = "01M7GANKT8040G2081040G2081";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

test("the golden store is written anew, byte for byte", async () => {
  const { crashedSession, crashedJournal, recoveredSession } = await writeGoldenStore();
  expect(crashedSession.toString()).toBe(await readFile(golden("crashed.jsonl"), "utf8"));
  expect(usedBytes(crashedJournal).toString()).toBe(await readFile(golden("crashed.journal"), "utf8"));
  expect(recoveredSession.toString()).toBe(await readFile(golden("expected.jsonl"), "utf8"));
});

describe("a reader written from the page alone", () => {
  function expectGolden(session: ReadSession): void {
    expect(session.header).toEqual({ longhand: 1, key: KEY, id: ID, at: "2026-11-15T19:24:13.000Z" });
    expect(session.records.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 22 }, (_, index) => index + 1),
    );
    expect(session.messages).toEqual(LIVE);
    expect(session).toMatchObject({
      count: 4,
      summary: "Begun again.",
      title: "A file",
      tags: ["work", "größe"],
    });
    expect(session.corrupt).toBe(0);
  }

  test("gets the session from its file", async () => {
    expectGolden(readSession(await readFile(golden("expected.jsonl"))));
  });

  test.each(JOURNALS)("gets the same after a crash, from the file and %s", async (journal) => {
    const file = await readFile(golden("crashed.jsonl"));
    const places = readJournal(await readFile(golden(journal)));
    expect(places.map(({ name, file: number }) => [name, number])).toEqual(
      Array(3).fill([fileNameOf(KEY), 0]),
    );
    expect(readSession(file).records).toHaveLength(18);
    const whole = layOver(file, places, ID);
    expectGolden(readSession(whole));
    expect(whole).toEqual(await readFile(golden("expected.jsonl")));
  });

  test("finds the view right after every single record, as the store does", async () => {
    const lines = (await readFile(golden("expected.jsonl"), "utf8")).split("\n").slice(0, -1);
    const path = join(directory, fileNameOf(KEY));
    for (let length = 1; length <= lines.length; length++) {
      const text = `${lines.slice(0, length).join("\n")}\n`;
      await writeFile(path, text);
      const { store, damage } = await openCollecting(directory, { readOnly: true });
      const session = store.session(KEY);
      const { messages, count, summary, title, tags } = readSession(Buffer.from(text));
      expect({ length, messages: await session.messages() }).toEqual({ length, messages });
      const state = await session.state();
      expect([state?.count, state?.summary, state?.title, state?.tags]).toEqual([
        count,
        summary,
        title,
        tags,
      ]);
      // In the middle of a batch its first lines are named as what they are; otherwise nothing is wrong.
      const [, index, size] = /"batch":\[(\d+),(\d+)\]/.exec(lines[length - 1] ?? "") ?? [];
      expect(damage.map(({ reason }) => reason)).toEqual(index === size ? [] : ["an unfinished batch"]);
      await store.close();
    }
  });

  test("finds a changed byte: its checksum is one", async () => {
    const bytes = await readFile(golden("expected.jsonl"));
    const at = bytes.indexOf("from the start");
    bytes.write("F", at);
    expect(readSession(bytes)).toMatchObject({ corrupt: 1, messages: LIVE.slice(1) });
  });
});

test.each(JOURNALS)("the store recovers what had not landed from %s", async (journal) => {
  const path = join(directory, fileNameOf(KEY));
  await copyFile(golden("crashed.jsonl"), path);
  await mkdir(join(directory, ".longhand", "journal"), { recursive: true, mode: 0o700 });
  await copyFile(golden(journal), join(directory, ".longhand", "journal", `${INSTANCE}.journal`));
  // It was written on another machine, as far as can be told, or by an unknown process: its death has to be declared.
  await writeFile(join(directory, ".longhand", "journal", `${INSTANCE}.fence`), "");
  for (const readOnly of [true, false]) {
    const { store, damage } = await openCollecting(directory, { readOnly });
    expect(await store.session(KEY).messages()).toEqual(LIVE);
    expect(damage).toEqual([]);
    await store.close();
  }
  expect(await readFile(path)).toEqual(await readFile(golden("expected.jsonl")));
});

test("the store reads the golden file: the messages, the state, and what a newer version has added", async () => {
  await copyFile(golden("expected.jsonl"), join(directory, fileNameOf(KEY)));
  const { store, damage } = await openCollecting(directory);
  const session = store.session(KEY);
  expect(await session.messages()).toEqual(LIVE);
  expect(await session.state()).toMatchObject({
    ...{
      key: KEY,
      id: ID,
      seq: 22,
      count: 4,
      summary: "Begun again.",
      title: "A file",
      tags: ["work", "größe"],
    },
    ...{ created: "2026-11-15T19:24:13.000Z", updated: "2026-11-15T19:25:55.000Z", damaged: 0 },
  });
  const records = await recordsOf(session);
  expect(records.map(({ op }) => op ?? "message")).toEqual([
    ...["message", "message", "message", "message", "meta", "meta", "note", "summary", "message", "truncate"],
    ...["compact", "rewind", "message", "rewind", "reset", "message", "message", "unknown"],
    ...["message", "message", "message", "rewind"],
  ]);
  expect(records[17]).toMatchObject({
    seq: 18,
    op: "unknown",
    raw: expect.stringContaining('"op":"reaction"') as string,
  });
  expect(records[0]).toMatchObject({ message: { content: 'Grüße! 🙂 "quoted" \\ tab\t newline\n 名前' } });
  expect(damage).toEqual([]);
  // It is kept as it is when the session is written to.
  await session.append({ role: "user", content: "more" });
  await store.close();
  const written = await readFile(join(directory, fileNameOf(KEY)), "utf8");
  expect(written.startsWith(await readFile(golden("expected.jsonl"), "utf8"))).toBe(true);
});
