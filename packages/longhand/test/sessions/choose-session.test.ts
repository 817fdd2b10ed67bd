import { describe, expect, test } from "vitest";
import { type Store } from "@longhand/store";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, nothing, say, withHome } from "../support/with-home.ts";

describe("KEY", () => {
  const three = async (store: Store): Promise<void> => {
    await say(store, "telegram:1", "one");
    await say(store, "telegram:2", "two");
    await say(store, "cli:default", "three");
  };

  test("may be a part, the whole, or “last”", async () => {
    await withHome(three, async (longhand) => {
      for (const [key, text] of [
        ["gram:1", "one"],
        ["telegram:2", "two"],
        ["last", "three"],
        ["CLI", "three"],
      ]) {
        expect((await longhand(`show ${key ?? ""}`)).stdout).toContain(`  ${text ?? ""}\n`);
      }
    });
  });

  test("that fits several lists them; exit code 3", async () => {
    await withHome(three, async (longhand) => {
      const { exitCode, stdout, stderr } = await longhand("show tele");
      expect([exitCode, stdout]).toEqual([3, ""]);
      expect(stderr).toMatch(/telegram:2 {2}\(just now, 1 message: two\)\n {2}telegram:1 {2}\(/);
      const json = await longhand("show tele --json");
      expect(JSON.parse(json.stderr)).toMatchObject({
        error: { code: "KEY_AMBIGUOUS", detail: { candidates: ["telegram:2", "telegram:1"] } },
      });
    });
  });

  test("lists ten at most", async () => {
    await withHome(
      async (store) => {
        for (let number = 0; number < 13; number++) await say(store, `k:${number}`, "x");
      },
      async (longhand) => {
        const { stderr } = await longhand("show k:");
        expect(stderr.match(/^ {2}k:/gm)).toHaveLength(10);
        expect(stderr).toContain("and 3 more");
      },
    );
  });

  test("that fits none says so and helps; exit code 3", async () => {
    await withHome(three, async (longhand) => {
      const near = await longhand("export cli:defautl");
      expect([near.exitCode, near.stderr]).toEqual([3, expect.stringContaining("did you mean cli:default?")]);
      expect((await longhand("undo zzzz")).stderr).toContain("longhand list");
    });
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stderr } = await runIn(home, ["show", "last"]);
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining("no session yet")]);
    });
  });

  test("“last” is a session called so, if there is one", async () => {
    await withHome(
      async (store) => {
        await say(store, "last", "the one called last");
        await say(store, "newest", "the newest");
      },
      async (longhand) => {
        expect((await longhand("show last")).stdout).toContain("the one called last");
        await longhand("append last more");
        expect((await longhand("show last --json")).stdout).toContain('"content":"more"');
      },
    );
  });

  test("with ESC, newline and CR in it is shown escaped and can be read (K16)", async () => {
    const key = "k\u001b[31m\r\n\u2028end";
    await withHome(
      async (store) => say(store, key, "kept"),
      async (longhand) => {
        const { stdout } = await longhand("show end");
        expect(stdout).toContain("k\\x1b[31m\\r\\n\\u2028end");
        expect(stdout).toContain("kept");
        expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ key }]);
      },
    );
  });

  test("and text that begin with a dash come after --", async () => {
    await withHome(nothing, async (longhand) => {
      expect((await longhand("append -- -odd --text")).stdout).toBe("seq 1  -odd\n");
      expect((await longhand("show --json -- -odd")).stdout).toContain('"content":"--text"');
      expect((await longhand("search --json -- --text")).stdout).toContain('"key":"-odd"');
      const { stdout } = await longhand("undo -- -odd");
      expect(stdout).toContain("longhand undo --to 1 -- -odd");
      expect((await longhand("undo --to 1 -- -odd")).stdout).toContain("1 message in the view");
    });
  });
});
