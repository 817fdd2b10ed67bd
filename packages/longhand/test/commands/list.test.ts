import { readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore, type Store } from "@longhand/store";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { workspaceState } from "../../src/config/workspace-state.ts";
import { shellQuote } from "../../src/terminal/shell-quote.ts";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";

describe("list", () => {
  test("of nothing says where it looked and how to begin, and creates nothing", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout } = await runIn(home, ["list"]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(join(home, "sessions"));
      expect(stdout).toContain("longhand append");
      expect(await readdir(home)).toEqual([]);
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

  test("prints a long key whole, on a line of its own, and cuts long words with …", async () => {
    const key = "k".repeat(60);
    await withHome(
      async (store) => say(store, key, "w".repeat(300)),
      async (longhand) => {
        const [, first, second] = (await longhand("list", { width: 200 })).stdout.split("\n");
        expect([first, second]).toEqual([key, expect.stringMatching(/^ {42}w+…? +1 /)]);
        expect((await longhand("list")).stdout).toContain(`\n${key}\t${"w".repeat(200)}…\t`);
      },
    );
  });

  test.each([
    [80, ["KEY", "TITLE OR FIRST WORDS", "MESSAGES", "UPDATED", "SIZE"]],
    [60, ["KEY", "TITLE OR FIRST WO…", "UPDATED"]],
    [40, ["KEY", "TITLE OR FIRST WORDS"]],
    [30, ["KEY", "TITLE OR FIR…"]],
    [20, ["KEY"]],
  ])("in %i columns drops columns and keeps whole keys", async (width, headings) => {
    await withHome(
      async (store) => {
        await say(store, "telegram:123456", "Where is the quarterly report? ".repeat(5));
        await say(store, "b", "你好，世界");
      },
      async (longhand) => {
        for (const options of ["", " --all"]) {
          const { stdout } = await longhand(`list${options}`, { width });
          const lines = stdout.trimEnd().split("\n");
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(lines).toHaveLength(3);
          expect(stdout).toMatch(/^telegram:123456( |$)/m);
          if (options === "") expect(lines[0]?.split(/ {2,}/)).toEqual(headings);
        }
      },
    );
  });

  test("keeps a key that is wider than the terminal whole", async () => {
    const key = `telegram:${"9".repeat(60)}`;
    await withHome(
      async (store) => say(store, key, "x"),
      async (longhand) => {
        expect((await longhand("list", { width: 40 })).stdout).toContain(`\n${key}\n`);
      },
    );
  });

  describe("--archived and --trash", () => {
    const putAway = async (store: Store): Promise<void> => {
      await say(store, "old", "before");
      await store.session("old").archive();
      for (const text of ["first", "second"]) {
        await say(store, "gone", text);
        await store.session("gone").delete();
      }
      await say(store, "new", "now");
    };

    test("list only those, with their ids", async () => {
      await withHome(putAway, async (longhand) => {
        const [head, ...archived] = (await longhand("list --archived")).stdout.trimEnd().split("\n");
        expect(head).toMatch(/^KEY\t.*\tID$/);
        expect(archived).toEqual([
          expect.stringMatching(/^old\tbefore\t1\t.*\t[0-9A-Z]{26}$/),
          "To bring one back: longhand restore KEY",
        ]);
        const trashed = (await longhand("list --trash")).stdout.trimEnd().split("\n");
        expect(trashed).toHaveLength(4);
        expect(trashed[1]).toMatch(/^gone\t.*\t[0-9A-Z]{26}$/);
        expect(trashed.at(-1)).toBe("To bring one back: longhand restore KEY");
        expect(jsonLines((await longhand("list --trash --json")).stdout)).toMatchObject([
          { key: "gone", status: "trashed" },
          { key: "gone", status: "trashed" },
        ]);
        expect((await longhand("list --trash -n 1")).stdout).toContain("longhand list --limit 10 --trash");
        expect((await longhand("list --trash --prefix x")).stdout).toMatch(/^The trash has no sessions/);
      });
    });

    test("with nothing there say so", async () => {
      await withHome(
        async (store) => say(store, "new", "now"),
        async (longhand) => {
          expect((await longhand("list --trash")).stdout).toMatch(/^The trash is empty/);
          expect((await longhand("list --archived")).stdout).toMatch(/^No sessions are archived/);
        },
      );
    });

    test("only one of --all, --archived and --trash", async () => {
      await withHome(putAway, async (longhand) => {
        const { exitCode, stderr } = await longhand("list --trash --all");
        expect([exitCode, stderr]).toEqual([2, expect.stringContaining("only one of --all and --trash")]);
      });
    });
  });

  describe("--agent", () => {
    const CONFIG = JSON.stringify({ agent: { name: "main" }, agents: [{ name: "coder" }] });

    test("lists the sessions of another agent of the configuration", async () => {
      await withHome(
        async (store) => say(store, "mine", "x"),
        async (longhand, home) => {
          await writeFile(join(home, "longhand.json"), CONFIG);
          const empty = await longhand("list --agent coder");
          expect([empty.exitCode, empty.stdout]).toEqual([0, expect.stringContaining("No sessions")]);
          const directory = join(workspaceState(home, join(home, "workspace-coder")), "sessions");
          expect(empty.stdout).toContain(directory);
          const store = await openStore(directory);
          for (const key of ["theirs", "put-away"]) await say(store, key, "y");
          await store.session("put-away").archive();
          await store.close();
          const listed = await longhand("list --agent coder");
          expect(listed.stdout).toContain("theirs\ty\t");
          expect(listed.stdout).not.toContain("mine");
          expect((await longhand("list --agent main")).stdout).toContain("mine");
          const archived = await longhand("list --agent coder --archived");
          expect(archived.stdout).toContain(`longhand restore KEY --sessions ${shellQuote(directory)}`);
          const given = ["list", "--agent", "coder", "--archived", "--home", home];
          expect((await runIn(home, given)).stdout).toContain(
            `longhand restore KEY --home ${shellQuote(home)} --sessions ${shellQuote(directory)}`,
          );
          // An error of the store is about that agent's store too.
          await rm(join(directory, ".longhand"), { recursive: true });
          await symlink(home, join(directory, ".longhand"));
          expect((await longhand("list --agent coder")).stderr).toContain(
            `longhand doctor --sessions ${shellQuote(directory)}`,
          );
        },
      );
    });

    test("that is unknown is wrong usage and names the nearest; --sessions contradicts it", async () => {
      await withHome(
        async (store) => say(store, "mine", "x"),
        async (longhand, home) => {
          await writeFile(join(home, "longhand.json"), CONFIG);
          const unknown = await longhand("list --agent codr");
          expect(unknown.exitCode).toBe(2);
          expect(unknown.stderr).toContain(
            "there is no agent codr; did you mean coder? There are: main, coder",
          );
          const both = await longhand("list --agent coder --sessions elsewhere");
          expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining("not both")]);
        },
      );
    });
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
