import { describe, expect, test } from "vitest";
import { fork } from "../../src/commands/fork.ts";
import { rename } from "../../src/commands/rename.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";
import { fakeSurroundings, infoOf, withMemory } from "../support/with-memory.ts";

describe("fork", () => {
  test("begins like the other, up to a record, and says where", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one", "two", "three");
      const whole = fakeSurroundings();
      await fork(store, await infoOf(store, "k"), "all", undefined, whole);
      expect(whole.output.printed.join("")).toBe(
        "Forked k after #3 to all: 3 messages in the view.\nTo read it: longhand show all\n",
      );
      const part = fakeSurroundings({ json: true });
      await fork(store, await infoOf(store, "k"), "some", 2, part);
      expect(JSON.parse(part.output.printed.join(""))).toEqual({
        key: "k",
        newKey: "some",
        seq: 2,
        count: 2,
      });
      expect(await store.session("some").messages()).toMatchObject([{ content: "one" }, { content: "two" }]);
    });
  });

  test("from end to end; onto an active key, or beyond the end, it is refused", async () => {
    await withHome(
      async (store) => {
        await say(store, "first", "one", "two");
        await say(store, "other", "x");
      },
      async (longhand) => {
        expect((await longhand("fork fir first")).stderr).toBe("longhand: a fork needs a different key\n");
        expect((await longhand("fork fir second --at 1")).exitCode).toBe(0);
        await longhand("append second its_own");
        expect(jsonLines((await longhand("show second --json")).stdout)).toMatchObject([
          { seq: 1, message: { content: "one" } },
          { seq: 2, message: { content: "its own" } },
        ]);
        expect(jsonLines((await longhand("show first --json")).stdout)).toHaveLength(2);
        const taken = await longhand("fork first other --json");
        expect(taken.exitCode).toBe(1);
        expect(JSON.parse(taken.stderr)).toMatchObject({ error: { code: "SESSION_EXISTS" } });
        expect((await longhand("fork first third --at 99")).exitCode).toBe(2);
        expect((await longhand("fork first third --at 0")).exitCode).toBe(2);
      },
    );
  });
});

test("of an archived session: it stays archived, and the new one is active", async () => {
  await withHome(
    async (store) => {
      await say(store, "old", "one", "two");
      await store.session("old").archive();
    },
    async (longhand) => {
      const { exitCode, stdout } = await longhand("fork old new --at 1");
      expect([exitCode, stdout]).toEqual([
        0,
        expect.stringContaining("Forked old (archived, and stays so) after #1 to new: 1 message"),
      ]);
      expect(jsonLines((await longhand("list --all --order key --json")).stdout)).toMatchObject([
        { key: "new", status: "active", seq: 1 },
        { key: "old", status: "archived", seq: 2 },
      ]);
      await longhand("delete old");
      const trashed = await longhand("fork old third");
      expect([trashed.exitCode, trashed.stderr]).toEqual([
        3,
        expect.stringMatching(/^longhand: old is in the trash\n.*longhand restore old\n$/),
      ]);
    },
  );
});

describe("rename", () => {
  test("sets the title, and tells the one before; an empty one takes it away", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one");
      const titles = async (title: string, json = false): Promise<string> => {
        const surroundings = fakeSurroundings({ json });
        await rename(store, await infoOf(store, "k"), title, surroundings);
        return surroundings.output.printed.join("");
      };
      expect(await titles("A\u001b[2J")).toBe("k is called “A\\x1b[2J” now.\n");
      expect(await titles("B")).toBe("k is called “B” now, before “A\\x1b[2J”.\n");
      expect(JSON.parse(await titles("C", true))).toEqual({ key: "k", seq: 4, title: "C" });
      expect(await titles("")).toBe("k has no title now, before “C”.\n");
    });
  });
});
