import { describe, expect, test } from "vitest";
import { jsonLines, say, withHome } from "../support/with-home.ts";

describe("search", () => {
  test("shows key, seq and the words", async () => {
    await withHome(
      async (store) => {
        await say(store, "a", "the Quarterly report is done");
        await say(store, "b", "nothing here");
      },
      async (longhand) => {
        expect((await longhand("search report quarterly")).stdout).toBe(
          "a  #1 · user\n  the Quarterly report is done\n\n",
        );
        const colored = (await longhand("search quarterly", { width: 80, colors: true })).stdout;
        expect(colored).toContain("\u001b[33mQuarterly\u001b[39m");
        expect(jsonLines((await longhand("search report --json")).stdout)).toMatchObject([
          { key: "a", seq: 1 },
        ]);
        const none = await longhand("search unheard-of");
        expect([none.exitCode, none.stdout]).toEqual([
          0,
          expect.stringContaining("Nothing has “unheard-of”"),
        ]);
        expect((await longhand("search e --limit 1")).stdout).toContain(
          "This is the best hit; --limit shows more",
        );
      },
    );
  });
});
