import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MigrationPlan, PlannedSession } from "@longhand/store";
import { writePlan } from "../../src/commands/migrate.ts";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines } from "../support/with-home.ts";
import { fakeSurroundings } from "../support/with-memory.ts";

const session: PlannedSession = {
  id: "01A",
  status: "active",
  putAside: undefined,
  format: "zeroclaw-jsonl",
  key: "telegram_alice",
  wasArchived: false,
  originals: [{ name: "telegram_alice.jsonl", holds: "lines", size: 1, modified: 0, sha256: "" }],
  messages: 3,
  hidden: 0,
  summary: "",
  created: "",
  updated: "",
  ownId: undefined,
  skip: 0,
  given: {},
  untaken: [],
  remarks: [],
};
const plan: MigrationPlan = {
  directory: "/s",
  sessions: [],
  leftAlone: [],
  lookedAt: { ours: [], left: [] },
};

function written(given: Partial<MigrationPlan>, isDryRun: boolean): string {
  const surroundings = fakeSurroundings();
  writePlan({ ...plan, ...given }, isDryRun, surroundings);
  return surroundings.output.printed.join("");
}

describe("a migration, in words", () => {
  test("of nothing", () => {
    expect(written({}, true)).toBe("There is nothing to migrate in /s.\n");
  });

  test("is a table of what becomes of each source", () => {
    const other: PlannedSession = {
      ...session,
      key: "old\u001b",
      status: "archived",
      putAside: "telegram_alice is newer",
      messages: 4,
      hidden: 2,
      summary: "s",
      remarks: ["its meta file is damaged"],
    };
    const text = written({ sessions: [session, other] }, true);
    expect(text).toMatch(/^SOURCE\tFORMAT\tKEY\tMESSAGES\tNOTES\n/);
    expect(text).toContain("telegram_alice.jsonl\tzeroclaw-jsonl\ttelegram_alice\t3\t\n");
    expect(text).toContain(
      "\told\\x1b\t4\tarchived, since telegram_alice is newer; 2 messages cut from the view; has a summary; its meta file is damaged\n",
    );
    expect(text).toContain("2 sessions with 7 messages would be taken over. To do it: longhand migrate\n");
    expect(written({ sessions: [session] }, false)).toContain("taken over; the originals are there still");
  });

  test("names every line that is not taken over, and every file left alone", () => {
    const untaken = {
      file: "a.jsonl",
      line: 2,
      offset: 40,
      bytes: 9,
      kind: "corrupt",
      reason: "not JSON",
    } as const;
    const text = written(
      {
        sessions: [{ ...session, untaken: [untaken, { ...untaken, line: 7, bytes: 0 }] }],
        leftAlone: [
          { name: "x.json", kind: "newer-session", reason: "its key has a newer one" },
          { name: "old.db", kind: "not-a-session", reason: "a database" },
          { name: "y.json.migrated", kind: "already-migrated", reason: "before" },
        ],
      },
      true,
    );
    expect(text).toContain("2 lines not taken over");
    expect(text).toContain("\n  a.jsonl, line 2, byte 40: not JSON\n  a.jsonl, message 7: not JSON\n");
    expect(text).toContain(
      "\nLeft alone:\n  x.json: its key has a newer one\n  old.db: a database\n  y.json.migrated: before\n",
    );
  });
});

test("from end to end: first what would be, then it is", async () => {
  await withTemporaryDirectory(async (home) => {
    const sessions = join(home, "sessions");
    await mkdir(sessions, { mode: 0o700 });
    const at = "2026-01-02T03:04:05Z";
    const messages = [
      { role: "user", content: "where is it", created_at: at },
      { role: "assistant", content: "in the shed", created_at: at },
    ];
    const document = { key: "telegram:42", messages, summary: "", created: at, updated: at };
    await writeFile(join(sessions, "telegram_42.json"), JSON.stringify(document), { mode: 0o600 });
    const longhand = (...words: readonly string[]): ReturnType<typeof runIn> =>
      runIn(home, [...words, "--sessions", sessions]);

    const dry = await longhand("migrate", "--dry-run");
    expect([dry.exitCode, dry.stdout]).toEqual([
      0,
      expect.stringContaining("telegram_42.json\tpicoclaw-json\ttelegram:42\t2"),
    ]);
    expect(await readdir(sessions)).toEqual(["telegram_42.json"]);

    const done = await longhand("migrate", "--json");
    expect(JSON.parse(done.stdout)).toMatchObject({
      dryRun: false,
      sessions: [{ key: "telegram:42", messages: 2 }],
    });
    expect(await readdir(sessions)).toContain("telegram_42.json.migrated");
    const shown = jsonLines((await longhand("show", "telegram:42", "--json")).stdout);
    expect(shown).toMatchObject([
      { message: { content: "where is it" } },
      { message: { content: "in the shed" } },
    ]);
    expect((await longhand("migrate")).stdout).toBe(
      `There is nothing to migrate in ${sessions}.\n\nLeft alone:\n  telegram_42.json.migrated: it was migrated before\n`,
    );
  });
});
