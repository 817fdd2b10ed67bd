import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Store } from "@longhand/store";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";

const LONG = "and so on, ".repeat(60);

async function talk(store: Store): Promise<void> {
  const session = store.session("k");
  for (let turn = 1; turn <= 5; turn++) {
    await session.append({ role: "user", content: `question ${turn} ${LONG}` });
    await session.append({ role: "assistant", content: `answer ${turn} ${LONG}` });
  }
}

describe("compact", () => {
  test("says that there is no model, and its ways back are true", async () => {
    await withHome(talk, async (longhand) => {
      const before = (await longhand("show k --json")).stdout;
      const { exitCode, stdout } = await longhand("compact k --keep 4");
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(
        /^Compacted k: a summary stands for 6 messages \(#1 to #6\); 4 left in the view, with it about \d+ tokens\.\nThe summary was made without a model: /,
      );
      expect((await longhand("show k")).stdout).toMatch(/Summary of what came before\n[^]*question 1/);
      const [, explainCommand = ""] = /longhand (compact --explain k)\n/.exec(stdout) ?? [];
      const explained = (await longhand(explainCommand)).stdout;
      expect(explained).toMatch(/^Summary {2}.* · made without a model\nStands for 6 messages, #1 to #6\.\n/);
      const [, showCommand = ""] = /longhand (show .*)\n/.exec(explained) ?? [];
      const shown = (await longhand(`${showCommand} --json`)).stdout;
      expect(jsonLines(shown).map((record) => (record as { seq: number }).seq)).toEqual([1, 2, 3, 4, 5, 6]);

      const [, undoCommand = ""] = /longhand (compact --undo k)\n/.exec(stdout) ?? [];
      const undone = (await longhand(undoCommand)).stdout;
      expect(undone).toContain("the summary of 6 messages (#1 to #6); 10 in the view now.");
      expect((await longhand("show k --json")).stdout).toBe(before);
      const [, again = ""] = /longhand (undo --to \d+ k)\n/.exec(undone) ?? [];
      await longhand(again);
      expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ count: 4 }]);
    });
  });

  test("what it cuts is told as cut, and taking it back as that", async () => {
    await withHome(talk, async (longhand) => {
      await longhand("compact k --keep 4");
      const cut = (await longhand("show k --from 1 --to 3")).stdout;
      expect(cut).toContain("\n3 messages are cut from the view\n");
      expect(cut).not.toContain("undone here");
      await longhand("compact k --undo");
      const all = (await longhand("show k --all")).stdout;
      expect(all).toContain("· a cut was taken back: what it hid is seen again · #");
      expect(all).not.toContain("rewound");
      await longhand("undo k 2");
      expect((await longhand("show k --from 8 --to 10")).stdout).toContain("\n2 messages were undone here\n");
      expect((await longhand("show k --all")).stdout).toContain(
        "· rewound: the view is what it was after #8 · #",
      );
    });
  });

  test("what was cut again since is not taken back, and that is said", async () => {
    await withHome(talk, async (longhand) => {
      await longhand("compact k --keep 4");
      await longhand("truncate k --keep-last 1");
      const { exitCode, stderr } = await longhand("compact k --undo");
      expect(exitCode).toBe(1);
      expect(stderr).toContain("its view was cut again or replaced since, and that comes first");
      expect(stderr).toContain("longhand show --all k\n");
    });
  });

  test("what came after a compaction stays when it is taken back", async () => {
    await withHome(talk, async (longhand) => {
      await longhand("compact k --keep 4");
      await longhand("append k newest");
      const undone = JSON.parse((await longhand("compact k --undo --json")).stdout) as object;
      expect(undone).toMatchObject({ key: "k", count: 11, undone: { from: 1, to: 6, by: "no-model" } });
      expect((await longhand("show k --last 1")).stdout).toContain("  newest\n");
    });
  });

  test("--explain tells each summary, the newest first, and which stands for another", async () => {
    await withHome(talk, async (longhand) => {
      expect((await longhand("compact k --explain")).stdout).toBe("k is not compacted.\n");
      await longhand("compact k --keep 6");
      await longhand("compact k --keep 2");
      const { stdout } = await longhand("compact k --explain");
      expect(stdout).toMatch(
        /#5 to #\d+, and for the summary below\.\n[^]*Stands for 4 messages, #1 to #4\.\n/,
      );
      const document = JSON.parse((await longhand("compact k --explain --json")).stdout) as object;
      expect(document).toMatchObject({
        key: "k",
        compactions: [
          { from: 5, messages: 4 },
          { from: 1, to: 4 },
        ],
      });
    });
  });

  test("--dry-run says the same, promises nothing, and writes nothing", async () => {
    await withHome(talk, async (longhand) => {
      const { stdout } = await longhand("compact k --keep 4 --dry-run");
      expect(stdout).toMatch(
        /^In k a summary would stand for 6 messages \(#1 to #6\); 4 would stay\.\nThe view has about \d+ tokens now\. Made without a model, the summary may turn out no shorter; then nothing is done\.\nTo try it: longhand compact --keep 4 k\n$/,
      );
      expect((await longhand("compact k --keep 4 --dry-run --max-tokens 500")).stdout).toContain(
        "The view has more than 500 tokens now.",
      );
      expect(JSON.parse((await longhand("compact k --keep 4 --dry-run --json")).stdout)).toEqual({
        key: "k",
        dryRun: true,
        would: { from: 1, to: 6, messages: 6 },
        before: { tokens: expect.any(Number) as number, messages: 10 },
      });
      expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ count: 10, seq: 10 }]);
    });
  });

  test("by hand the thresholds do not hold, unless they are given", async () => {
    await withHome(talk, async (longhand) => {
      const within = await longhand("compact k --keep 4 --max-messages 30");
      expect([within.exitCode, within.stdout]).toEqual([
        0,
        expect.stringContaining("10 messages in its view, not more than 30"),
      ]);
      const few = await longhand("compact k");
      expect(few.stdout).toMatch(
        /^There is nothing to cut in k: [^]*To try with fewer: longhand compact --keep 1 k\n/,
      );
      expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ seq: 10 }]);
      const above = await longhand("compact k --keep 4 --max-messages 9 --json");
      expect(JSON.parse(above.stdout)).toMatchObject({
        key: "k",
        done: true,
        from: 1,
        to: 6,
        by: "no-model",
      });
    });
  });

  test("advises only what finds something to cut", async () => {
    await withHome(
      async (store) => {
        await talk(store);
        await say(store, "one", LONG);
        await store.session("one").append({ role: "assistant", content: LONG });
      },
      async (longhand) => {
        const tooMany = await longhand("compact k --keep 50");
        const [, advised = ""] = /To try with fewer: longhand (.*)\n/.exec(tooMany.stdout) ?? [];
        expect(advised).toBe("compact --keep 1 k");
        for (const commandLine of ["compact one", "compact one --keep 1", "compact one --dry-run"]) {
          const { exitCode, stdout } = await longhand(commandLine);
          expect([exitCode, stdout]).toEqual([
            0,
            expect.stringMatching(/^There is nothing to cut in one: .*\n$/),
          ]);
        }
        expect((await longhand("compact one --keep 1")).stdout).toContain("stay, 1 message of them at most");
        expect((await longhand(advised)).stdout).toContain("Compacted k: ");
      },
    );
  });

  test("a summary as long as its messages is not written", async () => {
    await withHome(
      async (store) => say(store, "k", "a", "b", "c"),
      async (longhand) => {
        const { exitCode, stdout } = await longhand("compact k --keep 1");
        expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Nothing was done in k")]);
        expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ seq: 3 }]);
      },
    );
  });

  test("there may be nothing to take back", async () => {
    await withHome(
      async (store) => {
        await talk(store);
        await say(store, "other", "one", "two");
        await store.session("other").compact({ summary: "By somebody else.", keepFrom: 2 });
      },
      async (longhand) => {
        const plain = await longhand("compact k --undo");
        expect([plain.exitCode, plain.stderr]).toEqual([1, expect.stringContaining("it is not compacted")]);
        const json = await longhand("compact other --undo --json");
        expect([json.exitCode, JSON.parse(json.stderr)]).toMatchObject([
          1,
          { error: { code: "NOTHING_TO_UNDO" } },
        ]);
        expect((await longhand("compact other --explain")).stdout).toContain("nobody has noted");
      },
    );
  });

  test.each(["compact k", "compact k --dry-run", "compact k --undo", "compact k --explain"])(
    "%s makes no store where there is none",
    async (commandLine) => {
      await withTemporaryDirectory(async (home) => {
        expect((await runIn(home, commandLine.split(" "))).exitCode).toBe(3);
        expect(await readdir(home)).toEqual([]);
      });
    },
  );
});
