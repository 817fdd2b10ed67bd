/** What each older program left, as sessions: messages, times, what was hidden, what did not fit. */

import { readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bytesIn, damagedCopies, namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { copyFixture, migrate, readSessions, sessionOf } from "./support/migration-directory.ts";

let directory: string;
beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});
afterEach(async () => {
  await removeDirectory(directory);
});

const contents = (messages: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
  messages.map(({ content }) => content);

describe("every folder", () => {
  test.each(["picoclaw-json", "picoclaw-jsonl", "odd-bytes", "zeroclaw", "kernel"])(
    "%s: the originals keep their bytes under a new name, and a second run changes nothing",
    async (fixture) => {
      await copyFixture(fixture, directory);
      const before = await bytesIn(directory);
      const { report } = await migrate(directory);
      const after = await bytesIn(directory);
      const moved = new Set(report.migrated.flatMap(({ originals }) => originals.map(({ name }) => name)));
      expect(moved.size).toBeGreaterThan(0);
      for (const [name, bytes] of before)
        expect(after.get(moved.has(name) ? `${name}.migrated` : name)).toBe(bytes);

      const again = await migrate(directory);
      expect(again.report.migrated).toEqual([]);
      // Whoever has forgotten what was looked at before looks at every file again.
      await rm(join(directory, ".longhand/cache"), { recursive: true });
      const forgetful = await migrate(directory);
      expect(forgetful.report.migrated).toEqual([]);
      const withoutCache = (all: Map<string, string>): unknown[] =>
        [...all].filter(([name]) => !name.includes("cache/"));
      expect(withoutCache(await bytesIn(directory))).toEqual(withoutCache(after));
      expect(await namesIn(join(directory, ".longhand/migrating"))).toEqual([]);
    },
  );
});

describe("PicoClaw's whole files", () => {
  beforeEach(async () => {
    await copyFixture("picoclaw-json", directory);
  });

  test("messages, summary, calls paired within their turn, times", async () => {
    await migrate(directory);
    const session = await sessionOf(directory, "matrix:garden");
    expect(session.live).toHaveLength(8);
    expect(session.live[1]?.["toolCalls"]).toEqual([
      { id: "call_0", name: "list_dir", arguments: { path: "seeds" } },
    ]);
    expect([session.live[2]?.["toolCallId"], session.live[6]?.["toolCallId"]]).toEqual(["call_0", "call_0"]);
    expect(session.live[4]?.["content"]).toBe("Add peas & leeks");
    expect(session.state.summary).toBe("Keeps a seed list.");
    expect([session.created, session.state.updated]).toEqual([
      "2026-02-11T03:45:01.987Z",
      "2026-02-11T03:50:40.500Z",
    ]);
    expect(session.origin["given"]).toEqual({
      created: "2026-02-11T09:15:01.987654321+05:30",
      updated: "2026-02-11T09:20:40.5+05:30",
    });
  });

  test("the key is the content's, not the file's; other fields are kept", async () => {
    await migrate(directory);
    const { live } = await sessionOf(directory, "teams:a/b.2");
    expect(live).toEqual([
      { role: "user", content: "请看这张照片", media: ["media://inbound/1c2d.jpg"] },
      { role: "assistant", content: "一只狗。", reasoning: "A dog in it." },
    ]);
  });

  test("no key: the file's name; a zero time: the file's", async () => {
    await utimes(join(directory, "terminal.json"), 0, Date.UTC(2026, 0, 2) / 1000);
    await migrate(directory);
    const session = await sessionOf(directory, "terminal");
    expect(session.messages).toEqual([]);
    expect([session.created, session.state.updated]).toEqual([
      "2026-01-02T00:00:00.000Z",
      "2026-01-02T00:00:00.000Z",
    ]);
  });

  test("an old key that ends in .meta is a session too (seed fault 7)", async () => {
    await migrate(directory);
    expect(contents((await sessionOf(directory, "notes.meta")).live)).toEqual(["my key ends oddly"]);
  });

  test("what is no session stays, and is named", async () => {
    const { report, damage } = await migrate(directory);
    const kinds = Object.fromEntries(report.leftAlone.map(({ name, kind }) => [name, kind]));
    expect(kinds).toEqual({
      "before.json.migrated": "already-migrated",
      "cut_short.json": "similar",
      "empty.json": "not-a-session",
      "junk.json": "not-a-session",
      "list.json": "not-a-session",
    });
    // It is not our file, so it is not our damage.
    expect(damage).toEqual([]);
    expect((await readSessions(directory)).size).toBe(4);
    // Remembered, and still told by the next migration.
    const again = Object.fromEntries(
      (await migrate(directory)).report.leftAlone.map(({ name, kind }) => [name, kind]),
    );
    expect(again).toMatchObject(kinds);
  });
});

describe("PicoClaw's lines", () => {
  beforeEach(async () => {
    await copyFixture("picoclaw-jsonl", directory);
  });

  test("aliases, scope, nanoseconds and the model are kept", async () => {
    await migrate(directory);
    const key = `sk_v1_${"ab12".repeat(16)}`;
    const session = await sessionOf(directory, key);
    expect(session.live).toHaveLength(4);
    expect(session.live[1]).toMatchObject({
      model: "tiny-1",
      created_at: "2026-04-03T07:01:00.100200301+02:00",
      toolCalls: [{ id: "call_a1" }],
    });
    expect(session.live[2]?.["content"]).toBe("- <b>");
    expect(session.entries[1]?.at).toBe("2026-04-03T05:01:00.100Z");
    expect(session.origin).toMatchObject({
      format: "picoclaw-jsonl",
      given: { aliases: ["agent:main:main", "agent:main:telegram:direct:7"], scope: { agent_id: "main" } },
    });
    // The new file has the very name of its original.
    expect(await namesIn(directory)).toEqual(
      expect.arrayContaining([`${key}.jsonl`, `${key}.jsonl.migrated`, `${key}.meta.json.migrated`]),
    );
  });

  test("skip counts raw lines, bad ones too; what it hides stays in the log", async () => {
    const { damage } = await migrate(directory);
    const session = await sessionOf(directory, "agent:main:room:5");
    expect(contents(session.live)).toEqual(["run both", "", "a", "b", "Both ran."]);
    expect(contents(session.messages).slice(0, 3)).toEqual(["old 1", "old 2", "old 3"]);
    expect(session.state.summary).toBe("Earlier: three lines.");
    expect(damage.find(({ key }) => key === "agent:main:room:5")).toMatchObject({
      reason: "not valid JSON",
      kind: "corrupt",
    });
  });

  test("a skip beyond the end hides everything; a wrong count is said", async () => {
    await migrate(directory);
    const session = await sessionOf(directory, "edge:hidden");
    expect([session.messages.length, session.live.length, session.state.summary]).toEqual([
      2,
      0,
      "All of it.",
    ]);
    expect(session.origin["remarks"]).toEqual(["its count says 1 lines, there are more"]);
  });

  test("bad lines are named by line and offset, kept aside, and the rest is there", async () => {
    const { report, damage } = await migrate(directory);
    const bytes = await readFile(join(directory, "torn.jsonl.migrated"));
    expect(contents((await sessionOf(directory, "edge:torn")).live)).toEqual(["first", "second"]);
    const untaken = report.migrated.find(({ key }) => key === "edge:torn")?.untaken ?? [];
    expect(untaken.map(({ line, kind }) => [line, kind])).toEqual([
      [2, "corrupt"],
      [4, "torn"],
    ]);
    const places = damage.filter(({ key }) => key === "edge:torn").map(({ offset }) => offset);
    expect(places).toEqual([bytes.indexOf("not json"), bytes.lastIndexOf('{"role"')]);
    const copies = await damagedCopies(directory);
    expect(copies.get(`torn.jsonl.${places[0]}`)).toBe("not json at all");
    expect(copies.get(`torn.jsonl.${places[1]}`)).toBe('{"role":"user","content":"third mess');
  });

  test("thoughts and orphans are kept", async () => {
    await migrate(directory);
    const session = await sessionOf(directory, "edge:thoughts");
    expect(session.live).toHaveLength(5);
    expect(session.live[2]).toMatchObject({ role: "assistant", content: "", reasoning: "hm" });
  });

  test("a missing or damaged sidecar: the file's name is the key, and it is said", async () => {
    await migrate(directory);
    expect((await sessionOf(directory, "alone")).live).toHaveLength(2);
    const damaged = await sessionOf(directory, "damaged_meta");
    expect(damaged.live).toHaveLength(1);
    expect(damaged.origin["remarks"]).toEqual([
      expect.stringContaining("damaged_meta.meta.json says nothing"),
    ]);
    expect(await namesIn(directory)).toContain("damaged_meta.meta.json.migrated");
  });

  test("a sidecar without lines is a session without messages", async () => {
    await migrate(directory);
    const session = await sessionOf(directory, "only:meta");
    expect([session.messages.length, session.state.summary]).toEqual([0, "Just this."]);
  });
});

test("marks, CR, NULs, glued and torn lines, bad bytes, other roles, long numbers, zero times", async () => {
  await copyFixture("odd-bytes", directory);
  const { report, damage } = await migrate(directory);
  const session = await sessionOf(directory, "odd");
  expect(contents(session.live)).toEqual([
    "with a mark",
    "one",
    "two",
    "behind NULs",
    'glued {"role":"user"}',
    "",
    "last, no newline",
  ]);
  expect(session.live[5]).toMatchObject({ big: "123456789012345678901", original_name: null });
  const times = session.entries.filter(({ body }) => body.op === "message").map(({ at }) => at.slice(14, 16));
  expect(times).toEqual(["00", "01", "02", "03", "05", "05", "05"]);
  expect(report.migrated[0]?.untaken.map(({ line, reason }) => [line, reason])).toEqual([
    [5, "NUL bytes"],
    [6, "filled with NUL bytes"],
    [7, "not valid UTF-8"],
    [8, "not valid UTF-8"],
    [9, "not an object"],
    [10, 'no message: it has the role "developer"'],
  ]);
  expect(damage).toHaveLength(6);
  // Another role keeps its words and its place.
  const note = session.entries.find(({ body }) => body.op === "note" && body.kind === "migrated-line");
  expect(note?.body).toMatchObject({ json: '{"role":"developer","content":"another role"}' });
});

describe("ZeroClaw", () => {
  beforeEach(async () => {
    await copyFixture("zeroclaw", directory);
  });

  test("plain lines; times are the file's", async () => {
    const time = Date.UTC(2026, 5, 1);
    await utimes(join(directory, "telegram_bea.jsonl"), time / 1000, time / 1000);
    await migrate(directory);
    const session = await sessionOf(directory, "telegram_bea");
    expect(session.live).toHaveLength(4);
    expect(new Set(session.entries.map(({ at }) => at))).toEqual(new Set(["2026-06-01T00:00:00.000Z"]));
    expect(session.origin["format"]).toBe("zeroclaw-jsonl");
  });

  test("calls and results in the text become calls and results, where the shape fits wholly", async () => {
    await migrate(directory);
    const { live } = await sessionOf(directory, "slack_main_C9_U1");
    expect(live[1]).toMatchObject({
      content: "Listing.",
      toolCalls: [{ id: "toolu_9", name: "shell", arguments: { command: "ls" } }],
      originalContent: expect.stringContaining("tool_calls") as unknown,
    });
    expect(live[2]).toMatchObject({ role: "tool", content: "a\nb", toolCallId: "toolu_9" });
    // What a person types, and what has more in it, stays text.
    expect(live[4]).toEqual({ role: "user", content: '{"tool_call_id": "typed", "content": "by a person"}' });
    expect(live[5]).not.toHaveProperty("toolCalls");
  });

  test("an open turn is not closed, an empty file is no session, bad lines are named", async () => {
    const { report } = await migrate(directory);
    expect((await sessionOf(directory, "open_turn")).live).toHaveLength(3);
    expect(report.leftAlone.find(({ name }) => name === "cleared.jsonl")?.kind).toBe("not-a-session");
    expect(contents((await sessionOf(directory, "bad_lines")).live)).toEqual(["hello", "world"]);
    const bad = report.migrated.find(({ key }) => key === "bad_lines");
    expect(bad?.untaken.map(({ line }) => line)).toEqual([2, 4]);
    expect((await sessionOf(directory, "state")).live).toHaveLength(3);
    expect(await namesIn(directory)).toContain("half.jsonl.importing");
  });
});

describe("the micro-kernel", () => {
  beforeEach(async () => {
    await copyFixture("kernel", directory);
  });

  test("active, archived, torn", async () => {
    const { report } = await migrate(directory);
    const places = [...(await readSessions(directory))].map(([name, { key }]) => [
      key,
      name.startsWith("archive/"),
    ]);
    expect(places.sort()).toEqual([
      ["both", false],
      ["run-0", true],
      ["run-1", false],
      ["torn", false],
    ]);
    expect((await sessionOf(directory, "run-0")).live).toHaveLength(4);
    expect((await sessionOf(directory, "run-1")).state.updated).toBe("2026-04-10T10:00:02.000Z");
    expect(contents((await sessionOf(directory, "torn")).live)).toEqual(["one"]);
    expect(report.migrated.find(({ key }) => key === "torn")?.untaken).toMatchObject([
      { line: 2, kind: "torn" },
    ]);
  });

  test("saved again after it was archived: one session, the archive first (seed fault 24)", async () => {
    await migrate(directory);
    expect(contents((await sessionOf(directory, "both")).live)).toEqual(["before", "after"]);
    expect(await namesIn(directory)).toEqual(
      expect.arrayContaining(["both.jsonl.archived.migrated", "both.jsonl.migrated"]),
    );
  });
});
