import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { displayWidth } from "../../src/terminal/display-width.ts";
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
        expect(newest).toMatch(/^b:2 +A title +1 +\d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d +\d+ B$/);
        expect(older).toMatch(/^a:1 +first words +2 +\d{4}-.* +\d+ B$/);
        expect((await longhand("list")).stdout).toMatch(
          /^b:2\tA title\t1\t\d{4}-\d\d-\d\dT[\d:.]+Z\t\d+ B$/m,
        );
        expect((await longhand("list --order key")).stdout).toMatch(/a:1[^]*b:2/);
        expect((await longhand("list --prefix b:")).stdout).not.toContain("a:1");
        const limited = (await longhand("list --limit 1")).stdout;
        expect(limited).not.toContain("a:1");
        expect(limited).toContain("There are more: longhand list --limit 10\n");
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
          { key: "b", count: 2, status: "active", preview: "y" },
          { key: "a", count: 1 },
        ]);
        expect(jsonLines((await longhand("list --json --limit 1")).stdout)).toHaveLength(1);
      },
    );
  });

  test("cuts a long key on a terminal only, and long words with …", async () => {
    const key = "k".repeat(60);
    await withHome(
      async (store) => say(store, key, "w".repeat(300)),
      async (longhand) => {
        expect((await longhand("list", { width: 200 })).stdout).toContain(`\n${"k".repeat(39)}… `);
        expect((await longhand("list")).stdout).toContain(`\n${key}\t${"w".repeat(200)}…\t`);
      },
    );
  });

  test("stays within a narrow terminal, with every column", async () => {
    await withHome(
      async (store) => {
        await say(store, "telegram:123456", "Where is the quarterly report? ".repeat(5));
        await say(store, "b", "你好，世界");
      },
      async (longhand) => {
        for (const width of [30, 40, 60]) {
          for (const options of ["", " --all"]) {
            const { stdout } = await longhand(`list${options}`, { width });
            for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
            for (const heading of ["KEY", "TITLE", "MESSAGES", "UPDATED", "SIZE"])
              expect(stdout).toContain(heading);
            expect(stdout).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d/);
          }
        }
      },
    );
  });

  test("--all shows archived sessions too, and says which they are", async () => {
    await withHome(
      async (store) => {
        await say(store, "old", "before");
        await store.session("old").archive();
        await say(store, "old", "after");
        await store.session("old").archive();
        await say(store, "new", "now");
        await say(store, "gone", "x");
        await store.session("gone").delete();
      },
      async (longhand) => {
        expect((await longhand("list")).stdout).not.toContain("old");
        const [head, ...rows] = (await longhand("list --all")).stdout.trimEnd().split("\n");
        expect(head).toMatch(/\tSTATUS$/);
        expect(rows).toHaveLength(2);
        expect(rows[0]).toMatch(/^new\t.*\tactive$/);
        expect(rows[1]).toMatch(/^old\tbefore\t2\t.*\tarchived$/);
        expect((await longhand("show ol")).stdout).toMatch(/^old \(archived\)\n/);
        expect((await longhand("search after")).stdout).toContain("old (archived)  #2");
        expect((await longhand("undo ol")).exitCode).toBe(3);
        expect((await longhand("doctor")).stdout).toContain("1 active, 1 archived, 1 in the trash");
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
