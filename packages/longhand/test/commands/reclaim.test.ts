import { describe, expect, test } from "vitest";
import { say, withHome } from "../support/with-home.ts";

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
});
