import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { say, withHome } from "../support/with-home.ts";

type Longhand = (...words: readonly string[]) => Promise<Answer>;

async function withForeign(use: (longhand: Longhand, sessions: string) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (home) => {
    const sessions = join(home, "sessions");
    await mkdir(sessions, { mode: 0o700 });
    await writeForeign(sessions);
    await use(async (...words) => runIn(home, [...words, "--sessions", sessions]), sessions);
  });
}

async function writeForeign(sessions: string): Promise<void> {
  const lines = '{"role":"user","content":"hi"}\n{"role":"assistant","content":"yes"}\n';
  await writeFile(join(sessions, "telegram_alice.jsonl"), lines, { mode: 0o600 });
}

test.each([
  [["list"], 0],
  [["search", "hi"], 0],
  [["verify"], 0],
  [["doctor"], 0],
  [["show", "alice"], 3],
  [["show", "telegram_alice"], 3],
  ...["alice", "telegram_alice", "nobody"].flatMap((key): [string[], number][] => [
    [["tail", key], 3],
    [["export", key], 3],
    [["undo", key], 3],
    [["truncate", key, "--keep-last", "1"], 3],
    [["rename", key, "title"], 3],
    [["fork", key, "other"], 3],
    [["archive", key], 3],
    [["restore", key], 3],
    [["delete", key], 3],
    [["delete", key, "--forever", "--yes"], 3],
    [["verify", key], 3],
    [["reclaim", key], 3],
  ]),
  [["reclaim"], 0],
  [["reclaim", "--dry-run"], 0],
] as [string[], number][])(
  "%j points to migrate, and advises neither repair nor a backup",
  async (words, exitCode) => {
    await withForeign(async (longhand, sessions) => {
      const answer = await longhand(...words);
      expect(answer.exitCode).toBe(exitCode);
      expect(answer.stderr).toContain(
        `longhand: 1 session of other programs is here: longhand migrate --dry-run --sessions ${sessions}\n`,
      );
      expect(answer.stdout + answer.stderr).not.toMatch(/repair|backup|doctor/);
      const [warning = ""] = (await longhand(...words, "--json")).stderr.split("\n");
      expect(JSON.parse(warning)).toMatchObject({ warning: { code: "SESSIONS_FOREIGN", sessions: 1 } });
      expect(await readdir(sessions)).toEqual(["telegram_alice.jsonl"]);
    });
  },
);

test("verify of a foreign session by its key says whose it is", async () => {
  await withForeign(async (longhand) => {
    const { exitCode, stderr } = await longhand("verify", "telegram_alice");
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("is a session of another program")]);
    expect(stderr).toContain("longhand migrate --dry-run");
    expect(stderr).not.toMatch(/repair|backup|doctor/);
  });
});

test("a session of ours that is damaged is still told beside them, and without them nothing is said", async () => {
  await withHome(
    async (store) => say(store, "k", "one"),
    async (longhand, _home, sessions) => {
      expect((await longhand("list")).stderr).toBe("");
      await writeForeign(sessions);
      const listed = await longhand("list");
      expect([listed.exitCode, listed.stdout]).toEqual([0, expect.stringContaining("one")]);
      expect((await longhand("show k")).stderr).toBe("");
      await writeFile(join(sessions, "broken.jsonl"), '{"longhand":1,\n', { mode: 0o600 });
      const { exitCode, stderr } = await longhand("list");
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/of other programs[^]*broken\.jsonl/)]);
      expect(stderr).not.toContain("telegram_alice.jsonl");
      expect((await longhand("verify")).exitCode).toBe(1);
    },
  );
});

test("repair refuses where it would migrate, and changes nothing", async () => {
  await withForeign(async (longhand, sessions) => {
    const { exitCode, stdout, stderr } = await longhand("repair", "--yes");
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("would migrate them too; nothing was changed");
    expect(stderr).toContain(`longhand migrate --dry-run --sessions ${sessions}\n`);
    expect(await readdir(sessions)).toEqual(["telegram_alice.jsonl"]);
    expect((await longhand("migrate")).exitCode).toBe(0);
    expect((await longhand("repair", "--yes")).exitCode).toBe(0);
  });
});
