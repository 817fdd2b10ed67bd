/** What commands say of records that are damaged, and of those that a repair had to give up. */

import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonLines, say, type Longhand, withHome } from "../support/with-home.ts";

/** A session `k` of five messages, of which these are spoiled; the file is as long as before. */
async function withSpoiled(
  words: readonly string[],
  use: (longhand: Longhand, sessions: string) => Promise<void>,
): Promise<void> {
  await withHome(
    async (store) => say(store, "k", "one", "two", "three", "four", "five"),
    async (longhand, _home, sessions) => {
      const file = join(sessions, "k.jsonl");
      let text = await readFile(file, "utf8");
      for (const word of words) text = text.replace(`"${word}"`, `"${word.toUpperCase()}"`);
      await writeFile(file, text);
      await use(longhand, sessions);
    },
  );
}

describe("a gap after a repair", () => {
  test("is marked where it is, by show and by every form of export", async () => {
    await withSpoiled(["two", "three"], async (longhand, sessions) => {
      expect((await longhand("repair --yes")).exitCode).toBe(0);
      const aside = join(sessions, ".longhand", "damaged");
      const line = `— 2 records lost here (seq 2–3), any damaged bytes are kept in ${aside} —`;
      const shown = await longhand("show k");
      expect(shown.exitCode).toBe(0);
      expect(shown.stdout.replace(/[^\n]*#\d\n/g, "")).toContain(`  one\n\n${line}\n\n  four\n`);
      const lost = { type: "lost", first: 2, last: 3, mended: true, kept: aside };
      for (const command of ["show k --json", "show k --all --json", "export k --format jsonl"]) {
        const lines = jsonLines((await longhand(command)).stdout);
        const head = command.startsWith("export") ? [{ type: "session" }] : [];
        expect(lines, command).toMatchObject([...head, { seq: 1 }, lost, { seq: 4 }, { seq: 5 }]);
      }
      expect((await longhand("export k")).stdout).toMatch(
        /\none\n\n\*— 2 records lost here [^\n]*—\*\n\n## user, #4/,
      );
      const document = JSON.parse((await longhand("export k --format json")).stdout) as object;
      expect(document).toMatchObject({
        messages: [{ content: "one" }, { content: "four" }, {}],
        lost: [lost],
      });
    });
  });

  test("is marked at the beginning of the view, and at its end", async () => {
    await withSpoiled(["one", "five"], async (longhand) => {
      await longhand("repair --yes");
      const lines = jsonLines((await longhand("show k --json")).stdout);
      expect(lines).toMatchObject([
        { type: "lost", first: 1, last: 1 },
        { seq: 2 },
        { seq: 3 },
        { seq: 4 },
        { type: "lost", first: 5, last: 5 },
      ]);
      const newest = jsonLines((await longhand("show k --json --last 1")).stdout);
      expect(newest).toMatchObject([{ seq: 4 }, { type: "lost", first: 5 }]);
    });
  });

  test("is none where nothing is lost: cut, undone and renamed is not lost", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two", "three");
        const session = store.session("k");
        await session.rewind({ messages: 1 });
        await session.truncate({ keepLast: 1 });
        await session.setTitle("T");
        await say(store, "k", "four");
      },
      async (longhand) => {
        for (const command of [
          "show k",
          "show k --json",
          "show k --all",
          "export k",
          "export k --format json",
        ]) {
          const { exitCode, stdout } = await longhand(command);
          expect([exitCode, stdout], command).toEqual([0, expect.not.stringContaining("lost")]);
        }
      },
    );
  });
});

describe("a damaged place before a repair", () => {
  test("names its record, and the gap does not pretend to be mended", async () => {
    await withSpoiled(["two"], async (longhand) => {
      const shown = await longhand("show k");
      expect(shown.stdout).toContain("— 1 record damaged here (seq 2) —");
      expect(shown.stderr).toMatch(/warning: .*k\.jsonl: corrupt at byte \d+ \(\d+ bytes, record 2\): /);
      expect(jsonLines((await longhand("show k --json")).stdout)[1]).toEqual({
        type: "lost",
        first: 2,
        last: 2,
        mended: false,
      });
      expect((await longhand("verify")).stdout).toContain("bytes, record 2): ");
    });
  });

  test.each([
    ["show k", "four"],
    ["show k --json", "four"],
    ["export k", "four"],
    ["export k --format json", "four"],
    ["search four", "four"],
    ["list", "k"],
  ])("%s gives what can be read, and ends with 1", async (command, expected) => {
    await withSpoiled(["two"], async (longhand) => {
      const { exitCode, stdout } = await longhand(command);
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining(expected)]);
      await longhand("repair --yes");
      expect((await longhand(command)).exitCode).toBe(0);
    });
  });
});

test("where nothing of the view can be read, it is told where it was, and what was undone was undone", async () => {
  await withHome(
    async (store) => {
      await say(store, "k", "one", "two");
      await store.session("k").rewind({ messages: 1 });
    },
    async (longhand, _home, sessions) => {
      const file = join(sessions, "k.jsonl");
      await writeFile(file, (await readFile(file, "utf8")).replace('"one"', '"ONE"'));
      const { stdout } = await longhand("show k");
      expect(stdout).toMatch(/— 1 record damaged here \(seq 1\) —\n\n1 message was undone here\n/);
      expect(stdout).not.toContain("cut from the view");
    },
  );
});

describe("going back to a record that is lost", () => {
  test.each(["undo k --to 3", "fork k child --at 3"])("%s warns, and does it", async (command) => {
    await withSpoiled(["three"], async (longhand) => {
      await longhand("repair --yes");
      const done = await longhand(`${command} --json`);
      expect(done.exitCode).toBe(0);
      expect(JSON.parse(done.stderr)).toMatchObject({ warning: { code: "RECORD_LOST", key: "k", seq: 3 } });
      const key = command.startsWith("fork") ? "child" : "k";
      const lines = jsonLines((await longhand(`show ${key} --json`)).stdout);
      expect(lines).toMatchObject([{ seq: 1 }, { seq: 2 }, { type: "lost", first: 3 }]);
    });
  });

  test.each(["undo k --to 2", "fork k child --at 2", "undo k --to 0"])(
    "%s has nothing to warn of",
    async (command) => {
      await withSpoiled(["three"], async (longhand) => {
        await longhand("repair --yes");
        expect(await longhand(command)).toMatchObject({ exitCode: 0, stderr: "" });
      });
    },
  );
});

describe("repair", () => {
  test("--dry-run says what it would do, and changes nothing", async () => {
    await withSpoiled(["two"], async (longhand, sessions) => {
      const file = join(sessions, "k.jsonl");
      const before = await readFile(file, "utf8");
      const { exitCode, stdout } = await longhand("repair --dry-run");
      expect(exitCode).toBe(1);
      expect(stdout).toContain("1 damaged place would be mended; the damaged bytes would be kept in ");
      expect(stdout).toContain("Record 2 of k would be lost");
      expect(stdout).not.toContain("A record that is missing");
      expect(stdout).toContain("To do it: longhand repair\n");
      const json = await longhand("repair --dry-run --json");
      expect(JSON.parse(json.stdout)).toMatchObject({ dryRun: true, mendable: [{ file, seq: 2 }], left: [] });
      expect(await readFile(file, "utf8")).toBe(before);
      await longhand("repair --yes");
      const well = await longhand("repair --dry-run");
      expect([well.exitCode, well.stdout]).toEqual([0, "No damage found. There is nothing to mend.\n"]);
    });
  });

  test("--dry-run says that a missing record would be lost, and what a cut may have taken", async () => {
    await withSpoiled([], async (longhand, sessions) => {
      const file = join(sessions, "k.jsonl");
      const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
      await writeFile(file, `${lines.toSpliced(2, 1).join("\n")}\n`, { mode: 0o600 });
      const missing = (await longhand("repair --dry-run")).stdout;
      expect(missing).toContain("\n1 damaged place would be mended.\nA record that is missing, ");
      expect((await longhand("repair --yes")).stdout).toMatch(
        /Record 2 of k is lost; its number is not reused\.\n$/,
      );
      await truncate(file, (await stat(file)).size - 3);
      const torn = (await longhand("repair --dry-run")).stdout;
      expect(torn).toContain("\nA file ended in the middle of a line. ");
      expect((await longhand("repair --yes")).stdout).toContain("\nA file ended in the middle of a line. ");
    });
  });

  test("--json without --yes shows the damage, and is refused", async () => {
    await withSpoiled(["two"], async (longhand, sessions) => {
      const { exitCode, stdout, stderr } = await longhand("repair --json");
      expect(exitCode).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        mended: [],
        left: [{ file: join(sessions, "k.jsonl"), seq: 2 }],
      });
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: "NOT_CONFIRMED" } });
      expect((await longhand("verify")).exitCode).toBe(1);
    });
  });
});
