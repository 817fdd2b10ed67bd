import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeGitProject, snapshotProject } from "../../../store/test/support/git-project.ts";
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
        `longhand: telegram_alice.jsonl looks like a session of another program and was left alone: longhand migrate --dry-run --sessions ${sessions}\n`,
      );
      expect(answer.stdout + answer.stderr).not.toMatch(/repair|backup|doctor/);
      expect(answer.stderr.match(/looks like/g)).toHaveLength(1);
      const [warning = ""] = (await longhand(...words, "--json")).stderr.split("\n");
      expect(JSON.parse(warning)).toMatchObject({
        warning: { code: "SESSIONS_FOREIGN", files: [join(sessions, "telegram_alice.jsonl")] },
      });
      expect(await readdir(sessions)).toEqual(["telegram_alice.jsonl"]);
    });
  },
);

test("a session of ours that is damaged is still told beside them, and without them nothing is said", async () => {
  await withHome(
    async (store) => say(store, "k", "one"),
    async (longhand, _home, sessions) => {
      expect((await longhand("list")).stderr).toBe("");
      await writeForeign(sessions);
      const listed = await longhand("list");
      expect([listed.exitCode, listed.stdout]).toEqual([0, expect.stringContaining("one")]);
      await writeFile(join(sessions, "broken.jsonl"), '{"longhand":1,\n', { mode: 0o600 });
      const { exitCode, stderr } = await longhand("list");
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/of another program[^]*broken\.jsonl/)]);
      expect((await longhand("verify")).exitCode).toBe(1);
    },
  );
});

test("list names a file that is no session, with exit code 0; so does every other command that reads", async () => {
  await withHome(
    async (store) => say(store, "k", "one"),
    async (longhand, _home, sessions) => {
      await writeFile(join(sessions, "finetune.jsonl"), '{"messages":[{"role":"user","content":"hi"}]}\n');
      const { exitCode, stdout, stderr } = await longhand("list");
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining("one")]);
      expect(stderr).toBe("longhand: finetune.jsonl: not a session; ignored\n");
      const json = await longhand("list --json");
      expect(JSON.parse(json.stderr)).toMatchObject({
        warning: { code: "FILES_IGNORED", files: ["finetune.jsonl"] },
      });
      for (const words of ["search hi", "verify", "repair --yes", "doctor", "reclaim"]) {
        const answer = await longhand(words);
        expect([words, answer.exitCode, answer.stdout + answer.stderr]).toEqual([
          words,
          0,
          expect.not.stringContaining("finetune") as string,
        ]);
      }
    },
  );
});

describe("a git project as the directory of sessions", () => {
  test.each([
    ["append notes hello", 0],
    ["list", 0],
    ["search hi", 0],
    ["verify", 0],
    ["repair --yes", 0],
    ["reclaim", 0],
    ["purge --yes", 0],
    ["doctor", 1],
    ["show plain", 3],
    ["append plain hello", 1],
    ["migrate --yes", 0],
    ["migrate --undo --yes", 0],
    ["-m help", 0],
  ])("longhand %s changes no file of it", async (words, exitCode) => {
    await withTemporaryDirectory(async (home) => {
      const project = join(home, "project");
      await mkdir(project, { mode: 0o755 });
      await makeGitProject(project);
      const before = await snapshotProject(project);
      const names = await readdir(project);
      const answer = await runIn(home, [...words.split(" "), "--sessions", project]);
      expect([answer.exitCode, answer.stderr]).toEqual([
        exitCode,
        expect.not.stringContaining("corrupt") as string,
      ]);
      const after = await snapshotProject(project);
      expect(Object.fromEntries(Object.keys(before).map((name) => [name, after[name]]))).toEqual(before);
      if (["list", "search hi", "verify", "doctor", "show plain"].includes(words))
        expect(await readdir(project)).toEqual(names);
      // The only problem that doctor may have is the mode of the directory itself.
      if (words === "doctor") expect(answer.stdout).toContain("1 problem\n");
    });
  });
});
