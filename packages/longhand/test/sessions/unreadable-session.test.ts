import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LonghandError } from "@longhand/store";
import { unreadableByDamage, unreadableByError } from "../../src/sessions/unreadable-session.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";

const toPaste = commandToPaste({});

async function change(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, "utf8");
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

describe("sessions that cannot be opened at all", () => {
  test("are named by list, which fails, and have their own remedy from doctor", async () => {
    await withHome(
      async (store) => {
        for (const key of ["good", "header", "newer"]) await say(store, key, `text of ${key}`);
      },
      async (longhand, _home, sessions) => {
        const file = (name: string): string => join(sessions, `${name}.jsonl`);
        await change(file("header"), '"longhand"', '"lXnghand"');
        await change(file("newer"), '"longhand":1', '"longhand":9');
        await copyFile(file("good"), file("copy"));
        const { exitCode, stdout, stderr } = await longhand("list");
        expect(exitCode).toBe(1);
        expect(stdout.split("\n").slice(1)).toEqual([expect.stringMatching(/^good\ttext of good\t/), ""]);
        expect(stderr).toMatch(/^longhand: 3 sessions could not be read:\n/);
        for (const name of ["header", "newer", "copy"]) expect(stderr).toContain(`\n  ${file(name)}: `);
        expect(stderr).not.toContain("corrupt");

        const json = await longhand("list --json");
        expect(json.exitCode).toBe(1);
        expect(jsonLines(json.stdout)).toMatchObject([{ key: "good" }]);
        expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "SESSIONS_UNREADABLE" } });

        const doctor = await longhand("doctor");
        expect(doctor.exitCode).toBe(1);
        expect(doctor.stdout).toContain(`mv ${file("copy")} ~/`);
        expect(doctor.stdout).toContain("update Longhand");
        expect(doctor.stdout).toMatch(
          /header\.jsonl[^\n]*\n *remedy: put [^\n]* mend it \([^)]*\): longhand repair\n/,
        );
        expect(doctor.stdout).toMatch(/newer\.jsonl[^\n]*\n *remedy: update Longhand/);
        expect(doctor.stdout).not.toContain("appends go on");
        expect(doctor.stdout).not.toContain("none found");
        expect(doctor.stdout).toMatch(/damage +4 places\n/);
      },
    );
  });

  test("are warned of where the others can answer, and the exit code says so", async () => {
    await withHome(
      async (store) => say(store, "good", "text"),
      async (longhand, _home, sessions) => {
        // Its lease tells that the store has written to it.
        await longhand("append empty hello");
        await writeFile(join(sessions, "empty.jsonl"), "");
        const { exitCode, stdout, stderr } = await longhand("search text");
        expect([exitCode, stdout]).toEqual([1, expect.stringContaining("good")]);
        expect(stderr).toContain(`warning: could not be read: ${join(sessions, "empty.jsonl")}`);
      },
    );
  });

  test("for want of permission are to be given back to their reader", () => {
    const file = "/my s/a.jsonl";
    const error = new LonghandError("IO_FAILED", `opening the session failed for ${file} (EACCES)`, {
      file,
      errno: "EACCES",
    });
    expect(unreadableByError(error)).toEqual({
      file,
      reason: "opening the session failed (EACCES)",
      remedy: expect.stringContaining("ls -ld /") as string,
    });
    const elsewhere = new LonghandError("IO_FAILED", "x", { file: "/s/.longhand/journal" });
    expect(unreadableByError(elsewhere)).toBeUndefined();
  });

  test("are not confused with a damaged place, or with a damaged journal", () => {
    const place = { file: "/s/a.jsonl", offset: 0, bytes: 9, kind: "corrupt", reason: "x" } as const;
    expect(unreadableByDamage(place, toPaste)).toBeUndefined();
    expect(unreadableByDamage({ ...place, bytes: 0 }, toPaste)).toBeDefined();
    expect(
      unreadableByDamage({ ...place, bytes: 0, file: "/s/.longhand/journal/1.journal" }, toPaste),
    ).toBeUndefined();
  });
});

test("a directory by the name of a session is no session, until somebody wants to write to it", async () => {
  await withHome(
    async (store) => say(store, "good", "text"),
    async (longhand, _home, sessions) => {
      await mkdir(join(sessions, "odd.jsonl"), { mode: 0o700 });
      const well = await longhand("doctor");
      expect([well.exitCode, well.stdout]).toEqual([0, expect.stringContaining("1 active")]);
      const { stderr } = await longhand("append odd text");
      expect(stderr).toContain("EISDIR: a directory where a file must be");
      const { exitCode, stdout } = await longhand("doctor");
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining(join(sessions, "odd.jsonl"))]);
      expect(stdout).toMatch(/remedy: .* move this out of the store/);
      // Not what one does to the files of sessions.
      expect(stdout).not.toContain("chmod 600");
    },
  );
});
