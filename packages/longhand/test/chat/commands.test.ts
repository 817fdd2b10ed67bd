import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { defineTool } from "@longhand/agent";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ALL_COMMANDS } from "../../src/chat/commands/all-commands.ts";
import { newKey } from "../../src/chat/new-key.ts";
import { completeCommand, parseCommand } from "../../src/chat/parse-command.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";
import { gate, withChat } from "./support/chat-in-memory.ts";
import type { Script } from "./support/fake-agent.ts";

const echo: Script = async ({ text, say }) => {
  say(`echo of ${text}`);
  return await Promise.resolve("answered");
};
const wide = { width: 100, height: 40 };

describe("what is a command", () => {
  test("the list has every documented command", () => {
    expect(ALL_COMMANDS.map(({ name }) => name)).toEqual(
      expect.arrayContaining(
        "help new sessions resume fork undo redo compact context memory model tools export quit".split(" "),
      ),
    );
  });

  test.each([
    ["/help", "command"],
    ["/HELP", "command"],
    ["/export a b.md", "command"],
    ["/etc/hosts is a file", "message"],
    [" /help", "message"],
    ["/", "message"],
    ["what is /help", "message"],
    ["/halp", "unusable"],
    ["/undo 2", "unusable"],
    ["/quit now", "unusable"],
    ["/quit ", "command"],
  ])("%j is a %s", (line, kind) => {
    expect(parseCommand(line, ALL_COMMANDS).kind).toBe(kind);
  });

  test.each([
    ["/hlep", "/help"],
    ["/mem", "/memory"],
    ["/quti", "/quit"],
    ["/exprt", "/export"],
    ["/undoo", "/undo"],
  ])("%s is answered by %s", (line, suggestion) => {
    const parsed = parseCommand(line, ALL_COMMANDS);
    expect(parsed.kind === "unusable" && parsed.hint).toContain(`did you mean ${suggestion}?`);
  });

  test("completion", () => {
    expect(completeCommand("/he", ALL_COMMANDS).text).toBe("/help ");
    expect(completeCommand("/co", ALL_COMMANDS)).toEqual({ text: "/co", choices: ["/compact", "/context"] });
    expect(completeCommand("/zz", ALL_COMMANDS)).toEqual({ text: "/zz", choices: [] });
    expect(completeCommand("hello", ALL_COMMANDS)).toEqual({ text: "hello", choices: [] });
  });
});

describe("commands in a chat", () => {
  test("/help names every command; an unknown one is put back to be mended; Tab completes", async () => {
    await withChat(
      echo,
      async ({ terminal, enters, sees }) => {
        enters("/help");
        await sees(...ALL_COMMANDS.map(({ name }) => `/${name}`), "Ctrl-C");
        enters("/hlep");
        await sees("did you mean /help?", "❯ /hlep");
        terminal.type("\u0015/mo\t");
        await sees("❯ /model");
        terminal.type("\u0015/co\t");
        await sees("/compact  /context");
        enters("\u0015 /no command");
        await sees("echo of /no command");
      },
      wide,
    );
  });

  test("what commands say is broken between words", async () => {
    await withChat(
      echo,
      async ({ enters, sees, terminal }) => {
        enters("/help");
        await sees("complete a command");
        enters("one");
        await sees("echo of one");
        enters("/undo now");
        await sees("/undo takes no arguments");
        enters("\u0015/undo");
        await sees("0 messages left");
        const words = new Set(
          ALL_COMMANDS.flatMap(({ summary }) => summary.split(" ")).map((word) => word.replace(/\W+$/, "")),
        );
        for (const word of words) expect(terminal.text).toContain(word);
        for (const line of terminal.text.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
      },
      { width: 60, height: 60 },
    );
  });

  test.each([44, 60, 100])("/sessions shows every key whole, in %i columns", async (width) => {
    const key = "telegram:work-account:group-1234567890:ada";
    await withChat(
      echo,
      async ({ enters, sees, agent }) => {
        await agent.store.session(key).append({ role: "user", content: "boiler" });
        enters("/sessions");
        await sees(key, "KEY");
      },
      { width, height: 60 },
    );
  });

  test("/new, /sessions, /resume and /fork go from one conversation to another, and mix none", async () => {
    await withChat(
      echo,
      async ({ terminal, enters, sees, agent }) => {
        enters("/fork");
        await sees("there is nothing to fork");
        enters("one");
        await sees("echo of one");
        enters("/new second");
        await sees("A new conversation: second", "· second");
        enters("two");
        await sees("echo of two");
        enters("/new talk");
        await sees("talk is there already");
        enters("/sessions");
        await sees(/\* second +two +2/, / {2}talk +one +2/);
        enters("/resume tal");
        await sees(/talk {2}2 messages/);
        enters("/fork");
        await sees("Now in talk:2, which begins with the 2 messages of talk.");
        enters("three");
        await sees("echo of three");
        enters("/resume nowhere");
        await sees("no session has “nowhere” in its key", "/sessions");
        enters("/resume");
        await sees(/· second$/m);
        enters("/new");
        await sees(/A new conversation: chat:2026-11-15-\d{6}-[0-9a-z]{4}/);
        const said = async (key: string): Promise<unknown[]> =>
          (await agent.store.session(key).messages())
            .filter(({ role }) => role === "user")
            .map(({ content }) => content);
        expect(await said("talk")).toEqual(["one"]);
        expect(await said("second")).toEqual(["two"]);
        expect(await said("talk:2")).toEqual(["one", "three"]);
        expect(terminal.isOpen).toBe(true);
      },
      wide,
    );
  });

  test("/undo takes the last turn back, and waits for the answer that is being given", async () => {
    const { opened, open } = gate();
    const script: Script = async ({ text, say }) => {
      if (text === "two") await opened;
      say(`echo of ${text}`);
      return "answered";
    };
    await withChat(
      script,
      async ({ enters, sees, agent }) => {
        enters("/undo");
        await sees("there is no turn to take back");
        enters("one");
        await sees("echo of one");
        enters("two");
        enters("/undo");
        await sees("waiting: /undo");
        open();
        await sees("The last turn is taken back; 2 messages left", "/redo undoes the undo");
        expect((await agent.store.session("talk").messages()).map(({ content }) => content)).toEqual([
          "one",
          "echo of one",
        ]);
      },
      wide,
    );
  });

  test("/redo undoes each /undo, and nothing after a new message", async () => {
    await withChat(
      echo,
      async ({ enters, sees, agent, terminal }) => {
        const said = async (): Promise<unknown[]> =>
          (await agent.store.session("talk").messages())
            .filter(({ role }) => role === "user")
            .map(({ content }) => content);
        const refusals = (): number => terminal.text.split("there is nothing to redo").length - 1;
        enters("/redo");
        await sees("there is nothing to redo");
        for (const word of ["one", "two", "three"]) {
          enters(word);
          await sees(`echo of ${word}`);
        }
        enters("/undo");
        await sees("4 messages left");
        enters("/undo");
        await sees("2 messages left");
        enters("/redo");
        await sees("Redone; 4 messages in the view.");
        expect(await said()).toEqual(["one", "two"]);
        enters("/redo");
        await sees("Redone; 6 messages in the view.");
        expect(await said()).toEqual(["one", "two", "three"]);
        enters("/redo");
        await expect.poll(refusals).toBe(2);
        enters("/undo");
        await expect.poll(() => terminal.text.split("4 messages left").length - 1).toBe(2);
        enters("four");
        await sees("echo of four");
        enters("/redo");
        await expect.poll(refusals).toBe(3);
        expect(await said()).toEqual(["one", "two", "four"]);
      },
      { ...wide, height: 200 },
    );
  });

  test("/resume shows the last turns as they looked, and how to see the rest; /fork shows none again", async () => {
    const long = Array.from({ length: 200 }, (_, number) => `- point ${number}`).join("\n");
    const script: Script = async ({ text, say, emit }) => {
      if (text === "tool") {
        emit({ type: "tool-call", id: "1", name: "exec", arguments: { command: "ls" } });
        emit({ type: "tool-result", id: "1", name: "exec", content: "a.txt", isError: false });
      }
      say(text === "long" ? long : `# Answer to ${text}`);
      return await Promise.resolve("answered");
    };
    await withChat(
      script,
      async ({ enters, sees, agent, terminal }) => {
        const session = agent.store.session("other");
        for (const number of [1, 2, 3]) {
          await session.append([
            { role: "user", content: `question ${number}` },
            {
              role: "assistant",
              content: "",
              toolCalls: [{ id: "c", name: "exec", arguments: { command: "ls" } }],
            },
            { role: "tool", toolCallId: "c", content: "a.txt" },
            { role: "assistant", content: `- answer ${number}` },
            { role: "assistant", content: "[cut off]" },
          ]);
        }
        enters("/resume other");
        await sees(
          "other  15 messages",
          "… 5 earlier messages: longhand show other",
          '❯ question 3\n\n→ exec(command: "ls")\n  ✓ a.txt\n\n- answer 3\n\n[cut off]',
        );
        expect(terminal.text).not.toContain("question 1");
        const before = terminal.text.split("question 3").length;
        enters("/fork");
        await sees("Now in other:2");
        expect(terminal.text.split("question 3")).toHaveLength(before);
        enters("long");
        await sees("point 199");
        const points = terminal.text.split("point 150").length;
        enters("/resume other:2");
        await sees("earlier messages and", /· other:2$/m);
        await expect.poll(() => terminal.text.split("point 199").length).toBe(3);
        expect(terminal.text.split("point 150")).toHaveLength(points);
        expect(terminal.text.slice(terminal.text.lastIndexOf("earlier messages and"))).toContain("❯ long\n");
      },
      { ...wide, height: 300 },
    );
  });

  test("/resume begins with the question, however many tool calls followed it; an empty session is told as such", async () => {
    await withChat(
      echo,
      async ({ enters, sees, agent, terminal }) => {
        const session = agent.store.session("many");
        await session.append({ role: "user", content: "the question" });
        for (let number = 0; number < 60; number++) {
          const call = { id: `c${number}`, name: "exec", arguments: {} };
          await session.append([
            { role: "assistant", content: "", toolCalls: [call] },
            { role: "tool", toolCallId: call.id, content: `result ${number}` },
          ]);
        }
        enters("/resume many");
        await sees("❯ the question", "result 59");
        await agent.store.session("none").append({ role: "user", content: "x" });
        await agent.store.session("none").truncate({ keepLast: 0 });
        enters("/resume none");
        await sees("none is empty: it has no messages.");
        enters("/redo");
        await sees("there is nothing to redo");
        expect(terminal.text).not.toContain("NOTHING_TO_UNDO");
        enters("/sessions nope");
        await sees("begins with “nope”");
      },
      { ...wide, height: 300 },
    );
  });

  test("/context, /compact, /memory, /model and /tools", async () => {
    const tool = defineTool({
      name: "look",
      description: "Looks at something.",
      parameters: z.object({ what: z.string() }),
      run: () => "seen",
      needsApproval: () => "it looks",
    });
    await withChat(
      echo,
      async ({ enters, sees, agent, terminal }) => {
        enters("/compact");
        await sees("There is nothing to cut");
        for (let number = 1; number <= 6; number++) {
          enters(`number ${number} ${"and many words ".repeat(60)}`);
          await sees(`echo of number ${number}`);
        }
        enters("/context");
        await sees("a window of 32000 tokens", "turns", "kept free for it");
        enters("/compact");
        await sees(/A summary stands for \d+ messages now/);
        enters("/undo");
        await sees("The summary that was made after it is taken back with it", "10 messages left");
        enters("/undo");
        await sees("8 messages left");
        expect(terminal.text.split("is taken back with it")).toHaveLength(2);
        enters("/memory");
        await sees("This agent has no memory.");
        enters("/model");
        await sees("To change it for this chat");
        enters("/model fake:two");
        await sees("The model is now fake:two.");
        expect(agent.model.name).toBe("fake:two");
        enters("/model fake:missing");
        await sees(
          "the server has no such model. The model is still fake:two.",
          /To\s+use\s+it\s+anyway:\s+\/model\s+fake:missing\s+anyway/,
        );
        enters("/model fake:unknown");
        await sees("the model could not be checked: no list. The model is still fake:two.");
        expect(agent.model.name).toBe("fake:two");
        enters("/model fake:unknown anyway");
        await sees("The model is now fake:unknown.");
        enters("/model fake:two");
        await sees(/now fake:unknown[^]*now fake:two/);
        enters("/model nothing");
        await sees("no model nothing");
        expect(agent.model.name).toBe("fake:two");
        enters("/tools");
        await sees("look  (may ask first) Looks at something.");
      },
      { ...wide, tools: [tool] },
    );
  });

  test("/export writes a new file that only its owner can read, and replaces none", async () => {
    await withTemporaryDirectory(async (directory) => {
      await withChat(
        echo,
        async ({ enters, sees }) => {
          enters("/export talk.md");
          await sees("nothing was said here yet");
          enters("hello");
          await sees("echo of hello");
          enters("/export");
          await sees("say where to");
          enters("/export talk.md");
          await sees("only you can read it");
          enters("/export talk.md");
          await sees("is there already; choose another name");
          enters("/export talk.txt");
          await sees("it ends with .md, .json or .jsonl");
          enters("/export all.jsonl");
          await sees("all.jsonl");
          await sees(/jsonl, \d+/);
        },
        { ...wide, width: 200, currentDirectory: directory },
      );
      expect(await readFile(join(directory, "talk.md"), "utf8")).toContain("echo of hello");
      expect((await stat(join(directory, "talk.md"))).mode & 0o777).toBe(0o600);
      const lines = (await readFile(join(directory, "all.jsonl"), "utf8")).trim().split("\n");
      expect(lines).toEqual([
        expect.stringContaining('"type":"session"'),
        expect.stringContaining('"seq":1,'),
        expect.stringContaining('"seq":2,'),
      ]);
    });
  });

  test("a new key is never one that is in use", async () => {
    await withChat(echo, async ({ agent }) => {
      const now = new Date(2026, 10, 15, 9, 5, 7);
      const drawn = [7, 7, 36];
      const random = (): number => drawn.shift() ?? 0;
      expect(await newKey(agent.store, now, random)).toBe("chat:2026-11-15-090507-0007");
      await agent.store.session("chat:2026-11-15-090507-0007").append({ role: "user", content: "x" });
      expect(await newKey(agent.store, now, random)).toBe("chat:2026-11-15-090507-0010");
    });
  });

  test("new keys of the same second differ", async () => {
    await withChat(echo, async ({ agent }) => {
      const now = new Date(2026, 10, 15, 9, 5, 7);
      const keys = new Set<string>();
      for (let made = 0; made < 20; made++) keys.add(await newKey(agent.store, now));
      expect(keys.size).toBeGreaterThan(15);
    });
  });
});
