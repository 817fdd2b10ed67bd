import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";

describe("undo and truncate", () => {
  test("undo shows what went, and its own way back is true", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two", "three"),
      async (longhand) => {
        const undone = await longhand("undo k 2");
        expect(undone.stdout).toContain("2 messages; 1 in the view now");
        expect(undone.stdout).toMatch(/ {2}two\n[^]* {2}three\n/);
        expect((await longhand("show k --json")).stdout).not.toContain("three");
        expect((await longhand("show k --all --json")).stdout).toContain("three");
        const wayBack = /longhand (undo --to \d+ k)\n/.exec(undone.stdout)?.[1];
        expect((await longhand(wayBack ?? "")).stdout).toContain("3 messages in the view, before 1");
        expect((await longhand("show k --json")).stdout).toContain("three");
      },
    );
  });

  test("undo of more than there is undoes what there is; of nothing it fails", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand) => {
        const { stdout } = await longhand("undo k 9 --json");
        expect(JSON.parse(stdout)).toMatchObject({ key: "k", seq: 2, count: 0, undone: [{ seq: 1 }] });
        const back = await longhand("undo k --to 1 --json");
        expect(JSON.parse(back.stdout)).toMatchObject({ key: "k", seq: 3, count: 1, undone: [] });
        expect((await longhand("undo k 9")).stdout).toContain("9 were asked for; there was only 1.\n");
        const nothing = await longhand("undo k");
        expect([nothing.exitCode, nothing.stderr]).toEqual([1, expect.stringContaining("nothing to undo")]);
        const beyond = await longhand("undo k --to 99");
        expect([beyond.exitCode, beyond.stderr]).toEqual([
          2,
          "longhand: --to 99: the newest record of k is 4\n",
        ]);
      },
    );
  });

  test("undo --to tells a program what went", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two", "three"),
      async (longhand) => {
        const { stdout } = await longhand("undo k --to 1 --json");
        expect(JSON.parse(stdout)).toMatchObject({ count: 1, undone: [{ seq: 2 }, { seq: 3 }] });
      },
    );
  });

  test.each(["undo last", "undo k --to 1", "truncate k --keep-last 1", "append last hello"])(
    "%s makes no store where there is none",
    async (commandLine) => {
      await withTemporaryDirectory(async (home) => {
        expect((await runIn(home, commandLine.split(" "))).exitCode).toBe(3);
        expect(await readdir(home)).toEqual([]);
      });
    },
  );

  test("undo tells the truth when a cut is undone with the messages", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two", "three");
        await store.session("k").truncate({ keepLast: 1 });
      },
      async (longhand) => {
        const { stdout } = await longhand("undo k");
        const state = jsonLines((await longhand("list --json")).stdout);
        expect(state).toMatchObject([{ count: 2 }]);
        expect(stdout).toContain("1 message; 2 in the view now");
        expect(stdout).toContain("A cut of the view that came after them is undone");
      },
    );
  });

  test("going back to where it is takes nothing back, and is not told as if", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two");
        await store.session("k").truncate({ keepLast: 1 });
      },
      async (longhand) => {
        await longhand("undo k --to 3");
        const { stdout } = await longhand("show k --all");
        expect(stdout).toContain("· rewound: the view is what it was after #3 · #4");
        expect(stdout).not.toContain("a cut was taken back");
      },
    );
  });

  test("truncate keeps the newest; its way back is true", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two", "three"),
      async (longhand) => {
        expect(JSON.parse((await longhand("truncate k --keep-last 5 --json")).stdout)).toEqual({
          key: "k",
          seq: 3,
          before: 3,
          after: 3,
        });
        const cut = await longhand("truncate k --keep-last 1");
        expect(cut.stdout).toContain("2 messages, 1 left");
        expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ count: 1, seq: 4 }]);
        const wayBack = /longhand (undo --to \d+ k)\n/.exec(cut.stdout)?.[1];
        await longhand(wayBack ?? "");
        expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ count: 3 }]);
      },
    );
  });
});
