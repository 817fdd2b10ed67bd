import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { say, withHome } from "../support/with-home.ts";

describe("pin and unpin", () => {
  test("a pinned message is marked, stays in sight of the model when it is cut, until it is unpinned", async () => {
    await withHome(
      async (store) => say(store, "k", "My code is 1234.", "two", "three"),
      async (longhand) => {
        const { exitCode, stdout } = await longhand("pin k 1");
        expect([exitCode, stdout]).toEqual([
          0,
          "Pinned in k: #1 “My code is 1234.”; 1 message pinned now.\nTo take it away: longhand unpin k 1\n",
        ]);
        expect((await longhand("pin k 1")).stdout).toMatch(/^Was pinned before in k: #1 /);
        const shown = (await longhand("show k")).stdout;
        expect(shown).toMatch(/#1 · pinned\n {2}My code/);
        expect(shown).not.toMatch(/#2 · pinned/);
        await longhand("truncate k --keep-last 1");
        expect((await longhand("context k")).stdout).toContain("My code is 1234.");
        expect((await longhand("show k --all")).stdout).toContain("#1 · pinned · cut from the view");
        const undone = await longhand("unpin k 1");
        expect([undone.exitCode, undone.stdout]).toEqual([
          0,
          "Not pinned any more in k: #1; 0 messages pinned now.\n",
        ]);
        expect((await longhand("context k")).stdout).not.toContain("1234");
        expect((await longhand("unpin k 1")).stdout).toBe("#1 of k was not pinned; nothing was done.\n");
      },
    );
  });

  test("for a program: the seqs that are pinned now", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two"),
      async (longhand) => {
        await longhand("pin k 2");
        expect(JSON.parse((await longhand("pin k 1 --json")).stdout)).toEqual({
          key: "k",
          seq: 1,
          pinned: [1, 2],
        });
        expect(JSON.parse((await longhand("unpin k 2 --json")).stdout)).toEqual({
          key: "k",
          seq: 2,
          pinned: [1],
        });
      },
    );
  });

  test("what is no message is refused with the way to find one, and nothing is written", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one");
        await store.session("k").setTitle("title");
      },
      async (longhand) => {
        for (const seq of [2, 99]) {
          const { exitCode, stdout, stderr } = await longhand(`pin k ${seq}`);
          expect([exitCode, stdout]).toEqual([2, ""]);
          expect(stderr).toContain(`#${seq} is no message of k\n`);
          expect(stderr).toContain("longhand show k\n");
        }
        expect((await longhand("show k --all")).stdout).not.toContain("longhand/pins");
      },
    );
  });

  test("one that was undone is pinned, and it is said that it is not shown", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two"),
      async (longhand) => {
        await longhand("undo k");
        expect((await longhand("pin k 2")).stdout).toContain("It was undone");
        expect((await longhand("unpin k 2")).stdout).toMatch(/^Not pinned any more in k: #2;/);
      },
    );
  });

  test.each(["pin k 1", "unpin k 1"])("%s makes no store where there is none", async (commandLine) => {
    await withTemporaryDirectory(async (home) => {
      expect((await runIn(home, commandLine.split(" "))).exitCode).toBe(3);
      expect(await readdir(home)).toEqual([]);
    });
  });
});
