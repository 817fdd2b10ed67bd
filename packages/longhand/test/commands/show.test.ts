import { describe, expect, test } from "vitest";
import { jsonLines, say, withHome } from "../support/with-home.ts";

describe("show", () => {
  test("prints the summary first, says what is cut, and shows it with --all", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two", "three", "four");
        await store.session("k").compact({ summary: "They counted.", keepFrom: 3 });
        await say(store, "k", "oops");
        await store.session("k").rewind({ messages: 1 });
        await say(store, "k", "five");
      },
      async (longhand) => {
        const { stdout } = await longhand("show k");
        expect(stdout).toMatch(
          /^k\n3 messages[^]*Summary of what came before\n {2}They counted\.\n\n2 earlier messages are cut from the view\n[^]* {2}three\n[^]* {2}four\n[^]*1 message was undone here[^]* {2}five\n\nTo read what is cut or undone too: longhand show --all k\n$/,
        );
        expect(stdout).not.toMatch(/ {2}(one|two|oops)\n/);
        const all = (await longhand("show k --all")).stdout;
        expect(all).toMatch(
          /cut from the view\n {2}one\n[^]*compacted[^]*cut from the view\n {2}oops\n[^]*rewound[^]*five/,
        );
      },
    );
  });

  test("--last shows the newest and says how many are not shown", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two", "three"),
      async (longhand) => {
        const { stdout } = await longhand("show k --last 1");
        expect(stdout).toContain("2 earlier messages not shown");
        expect(stdout).toContain("  three\n");
        expect(stdout).not.toContain("  two\n");
      },
    );
  });

  test("--json is one record a line: the view, or everything", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two");
        await store.session("k").truncate({ keepLast: 1 });
      },
      async (longhand) => {
        expect(jsonLines((await longhand("show k --json")).stdout)).toMatchObject([
          { seq: 2, message: { role: "user", content: "two" } },
        ]);
        expect(jsonLines((await longhand("show k --json --all")).stdout)).toMatchObject([
          { seq: 1, live: false },
          { seq: 2 },
          { seq: 3, op: "truncate", keepFrom: 2 },
        ]);
      },
    );
  });

  test("has tags that do not look like seqs", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "x");
        await store.session("k").setTags(["12", "red"]);
      },
      async (longhand) => expect((await longhand("show k")).stdout).toContain(" · tags: 12, red\n"),
    );
  });

  test("of a session without messages in its view", async () => {
    await withHome(
      async (store) => {
        await store.session("k").setTitle("Empty");
        await say(store, "cut", "x");
        await store.session("cut").truncate({ keepLast: 0 });
      },
      async (longhand) => {
        expect((await longhand("show k")).stdout).toContain("No messages yet.");
        expect((await longhand("show cut")).stdout).toContain("1 earlier message is cut from the view");
      },
    );
  });
});

describe("show --from and --to", () => {
  test("are the records with these seqs, the cut ones with --all", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two", "three", "four");
        await store.session("k").compact({ summary: "They counted.", keepFrom: 3 });
      },
      async (longhand) => {
        const seqs = async (options: string): Promise<unknown[]> => {
          const { stdout } = await longhand(`show k ${options} --json`);
          return stdout === "" ? [] : jsonLines(stdout).map((record) => (record as { seq: number }).seq);
        };
        expect(await seqs("--all --from 2 --to 3")).toEqual([2, 3]);
        expect(await seqs("--from 2 --to 3")).toEqual([3]);
        expect(await seqs("--all --from 4")).toEqual([4, 5]);
        expect(await seqs("--to 2")).toEqual([]);
        const { stdout } = await longhand("show k --from 2 --to 3");
        expect(stdout).toContain("  three\n");
        expect(stdout).not.toMatch(/They counted| {2}(one|two|four)\n/);
        expect(stdout).toContain("longhand show --all --from 2 --to 3 k\n");
        const beyond = await longhand("show k --from 6");
        expect([beyond.exitCode, beyond.stderr]).toEqual([
          2,
          "longhand: --from 6: the newest record of k is 5\n",
        ]);
        expect((await longhand("show k --from 3 --to 2")).exitCode).toBe(2);
      },
    );
  });
});
