/** Damage is counted once, with one meaning: verify, doctor and repair give the same number for the same store. */

import { chmod, copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { say, withHome } from "../support/with-home.ts";

test("a store with damage of each kind: damaged records, a lost header, a copy, a torn end, a removed line", async () => {
  await withHome(
    async (store) => {
      for (const key of ["flipped", "header", "copied", "torn", "removed"])
        await say(store, key, "one", "two", "three");
    },
    async (longhand, _home, sessions) => {
      const edit = async (key: string, change: (lines: string[]) => string): Promise<void> => {
        const path = join(sessions, `${key}.jsonl`);
        const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
        await writeFile(path, change(lines), { mode: 0o600 });
      };
      const joined = (lines: readonly string[]): string => `${lines.join("\n")}\n`;
      await edit("flipped", (lines) => joined(lines).replace('"content":"two"', '"content":"TWO"'));
      await edit("header", (lines) => joined(["garbage", ...lines.slice(1)]));
      await copyFile(join(sessions, "removed.jsonl"), join(sessions, "copy.jsonl"));
      await edit("copied", (lines) => joined(lines.toSpliced(2, 0, lines[2] ?? "")));
      await edit("torn", (lines) => `${joined(lines)}{"seq":4`);
      await edit("removed", (lines) => joined(lines.toSpliced(2, 1)));
      const verified = await longhand("verify --json");
      const { damage } = JSON.parse(verified.stdout) as { damage: readonly { left?: string }[] };
      const mendable = damage.filter(({ left }) => left === undefined).length;
      // The copy is one, and so is that the session whose id it has is not the only one.
      expect([damage.length, mendable]).toEqual([7, 4]);
      expect((await longhand("verify")).stdout).toContain("; 7 damaged places.\n");
      const doctor = await longhand("doctor");
      expect(doctor.stdout).toMatch(/\n {2}damage {5}7 places\n/);
      expect(doctor.stdout).toContain("\n7 problems\n");
      // It is served, though another file has its id.
      expect(doctor.stdout).not.toContain(`cannot be read: ${join(sessions, "removed.jsonl")}`);
      expect((await longhand("repair --dry-run")).stdout).toContain(
        "\n4 of 7 damaged places would be mended; ",
      );
      const repaired = await longhand("repair --yes");
      expect(repaired.stdout).toContain("\nMended: 4 damaged places.\n");
      expect(repaired.stdout).toContain("\nNot mended: 3 damaged places.\n");
      expect((await longhand("verify")).stdout).toContain("; 3 damaged places.\n");
    },
  );
});

test("the commands that are printed to be pasted repeat the key that was given", async () => {
  await withHome(
    async (store) => {
      await say(store, "well", "one");
      await say(store, "other", "one", "two");
      await say(store, "-odd", "one", "two");
    },
    async (longhand, _home, sessions) => {
      const path = join(sessions, "other.jsonl");
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replace('"one"', '"ONE"'), { mode: 0o600 });
      for (const command of ["list", "search two", "show other", "export other"]) {
        expect((await longhand(command)).stderr).toContain("; what to do: longhand verify other\n");
        const { stderr } = await longhand(`${command} --json`);
        expect(JSON.parse(stderr)).toMatchObject({ warning: { remedy: "longhand verify other" } });
      }
      expect((await longhand("repair --dry-run other")).stdout).toContain(
        "To do it: longhand repair other\n",
      );
      expect((await longhand("verify other")).stdout).toContain(
        "To mend what can be mended: longhand repair other\n",
      );
      expect((await longhand("verify")).stdout).toContain("To mend what can be mended: longhand repair\n");
      const odd = join(sessions, (await readdir(sessions)).find((name) => name.includes("odd")) ?? "");
      await writeFile(odd, (await readFile(odd, "utf8")).replace('"one"', '"ONE"'), { mode: 0o600 });
      expect((await longhand("verify -- -odd other")).stdout).toContain(": longhand repair -- -odd other\n");
      expect((await longhand("repair --yes -- -odd other")).exitCode).toBe(0);
    },
  );
});

test("a file that others may read is told as what it is, made private, and no damage", async () => {
  await withHome(
    async (store) => await say(store, "k", "one"),
    async (longhand, _home, sessions) => {
      const path = join(sessions, "k.jsonl");
      await chmod(path, 0o644);
      const doctor = await longhand("doctor");
      expect(doctor.stdout).toMatch(/\n {2}damage {5}none found\n/);
      expect(doctor.stdout).toContain("chmod 600");
      expect((await longhand("verify")).exitCode).toBe(0);
      const { exitCode, stderr } = await longhand("append k two");
      expect(exitCode).toBe(0);
      expect(stderr).toContain(
        `warning: ${path} had mode 644, with which other users could reach it; it has mode 600 now`,
      );
      expect(stderr).not.toContain("corrupt");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    },
  );
});
