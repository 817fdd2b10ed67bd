import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MigrationPlan, PlannedSession } from "@longhand/store";
import { writePlan } from "../../src/commands/migrate.ts";
import { runIn, type RunOptions, withTemporaryDirectory } from "../support/fake-world.ts";
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
  unfinished: false,
  lookedAt: { ours: [], left: [] },
};

function written(given: Partial<MigrationPlan>): string {
  const surroundings = fakeSurroundings();
  writePlan({ ...plan, ...given }, surroundings);
  return surroundings.output.printed.join("");
}

describe("a migration, in words", () => {
  test("of nothing", () => {
    expect(written({})).toBe("There is nothing to migrate in /s.\n");
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
    const text = written({ sessions: [session, other] });
    expect(text).toMatch(/^SOURCE\tFORMAT\tKEY\tMESSAGES\tNOTES\n/);
    expect(text).toContain("telegram_alice.jsonl\tzeroclaw-jsonl\ttelegram_alice\t3\t\n");
    expect(text).toContain(
      "\told\\x1b\t4\tarchived, since telegram_alice is newer; 2 messages cut from the view; has a summary; its meta file is damaged\n",
    );
    expect(written({ unfinished: true })).toContain("A migration was interrupted here");
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
    const text = written({
      sessions: [{ ...session, untaken: [untaken, { ...untaken, line: 7, bytes: 0 }] }],
      leftAlone: [
        { name: "x.json", kind: "newer-session", reason: "its key has a newer one" },
        { name: "old.db", kind: "not-a-session", reason: "a database" },
        { name: "y.json.migrated", kind: "already-migrated", reason: "before" },
      ],
    });
    expect(text).toContain("2 lines not taken over");
    expect(text).toContain("\n  a.jsonl, line 2, byte 40: not JSON\n  a.jsonl, message 7: not JSON\n");
    expect(text).toContain(
      "\nLeft alone:\n  x.json: its key has a newer one\n  old.db: a database\n  y.json.migrated: before\n",
    );
  });
});

const AT = "2026-01-02T03:04:05Z";
const DOCUMENT = JSON.stringify({
  key: "telegram:42",
  messages: [
    { role: "user", content: "where is it", created_at: AT },
    { role: "assistant", content: "in the shed", created_at: AT },
  ],
  ...{ summary: "", created: AT, updated: AT },
});

type Run = (words: string, options?: RunOptions) => ReturnType<typeof runIn>;

async function withPicoclaw(use: (longhand: Run, sessions: string) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (home) => {
    const sessions = join(home, "old");
    await mkdir(sessions, { mode: 0o700 });
    await writeFile(join(sessions, "telegram_42.json"), DOCUMENT, { mode: 0o600 });
    await use(async (words, options) => runIn(home, words.split(" "), options), sessions);
  });
}

test("from end to end: first what would be, then it is, then it is taken back", async () => {
  await withPicoclaw(async (longhand, sessions) => {
    const dry = await longhand("migrate old --dry-run");
    expect([dry.exitCode, dry.stdout]).toEqual([
      0,
      expect.stringContaining("telegram_42.json\tpicoclaw-json\ttelegram:42\t2"),
    ]);
    expect(dry.stdout).toContain(
      "1 session with 2 messages would be taken over. To do it: longhand migrate old\n",
    );
    expect(await readdir(sessions)).toEqual(["telegram_42.json"]);

    const done = await longhand("migrate old --yes --json");
    expect(JSON.parse(done.stdout)).toMatchObject({
      dryRun: false,
      sessions: [{ key: "telegram:42", messages: 2 }],
      migrated: { keys: ["telegram:42"], originals: [join(sessions, "telegram_42.json.migrated")] },
    });
    const shown = jsonLines((await longhand(`show telegram:42 --json --sessions ${sessions}`)).stdout);
    expect(shown).toMatchObject([
      { message: { content: "where is it" } },
      { message: { content: "in the shed" } },
    ]);
    expect((await longhand(`migrate --sessions ${sessions}`)).stdout).toBe(
      `There is nothing to migrate in ${sessions}.\n\nLeft alone:\n  telegram_42.json.migrated: it was migrated before\n`,
    );

    const refused = await longhand("migrate old --undo");
    expect([refused.exitCode, refused.stdout]).toEqual([
      1,
      "would be undone: telegram:42: telegram_42.json\n",
    ]);
    const back = await longhand("migrate old --undo --yes");
    expect([back.exitCode, back.stdout]).toEqual([0, expect.stringContaining("Undone: 1 session.\n")]);
    expect(await readFile(join(sessions, "telegram_42.json"), "utf8")).toBe(DOCUMENT);
    expect((await readdir(sessions)).filter((name) => name.endsWith(".jsonl"))).toEqual([]);
  });
});

test("asks, and where nobody can be asked changes nothing and says what to run", async () => {
  await withPicoclaw(async (longhand, sessions) => {
    for (const words of ["migrate old", "migrate old --json"]) {
      const { exitCode, stderr } = await longhand(words);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("longhand migrate --yes old")]);
    }
    const no = await longhand("migrate old", { answers: ["n"] });
    expect([no.exitCode, no.stderr]).toEqual([
      1,
      expect.stringContaining("Take over 1 session with 2 messages?"),
    ]);
    expect(await readdir(sessions)).toEqual(["telegram_42.json"]);
    const yes = await longhand("migrate old", { answers: ["y"] });
    expect([yes.exitCode, yes.stdout]).toEqual([0, expect.stringContaining("longhand migrate --undo old")]);
    expect(await readdir(sessions)).toContain("telegram_42.json.migrated");
    expect((await longhand("migrate old --undo")).exitCode).toBe(1);
    expect(await readdir(sessions)).toContain("telegram_42.json.migrated");
  });
});

test("an undo names the session that was written to, with exit code 1", async () => {
  await withPicoclaw(async (longhand, sessions) => {
    await writeFile(join(sessions, "other.json"), DOCUMENT.replace("telegram:42", "other"));
    await longhand("migrate old --yes");
    await longhand(`append other more --sessions ${sessions}`);
    const { exitCode, stdout } = await longhand("migrate old --undo --yes --json");
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      1,
      { undone: [{ key: "telegram:42" }], notUndone: [{ key: "other" }] },
    ]);
  });
});

test("the directory is given once, and one that is not there is not made", async () => {
  await withPicoclaw(async (longhand, sessions) => {
    expect((await longhand(`migrate old --sessions ${sessions}`)).exitCode).toBe(2);
    expect((await longhand("migrate none --yes")).stderr).toContain("no such directory");
    expect(await readdir(join(sessions, ".."))).toEqual(["old"]);
  });
});
