import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";

describe("list", () => {
  test("of nothing says where it looked and how to begin, and creates nothing", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout } = await runIn(home, ["list"]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(join(home, "workspace", "sessions"));
      expect(stdout).toContain("longhand append");
      await expect(stat(join(home, "workspace"))).rejects.toThrow("ENOENT");
      expect((await runIn(home, ["list", "--json"])).stdout).toBe("");
    });
  });

  test("shows key, words, count, time and size; newest first", async () => {
    await withHome(
      async (store) => {
        await say(store, "a:1", "first words", "second");
        await say(store, "b:2", "other");
        await store.session("b:2").setTitle("A title");
      },
      async (longhand) => {
        const [head, newest, older] = (await longhand("list", { width: 80 })).stdout.split("\n");
        expect(head).toMatch(/^KEY +TITLE OR FIRST WORDS +MESSAGES +UPDATED +SIZE$/);
        expect(newest).toMatch(/^b:2 +A title +1 +just now +\d+ B$/);
        expect(older).toMatch(/^a:1 +first words +2 +just now +\d+ B$/);
        expect((await longhand("list")).stdout).toMatch(/\d{4}-\d\d-\d\dT/);
        expect((await longhand("list --order key")).stdout).toMatch(/a:1[^]*b:2/);
        expect((await longhand("list --prefix b:")).stdout).not.toContain("a:1");
        const limited = (await longhand("list --limit 1")).stdout;
        expect(limited).not.toContain("a:1");
        expect(limited).toContain("There are more");
      },
    );
  });

  test("--json is one session a line", async () => {
    await withHome(
      async (store) => {
        await say(store, "a", "x");
        await say(store, "b", "y", "z");
      },
      async (longhand) => {
        expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([
          { key: "b", count: 2, status: "active" },
          { key: "a", count: 1 },
        ]);
        expect(jsonLines((await longhand("list --json --limit 1")).stdout)).toHaveLength(1);
      },
    );
  });

  test("escapes keys and words, with and without colours", async () => {
    await withHome(
      async (store) => {
        await say(store, "evil\u001b[2J", "\u001b]0;owned\u0007\r\nhi");
      },
      async (longhand) => {
        const { stdout } = await longhand("list", { width: 100 });
        expect(stdout).toContain("evil\\x1b[2J");
        expect(stdout).not.toContain("\u001b");
        const colored = (await longhand("list", { width: 100, colors: true })).stdout;
        expect(colored).toContain("\u001b[36mevil\\x1b[2J");
      },
    );
  });
});
