import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { say, withHome } from "../support/with-home.ts";

interface Sizes {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

describe("reclaim", () => {
  test("of a small store has nothing to do, and every record stays", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two"),
      async (longhand) => {
        const dry = JSON.parse((await longhand("reclaim --dry-run --json")).stdout) as Record<
          string,
          unknown
        >;
        expect(dry).toMatchObject({ dryRun: true });
        expect((await longhand("reclaim k")).exitCode).toBe(0);
        expect((await longhand("show k --json")).stdout).toMatch(/one[^]*two/);
        expect((await longhand("reclaim unknown")).exitCode).toBe(3);
      },
    );
  });

  test("dropping is asked for twice; a dry run is not", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two"),
      async (longhand) => {
        const nobody = await longhand("reclaim k --drop-before 2");
        expect([nobody.exitCode, nobody.stderr]).toEqual([
          1,
          expect.stringContaining("longhand reclaim --yes --drop-before 2 k"),
        ]);
        const no = await longhand("reclaim --drop-before 365d", { answers: ["no"] });
        expect([no.exitCode, no.stderr]).toEqual([1, expect.stringContaining("Drop records before")]);
        expect((await longhand("reclaim k --drop-before 2 --dry-run")).exitCode).toBe(0);
        // Only whole sealed parts are dropped, and there is none.
        expect((await longhand("reclaim k --drop-before 2 --yes")).exitCode).toBe(0);
        expect((await longhand("show k --json")).stdout).toMatch(/one[^]*two/);
      },
    );
  });

  test("without --seal a session that has no sealed part keeps every record; with it they are compressed", async () => {
    await withHome(
      async (store) =>
        say(store, "k", ...Array.from({ length: 60 }, (_, index) => `the same words ${index}`)),
      async (longhand) => {
        const none = await longhand("reclaim k --drop-before 1000 --yes");
        expect([none.exitCode, none.stdout]).toEqual([0, expect.stringContaining("nothing to drop (--seal")]);
        const dry = JSON.parse((await longhand("reclaim --seal --dry-run --json")).stdout) as Sizes;
        expect(dry).toMatchObject({ dryRun: true, seal: true });
        expect(dry.bytesAfter).toBeLessThan(dry.bytesBefore);
        expect((await longhand("reclaim --seal")).stdout).toMatch(/^Reclaimed /);
        expect((await longhand("reclaim --seal")).stdout).toMatch(/^There is nothing to reclaim/);
        const asked = await longhand("reclaim k --seal --drop-before 1000");
        expect(asked.stderr).toContain("longhand reclaim --yes --seal --drop-before 1000 k");
        expect((await longhand("show k --json")).stdout).toMatch(/words 0[^]*words 59/);
      },
    );
  });

  test("names what would be dropped, and what was", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two");
        await say(store, "l", "well");
      },
      async (longhand) => {
        const none = (await longhand("reclaim k --seal --drop-before 2 --dry-run")).stdout;
        expect(none).toContain("nothing to drop");
        const dry = (await longhand("reclaim k --seal --drop-before 3 --dry-run")).stdout;
        expect(dry).toMatch(/^k: records 1 to 2 \(\d+ B\) would be dropped\.\n/);
        const asked = await longhand("reclaim k --seal --drop-before 3", { answers: ["n"] });
        expect([asked.exitCode, asked.stdout]).toEqual([
          1,
          expect.stringMatching(/^k: records 1 to 2 \(\d+ B\) would be dropped\.\n$/),
        ]);
        expect((await longhand("show k --json")).stdout).toMatch(/one[^]*two/);
        const json = JSON.parse(
          (await longhand("reclaim k --seal --drop-before 3 --dry-run --json")).stdout,
        ) as {
          readonly dropped: readonly unknown[];
        };
        expect(json.dropped).toEqual([
          {
            key: "k",
            id: expect.any(String) as string,
            first: 1,
            last: 2,
            bytes: expect.any(Number) as number,
          },
        ]);
        const done = (await longhand("reclaim k --seal --drop-before 3 --yes")).stdout;
        expect(done).toMatch(/^k: records 1 to 2 \(\d+ B\) dropped for good\.\n/);
        expect((await longhand("show k --all --json")).stdout).not.toMatch(/one|two/);
        expect((await longhand("show l --json")).stdout).toContain("well");
      },
    );
  });

  test("a dry run does not migrate what other programs left", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const file = join(sessions, "telegram_alice.jsonl");
        await writeFile(file, '{"role":"user","content":"hi"}\n', { mode: 0o600 });
        expect((await longhand("reclaim --dry-run")).exitCode).toBe(0);
        expect(await readFile(file, "utf8")).toContain("hi");
      },
    );
  });
});
