import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Store } from "@longhand/store";
import { tail } from "../../src/commands/tail.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";
import { fakeSurroundings, type FakeSurroundings, infoOf, withMemory } from "../support/with-memory.ts";

/** Follows `k` while `meanwhile` runs; what it prints can be waited for. */
async function follow(
  store: Store,
  options: { readonly lines: number; readonly json?: boolean },
  meanwhile: (printed: (text: string) => Promise<void>, interrupt: () => void) => Promise<void>,
): Promise<FakeSurroundings> {
  const controller = new AbortController();
  const surroundings = fakeSurroundings({ json: options.json ?? false, interruption: controller.signal });
  const { output } = surroundings;
  const printed = async (text: string): Promise<void> => {
    while (!output.printed.join("").includes(text)) await turn();
  };
  const followed = tail(
    store,
    await infoOf(store, "k"),
    { lines: options.lines, follow: true },
    surroundings,
  );
  await meanwhile(printed, () => controller.abort());
  await followed;
  return surroundings;
}

describe("tail", () => {
  test("shows the newest, then what comes, until Ctrl-C", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one", "two", "three");
      const { output } = await follow(store, { lines: 2 }, async (printed, interrupt) => {
        await printed("  three\n");
        await say(store, "k", "four");
        await printed("  four\n");
        await store.session("k").rewind({ messages: 1 });
        await printed("rewound");
        interrupt();
      });
      const text = output.printed.join("");
      expect(text).toMatch(/ {2}two\n[^]* {2}three\n[^]* {2}four\n[^]*rewound/);
      expect(text).not.toContain("  one\n");
      expect(output.complaints).toEqual([]);
    });
  });

  test("ends when the session is deleted, and says so", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one");
      const { output } = await follow(store, { lines: 1 }, async (printed) => {
        await printed("one");
        await store.session("k").delete();
      });
      expect(output.complaints).toEqual(["longhand: k was deleted\n"]);
    });
  });

  test("shows a call before its result is there", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "look");
      const { output } = await follow(store, { lines: 0 }, async (printed, interrupt) => {
        const toolCalls = [{ id: "c1", name: "list_dir", arguments: { path: "." } }];
        await store.session("k").append({ role: "assistant", content: "", toolCalls });
        await printed('→ list_dir(path: ".")\n\n');
        await store.session("k").append({ role: "tool", toolCallId: "c1", content: "a.txt" });
        await printed("✓ a.txt");
        interrupt();
      });
      expect(output.printed.join("")).not.toContain("no result");
      expect(output.printed.join("")).not.toContain("look");
    });
  });

  test("--json is one record a line, each once", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one", "two");
      const { output } = await follow(store, { lines: 1, json: true }, async (printed, interrupt) => {
        await say(store, "k", "three");
        await printed('"three"');
        await store.session("k").setTitle("T");
        await printed('"title"');
        interrupt();
      });
      expect(jsonLines(output.printed.join(""))).toMatchObject([
        { seq: 2, message: { content: "two" } },
        { seq: 3, message: { content: "three" } },
        { seq: 4, op: "meta", title: "T" },
      ]);
    });
  });

  test.each(["-f", "--follow", "-n 1 -f", "--no-follow -f"])("%s follows until Ctrl-C", async (options) => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand) => {
        const interruption = AbortSignal.timeout(200);
        const { exitCode, stdout, stderr } = await longhand(`tail k ${options}`, { interruption });
        expect([exitCode, stderr]).toEqual([0, ""]);
        expect(stdout).toContain("  one\n");
        expect(interruption.aborted).toBe(true);
      },
    );
  });

  test("--no-follow is the newest messages, of an archived session too", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two");
        await store.session("k").archive();
      },
      async (longhand) => {
        const { exitCode, stdout } = await longhand("tail k -n 1 --no-follow");
        expect([exitCode, stdout]).toEqual([0, expect.stringContaining("  two\n")]);
        expect(stdout).not.toContain("  one\n");
        expect((await longhand("tail unknown --no-follow")).exitCode).toBe(3);
      },
    );
  });
});
