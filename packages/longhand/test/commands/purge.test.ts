import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Store } from "@longhand/store";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { say, withHome } from "../support/with-home.ts";

async function twoInTrash(store: Store): Promise<void> {
  for (const key of ["kept", "gone:1", "gone:2"]) await say(store, key, "text");
  for (const key of ["gone:1", "gone:2"]) await store.session(key).delete();
}

describe("purge", () => {
  test("--dry-run says what is in the trash, and changes nothing", async () => {
    await withHome(twoInTrash, async (longhand) => {
      for (let time = 0; time < 2; time++) {
        const { exitCode, stdout } = await longhand("purge --dry-run");
        expect(exitCode).toBe(0);
        expect(stdout).toMatch(/^KEY\tMESSAGES\tUPDATED\tSIZE\tID\n/);
        expect(stdout).toMatch(/gone:[12]\t1\t[^]*gone:[12]\t1\t[^]*\n2 sessions \(.*\) would go\.\n/);
        expect(stdout).not.toContain("kept");
      }
      expect((await longhand("restore gone:1")).exitCode).toBe(0);
    });
  });

  test("--dry-run lists each session of a key that was deleted several times", async () => {
    await withHome(
      async (store) => {
        for (const text of ["first", "second", "third"]) {
          await say(store, "again", text);
          await store.session("again").delete();
        }
      },
      async (longhand) => {
        const { sessions } = JSON.parse((await longhand("purge --dry-run --json")).stdout) as {
          readonly sessions: readonly { readonly key: string; readonly id: string }[];
        };
        expect(sessions.map(({ key }) => key)).toEqual(["again", "again", "again"]);
        const { stdout } = await longhand("purge --dry-run");
        for (const { id } of sessions) expect(stdout).toContain(`\t${id}\n`);
        expect(new Set(sessions.map(({ id }) => id)).size).toBe(3);
        expect(stdout).toContain("3 sessions (");
      },
    );
  });

  test("--before leaves what was deleted later", async () => {
    await withHome(twoInTrash, async (longhand) => {
      const none = await longhand("purge --before 30d --yes");
      expect([none.exitCode, none.stdout]).toEqual([
        0,
        expect.stringContaining("nothing in the trash that was deleted before"),
      ]);
      expect(JSON.parse((await longhand("purge --dry-run --json")).stdout)).toMatchObject({
        dryRun: true,
        sessions: [{ status: "trashed" }, { status: "trashed" }],
      });
    });
  });

  test("asks, or needs --yes; then it is gone for good", async () => {
    await withHome(twoInTrash, async (longhand) => {
      const nobody = await longhand("purge");
      expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringContaining("longhand purge --yes")]);
      const no = await longhand("purge", { answers: ["n"] });
      expect(no.stderr).toContain("Delete 2 sessions");
      expect((await longhand("purge", { answers: ["y"] })).stdout).toContain("Deleted for good: 2 sessions");
      expect((await longhand("restore gone:1")).exitCode).toBe(3);
      expect((await longhand("purge --yes")).stdout).toBe("There is nothing in the trash.\n");
      expect((await longhand("list")).stdout).toContain("kept");
    });
  });

  test.each(["purge --yes", "reclaim", "verify", "repair --yes", "migrate"])(
    "%s makes no store where there is none",
    async (commandLine) => {
      await withTemporaryDirectory(async (home) => {
        const { exitCode, stderr } = await runIn(home, commandLine.split(" "));
        expect([exitCode, stderr]).toEqual([0, ""]);
        expect(await readdir(home)).toEqual([]);
      });
    },
  );
});
