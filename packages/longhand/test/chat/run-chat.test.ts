import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ChatInMemory, gate, untilCancelled, withChat } from "./support/chat-in-memory.ts";
import { TurnClock } from "../../src/chat/turn-clock.ts";
import type { Script } from "./support/fake-agent.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

const echo: Script = async ({ text, say }) => {
  say(`You said: ${text}`);
  return await Promise.resolve("answered");
};
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

describe("a chat on a terminal", () => {
  test("greets, answers, keeps what was said, and leaves", async () => {
    await withChat(echo, async ({ terminal, enters, sees, ended, agent }) => {
      await sees(
        /helper\nmodel +fake:one\nsession +talk\nworkspace +\/tmp\/workspace\n/,
        "Sessions are not kept",
      );
      enters("hello");
      await sees("❯ hello", "You said: hello", /\[■·{9}\] \d+ % of 32000 tokens/);
      enters("/quit");
      expect(await ended).toBe(0);
      expect(terminal.isOpen).toBe(false);
      expect((await agent.store.session("talk").messages()).map(({ content }) => content)).toEqual([
        "hello",
        "You said: hello",
      ]);
    });
  });

  test("typing during an answer garbles nothing, and Enter waits", async () => {
    const { opened, open } = gate();
    const script: Script = async ({ text, say }) => {
      if (text === "first") {
        say("a line\nthe beginning");
        await opened;
        say(" and the end\n");
      } else say(`answer to ${text}`);
      return "answered";
    };
    await withChat(script, async ({ terminal, enters, sees }) => {
      enters("first");
      await sees("a line", "the beginning");
      terminal.type("sec");
      await sees("❯ sec");
      expect(terminal.cursor).toEqual({ line: "❯ sec", column: 5 });
      enters("ond");
      await sees("waiting: second");
      terminal.type("draft");
      open();
      await sees("the beginning and the end", "answer to second", "❯ draft");
      expect(terminal.text).not.toContain("waiting:");
      const order = ["❯ first", "the beginning and the end", "❯ second", "answer to second", "❯ draft"];
      const places = order.map((line) => terminal.lines.indexOf(line));
      expect(places).toEqual([...places].sort((one, other) => one - other));
      expect(places).not.toContain(-1);
    });
  });

  test("Ctrl-C cancels the turn, gives back what waits, clears the line, and then says how to leave", async () => {
    const script: Script = async ({ say, signal }) => {
      say("working on it");
      return await untilCancelled(signal);
    };
    await withChat(script, async ({ terminal, enters, sees }) => {
      enters("go");
      await sees("working on it");
      enters("next");
      await sees("waiting: next");
      terminal.type(CTRL_C);
      await sees("cancelled; what was said until then is kept", "❯ next");
      expect(terminal.lines.filter((line) => line.includes("❯"))).toEqual(["❯ go", "❯ next"]);
      terminal.type(CTRL_C);
      await sees(/❯$/);
      expect(terminal.text).not.toContain("to leave:");
      terminal.type(CTRL_C);
      await sees("to leave: /quit or Ctrl-D");
    });
  });

  test("Ctrl-D on an empty line leaves, also during an answer, and says what was not sent", async () => {
    const script: Script = async ({ signal }) => await untilCancelled(signal);
    await withChat(script, async ({ terminal, enters, sees, ended }) => {
      enters("go");
      await sees(/working \d+ s/);
      enters("later");
      await sees("waiting: later");
      terminal.type(CTRL_D);
      expect(await ended).toBe(0);
      expect(terminal.text).toContain("not sent: later");
      expect(terminal.text).not.toContain("waiting:");
    });
  });

  test("no clock is shown before work has begun", () => {
    let now = new Date("2026-11-15T12:00:00.000Z");
    const clock = new TurnClock(() => now);
    expect(clock.describe()).not.toMatch(/\d/);
    clock.begin();
    now = new Date("2026-11-15T12:00:07.500Z");
    expect(clock.describe()).toContain("working 7 s");
  });

  test.each([["Ctrl-D", CTRL_D] as const, ["/quit", "/quit\r"] as const])(
    "%s says how to continue, once something was said",
    async (_, keys) => {
      const kept = { keptBy: "jsonl" as const };
      const left = async (words: string): Promise<string> => {
        let text = "";
        const use = async (chat: ChatInMemory): Promise<void> => {
          if (words !== "") {
            chat.enters(words);
            await chat.sees(`You said: ${words}`, /tokens · fake:one · talk/);
          }
          chat.terminal.type(keys);
          await chat.ended;
          text = chat.terminal.text;
        };
        await withChat(echo, use, kept);
        return text;
      };
      expect(await left("hello")).toContain("To continue this conversation: longhand chat talk");
      expect(await left("")).not.toContain("To continue");
    },
  );

  test("SIGTERM and a terminal that is gone end it cleanly", async () => {
    const controller = new AbortController();
    const script: Script = async ({ signal }) => await untilCancelled(signal);
    await withChat(
      script,
      async ({ enters, sees, ended, agent }) => {
        enters("go");
        await sees(/working \d+ s/);
        controller.abort();
        expect(await ended).toBe(0);
        expect(await agent.store.session("talk").messages()).toHaveLength(2);
      },
      { signal: controller.signal },
    );
    await withChat(echo, async ({ terminal, ended }) => {
      terminal.hangUp();
      expect(await ended).toBe(0);
    });
  });

  test("a paste is one message with its line ends", async () => {
    await withChat(echo, async ({ terminal, enters, sees, agent }) => {
      terminal.type("\u001b[200~one\rtwo");
      terminal.type("\r\nthree\u001b[20");
      terminal.type("1~");
      await sees("❯ one\n  two\n  three");
      enters("");
      await sees("You said: one");
      expect((await agent.store.session("talk").messages({ last: 2 }))[0]?.content).toBe("one\ntwo\nthree");
    });
  });

  test("tool calls, reasoning, retries and compactions are shown as they happen", async () => {
    const { opened, open } = gate();
    const script: Script = async ({ emit, say }) => {
      emit({ type: "reasoning-delta", text: "let me look" });
      emit({ type: "tool-call", id: "1", name: "read_file", arguments: { path: "a.txt" } });
      emit({ type: "tool-call", id: "2", name: "exec", arguments: { command: "rm \u001b[2J" } });
      await opened;
      emit({ type: "tool-result", id: "2", name: "exec", content: "no such\nfile", isError: true });
      emit({ type: "tool-result", id: "1", name: "read_file", content: "hello", isError: false });
      emit({ type: "error", code: "MODEL_BUSY", message: "the server is busy", retryIn: 4000 });
      emit({ type: "compaction", seq: 3, messages: 12 });
      say("done");
      return "step-limit";
    };
    await withChat(script, async ({ enters, sees, terminal }) => {
      enters("go");
      await sees("  let me look", '→ read_file(path: "a.txt") …', '→ exec(command: "rm \\u001b[2J") …');
      open();
      await sees("too many steps");
      await sees(
        '→ exec(command: "rm \\u001b[2J")\n  ✗ no such file\n→ read_file(path: "a.txt")\n  ✓ hello',
        "✗ the server is busy (MODEL_BUSY)\n",
        "the oldest 12 messages are a summary",
        "done",
      );
      expect(terminal.text).not.toContain(") …");
    });
  });

  test("a question is answered by yes or no only, and what was being typed is not lost", async () => {
    const answers: boolean[] = [];
    const { opened, open } = gate();
    const script: Script = async ({ approve, say }) => {
      await opened;
      const both = await Promise.all([
        approve("exec", { command: "ls" }),
        approve("write_file", { path: "x" }),
      ]);
      answers.push(...both);
      say("asked");
      return "answered";
    };
    await withChat(script, async ({ terminal, enters, sees }) => {
      enters("go");
      await sees(/working/);
      terminal.type("my dra");
      await sees("❯ my dra");
      open();
      await sees("exec: yes or no? [y/N]", '"command": "ls"', "it may do harm");
      enters("ft");
      await sees("please answer yes or no");
      expect(answers).toEqual([]);
      enters("y");
      await sees("write_file: yes or no? [y/N]");
      enters("");
      await sees("asked", "❯ my draft");
      expect(answers).toEqual([true, false]);
    });
  });

  test("a question is refused where nobody is in the chat, and when its turn is cancelled", async () => {
    const answers: boolean[] = [];
    const script: Script = async ({ approve }) => {
      answers.push(await approve("exec", {}));
      return "cancelled";
    };
    await withChat(script, async ({ terminal, enters, sees, link, ended, agent }) => {
      enters("go");
      await sees("exec: yes or no?");
      terminal.type(CTRL_C);
      await sees("cancelled;");
      expect(answers).toEqual([false]);
      enters("/quit");
      await ended;
      const question = { agent: agent.name, key: "talk", tool: "exec", input: {}, reason: "" };
      expect(await link.approve(question, new AbortController().signal)).toBe(false);
    });
  });

  test("resizing draws the bottom anew and leaves nothing behind", async () => {
    const { opened, open } = gate();
    const script: Script = async ({ say }) => {
      say("the answer begins here and it is longer than the narrow terminal");
      await opened;
      return "answered";
    };
    await withChat(
      script,
      async ({ terminal, enters, sees }) => {
        enters("go");
        await sees("narrow terminal");
        terminal.type("数据 and a long line that is being typed meanwhile");
        await sees("meanwhile");
        terminal.resize(30, 16);
        await sees("❯ 数据 and a long line that i\n  s being typed meanwhile");
        terminal.resize(80, 16);
        await sees("❯ 数据 and a long line that is being typed meanwhile");
        open();
        await sees(/\nthe answer begins here and it is longer than the narrow terminal\n/);
        expect(terminal.lines.filter((line) => line.includes("❯"))).toHaveLength(2);
        expect(terminal.lines.filter((line) => line.includes("the answer"))).toHaveLength(1);
        expect(terminal.lines.filter((line) => line.includes("tokens"))).toHaveLength(1);
      },
      { width: 80 },
    );
  });

  test("what is said by /now steers the turn that runs", async () => {
    const { opened, open } = gate();
    const script: Script = async ({ say, steered }) => {
      await opened;
      say(`steered by ${steered.join()}`);
      return "answered";
    };
    await withChat(script, async ({ enters, sees }) => {
      enters("go");
      await sees(/working/);
      enters("/now hurry");
      await sees("» hurry");
      open();
      await sees("steered by hurry");
    });
  });

  test("words that could not be kept are back in the line", async () => {
    const script: Script = () => Promise.reject(new Error("the disk is full"));
    await withChat(script, async ({ enters, sees }) => {
      enters("precious words");
      await sees("the disk is full", "it was not kept", /❯ precious words$/);
    });
  });

  test("what was typed is there the next time, and only for its owner", async () => {
    await withTemporaryDirectory(async (directory) => {
      const historyFile = join(directory, "home", "chat-history");
      await withChat(
        echo,
        async ({ enters, sees }) => {
          enters("the first\\");
          enters("two lines");
          await sees("You said: the first");
        },
        { historyFile },
      );
      expect((await stat(historyFile)).mode & 0o777).toBe(0o600);
      expect(await readFile(historyFile, "utf8")).toBe('"the first\\ntwo lines"\n');
      await withChat(
        echo,
        async ({ terminal }) => {
          // Again and again: the history is read while the chat begins, and a key that comes earlier finds none.
          await expect
            .poll(() => {
              terminal.type("\u001b[A");
              return terminal.text;
            })
            .toContain("❯ the first\n  two lines");
        },
        { historyFile },
      );
    });
  });
});
