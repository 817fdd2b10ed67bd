import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Store } from "@longhand/store";
import { pinMessage } from "@longhand/store/context";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { say, withHome } from "../support/with-home.ts";

interface ContextDocument {
  readonly usage: Readonly<Record<string, number>>;
  readonly messagesNotShown: number;
  readonly model: string;
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly seq: number; readonly message: { readonly role: string } }[];
}

async function talk(store: Store): Promise<void> {
  const session = store.session("k");
  for (let turn = 1; turn <= 4; turn++) {
    await session.append({ role: "user", content: `question ${turn}` });
    await session.append({ role: "assistant", content: `answer ${turn}` });
  }
  await pinMessage(session, 2);
  await session.compact({ summary: "They counted to two.", keepFrom: 5 });
}

describe("context", () => {
  test("shows the usage, the summary, the pins, and the turns with their seqs", async () => {
    await withHome(talk, async (longhand) => {
      const { exitCode, stdout, stderr } = await longhand("context k");
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^k\na window of 32000 tokens, estimated; [\d.]+ K?B as JSON\n\[.{60}\]\n/);
      expect(stdout).toMatch(
        /\n█ system +\d+ +<1 %\n▓ tools +\d+ +\d+ %\n▒ summary +\d+ +<1 % +with the pins\n/,
      );
      expect(stdout).toMatch(
        /\nsystem {2}put together for the model\n[^]*They counted to two\.[^]*answer 1\n/,
      );
      expect(stdout).toMatch(/user {2}#5\n {2}question 3\n[^]*assistant {2}#8\n {2}answer 4\n/);
      expect(stdout).not.toMatch(/question [12]/);
    });
  });

  test("its numbers are those of the window, and add up to it", async () => {
    await withHome(talk, async (longhand) => {
      const { stdout } = await longhand("context k --max-tokens 4000 --reserve 1000 --json");
      const { usage, messages, tools } = JSON.parse(stdout) as ContextDocument;
      const { maxTokens, bytes, ...parts } = usage;
      expect([maxTokens, usage["reserve"]]).toEqual([4000, 1000]);
      expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(4000);
      const request = [messages.map(({ message }) => message), tools];
      expect(bytes).toBe(request.reduce((sum, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0));
      expect(messages.map(({ seq, message }) => [seq, message.role])).toEqual([
        [0, "system"],
        [5, "user"],
        [6, "assistant"],
        [7, "user"],
        [8, "assistant"],
      ]);
    });
  });

  test("the bar is as wide as the terminal, and coloured only there", async () => {
    await withHome(talk, async (longhand) => {
      for (const width of [40, 80]) {
        const { stdout } = await longhand("context k", { width });
        const [, , bar = ""] = stdout.split("\n");
        expect(bar.length).toBe(width);
        expect(stdout).not.toContain("\u001b");
      }
      const { stdout } = await longhand("context k", { width: 80, colors: true });
      expect(stdout).toContain("\u001b[36m■");
    });
  });

  test("says what was left out, shortened and repaired", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", ...Array.from({ length: 30 }, (_, index) => `${index} ${"word ".repeat(100)}`));
        const session = store.session("k");
        await session.append({ role: "user", content: "list them" });
        await session.append({
          role: "assistant",
          content: "",
          toolCalls: [
            { id: "1", name: "list", arguments: {} },
            { id: "2", name: "other", arguments: {} },
          ],
        });
        await session.append({ role: "tool", toolCallId: "1", content: "entry ".repeat(3000) });
      },
      async (longhand) => {
        const { stdout } = await longhand("context k --max-tokens 2000");
        expect(stdout).toMatch(/Left out, since there is no room: 30 messages of the view are not in it\.\n/);
        expect(stdout).toContain("To read all: longhand show k\n");
        expect(stdout).toMatch(/Shortened to make it fit:\n {2}#33 tool-result: 18000 → \d+ characters\n/);
        expect(stdout).toMatch(/Repaired for the model[^]*\n {2}#32 missing-result: /);
      },
    );
  });

  test("advises a compaction only where it finds something to cut", async () => {
    const long = "word ".repeat(1000);
    await withHome(
      async (store) => {
        await say(store, "many", ...Array.from({ length: 30 }, () => long));
        await say(store, "few", long, long, long);
        await say(store, "archived", long, long, long);
        await store.session("archived").archive();
      },
      async (longhand) => {
        const adviceFor = async (key: string): Promise<string | undefined> => {
          const { stdout } = await longhand(`context ${key} --max-tokens 2000`);
          expect(stdout).toContain("Left out, since there is no room");
          return /To try a summary in place of the oldest: longhand (.*)\n/.exec(stdout)?.[1];
        };
        expect(await adviceFor("many")).toBe("compact many");
        expect(await adviceFor("few")).toBe("compact --keep 1 few");
        expect(await adviceFor("archived")).toBeUndefined();
        for (const key of ["many", "few"])
          expect((await longhand((await adviceFor(key)) ?? "")).stdout).toContain(`Compacted ${key}: `);
      },
    );
  });

  test("a reserve that leaves no room is told with the options, and with what fits", async () => {
    await withHome(talk, async (longhand) => {
      const { exitCode, stderr } = await longhand("context k --reserve 99999");
      expect(exitCode).toBe(2);
      expect(stderr).toContain(
        "there is no room for the conversation k: --max-tokens 32000, --reserve 99999 of",
      );
      const [, reserve = "", window = ""] =
        /what would fit: (--reserve \d+), or (--max-tokens \d+)\n/.exec(stderr) ?? [];
      expect((await longhand(`context k ${reserve}`)).exitCode).toBe(0);
      expect((await longhand(`context k --reserve 99999 ${window}`)).exitCode).toBe(0);
      const bytes = await longhand("context k --max-bytes 10");
      expect([bytes.exitCode, bytes.stderr]).toEqual([
        2,
        expect.stringContaining("what would fit: no --max-bytes\n"),
      ]);
    });
  });

  test("says which window it assumes for a model, unless that is given", async () => {
    await withHome(talk, async (longhand) => {
      const { exitCode, stdout, stderr } = await longhand("context k --model gpt-unheard-of");
      expect([exitCode, stderr]).toEqual([
        0,
        "longhand: warning: context length of gpt-unheard-of unknown; assuming 32000 (--max-tokens N sets it)\n",
      ]);
      expect(stdout).toContain("a window of 32000 tokens");
      const json = await longhand("context k --model gpt-unheard-of --json");
      expect(JSON.parse(json.stderr)).toMatchObject({
        warning: { code: "WINDOW_ASSUMED", model: "gpt-unheard-of", maxTokens: 32000 },
      });
      const given = await longhand("context k --model gpt-unheard-of --max-tokens 9000");
      expect([given.exitCode, given.stderr]).toEqual([0, ""]);
    });
  });

  test("a window without room for anything is wrong usage", async () => {
    await withHome(talk, async (longhand) => {
      const { exitCode, stderr } = await longhand("context k --max-tokens 1");
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("no room")]);
    });
  });

  test("what a message holds does not act on the terminal", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "old", "\u001b[31mred\r");
        await store.session("k").compact({ summary: "\u001b]0;title\u0007", keepFrom: 2 });
      },
      async (longhand) => {
        const { stdout } = await longhand("context k", { width: 80 });
        expect(stdout).toContain("\\x1b[31mred\\r");
        expect(stdout).toContain("\\x1b]0;title\\x07");
        expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
      },
    );
  });

  test("of a session that is not there it makes no store", async () => {
    await withTemporaryDirectory(async (home) => {
      expect((await runIn(home, ["context", "k"])).exitCode).toBe(3);
      expect(await readdir(home)).toEqual([]);
    });
  });
});
