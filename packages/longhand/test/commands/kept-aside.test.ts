/** Acknowledged records that are kept aside, since another program has put an older file in the place of theirs: each view of the session says so. */

import { copyFile, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openStore } from "@longhand/store";
import { jsonLines, type Longhand, nothing, say, withHome } from "../support/with-home.ts";

/** "two" and "three" of the session `k` are kept aside; `other` is well. */
async function withKept(
  use: (
    longhand: Longhand,
    at: { readonly sessions: string; readonly file: string; readonly kept: string },
  ) => Promise<void>,
): Promise<void> {
  await withHome(nothing, async (longhand, home, sessions) => {
    const file = join(sessions, "k.jsonl");
    const older = join(home, "older");
    const store = await openStore(sessions, { onDamage: () => undefined });
    const applied = async (text: string): Promise<void> =>
      await vi.waitFor(async () => expect(await readFile(file, "utf8")).toContain(text));
    await say(store, "other", "well");
    await say(store, "k", "one");
    await applied("one");
    await copyFile(file, older);
    await say(store, "k", "two", "three");
    await applied("three");
    await copyFile(file, join(home, "newest"));
    await copyFile(older, file);
    await expect(say(store, "k", "four")).rejects.toMatchObject({ code: "SESSION_CHANGED" });
    await store.close();
    const damaged = join(sessions, ".longhand", "damaged");
    const name = (await readdir(damaged)).find((each) => each.endsWith(".records")) ?? "none";
    await use(longhand, { sessions, file, kept: join(damaged, name) });
  });
}

describe("a session of which records are kept aside", () => {
  test("list and search say so, with the command that looks at it, and fail", async () => {
    await withKept(async (longhand, { kept }) => {
      for (const command of ["list", "search one"]) {
        const { exitCode, stdout, stderr } = await longhand(command);
        expect([exitCode, stdout]).toEqual([1, expect.stringContaining("one")]);
        expect(stderr).toBe(
          "longhand: warning: records of k that did not fit its file are kept aside (1 file); whether it lacks them, and what to do: longhand verify k\n",
        );
      }
      const { stdout, stderr } = await longhand("list --json");
      expect(jsonLines(stdout)).toMatchObject([{ key: "k", keptAside: [kept] }, { key: "other" }]);
      expect(jsonLines(stdout)[1]).not.toHaveProperty("keptAside");
      expect(JSON.parse(stderr)).toMatchObject({
        warning: { code: "RECORDS_KEPT", key: "k", files: [kept], remedy: "longhand verify k" },
      });
    });
  });

  test("show, export and context name the records that it lacks; other sessions are shown as ever", async () => {
    await withKept(async (longhand, { kept }) => {
      for (const command of ["show", "export", "context"]) {
        const { exitCode, stderr } = await longhand(`${command} k`);
        expect(exitCode).toBe(1);
        expect(stderr).toMatch(/^longhand: warning: [^\n]*2 records \(seq 2 to 3\)[^\n]*\n$/);
        expect(stderr).toContain(`${kept}: `);
        expect(stderr).toContain("; what to do: longhand verify k\n");
        const well = await longhand(`${command} other`);
        expect([well.exitCode, well.stderr]).toEqual([0, ""]);
      }
      expect(JSON.parse((await longhand("show k --json")).stderr)).toMatchObject({
        warning: { code: "DAMAGE", damage: { file: kept, key: "k" }, remedy: "longhand verify k" },
      });
    });
  });

  test("is quiet again once they are back", async () => {
    await withKept(async (longhand) => {
      expect((await longhand("repair --yes")).exitCode).toBe(0);
      for (const command of ["list", "search three", "show k"]) {
        const { exitCode, stdout, stderr } = await longhand(command);
        expect([exitCode, stdout, stderr]).toEqual([0, expect.stringMatching(/three|k/), ""]);
      }
    });
  });

  test("that has its records by other means is shown as ever, and verify says what to do with the kept file", async () => {
    await withKept(async (longhand, { file, kept, sessions }) => {
      await copyFile(join(sessions, "..", "newest"), file);
      expect((await longhand("show k")).stderr).toBe("");
      expect((await longhand("list")).stderr).toContain("; whether it lacks them, and what to do: ");
      for (const command of ["verify", "verify k"]) {
        const { exitCode, stdout } = await longhand(command);
        expect([exitCode, stdout]).toEqual([0, expect.stringContaining("No damage found. ")]);
        expect(stdout).toContain(`${kept}: k has every record that can be read in it; `);
      }
      expect((await longhand("verify other")).stdout).not.toContain(kept);
      // Nothing is said of a file that cannot be read.
      await writeFile(kept, "spoiled");
      const { exitCode, stdout } = await longhand("verify k");
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining("cannot be read any more")]);
      expect(stdout).not.toContain("has every record");
      const shown = await longhand("show k");
      expect([shown.exitCode, shown.stderr]).toEqual([1, expect.stringContaining("cannot be read any more")]);
    });
  });

  test("cannot be told where the directory is no directory: that is said, and the sessions are shown", async () => {
    await withKept(async (longhand, { kept }) => {
      await rm(dirname(kept), { recursive: true });
      await symlink("/", dirname(kept));
      const { stdout, stderr } = await longhand("list");
      expect([stdout, stderr]).toEqual([
        expect.stringContaining("one"),
        expect.stringContaining("longhand doctor"),
      ]);
    });
  });

  test("whose file was removed is told by its id", async () => {
    await withKept(async (longhand, { file, kept }) => {
      await rm(file);
      const { exitCode, stderr } = await longhand("list");
      const id = kept.split("/").at(-1)?.split(".")[0] ?? "";
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining(`a session that is not listed (id ${id})`),
      ]);
      expect(stderr).toContain("; what they are, and what to do: longhand verify\n");
    });
  });
});
