/** Messages that wait are kept until they are in the session, and are offered again when their chat was killed. */

import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryBackend, openStore, type Session } from "@longhand/store";
import { describe, expect, test, vi } from "vitest";
import { WaitingWords } from "../../src/chat/waiting-words.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";
import { gate, untilCancelled, withChat } from "./support/chat-in-memory.ts";
import type { Script } from "./support/fake-agent.ts";

const CTRL_C = "\u0003";

/** As if the process that wrote them were gone: no process has this number. */
async function abandon(directory: string): Promise<void> {
  const { rename } = await import("node:fs/promises");
  for (const name of await readdir(directory)) {
    const gone = name.replace(/^([0-9a-f]+\.[0-9a-f]+)-\d+-\d+\./, "$1-999999999-1.");
    await rename(join(directory, name), join(directory, gone));
  }
}

async function withSession(use: (session: Session, directory: string) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (home) => {
    await using store = await openStore(memoryBackend());
    await use(store.session("talk"), join(home, "chat-waiting"));
  });
}

const words = (directory: string): WaitingWords =>
  new WaitingWords(directory, (problem) => {
    throw new Error(problem);
  });

describe("the files of waiting words", () => {
  test("are private, one for each, and gone when the words are sent", async () => {
    await withSession(async (session, directory) => {
      const kept = words(directory);
      const first = kept.add("/store", session.key, "one");
      kept.add("/store", session.key, "two");
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
      for (const name of await readdir(directory))
        expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
      kept.begin(first, 0);
      kept.remove(first);
      const names = await readdir(directory);
      expect(names).toHaveLength(1);
      expect(JSON.parse(await readFile(join(directory, names[0] ?? ""), "utf8"))).toMatchObject({
        text: "two",
      });
    });
  });

  test("of a process that is there are left alone; of one that is gone they are offered once, in order", async () => {
    await withSession(async (session, directory) => {
      const killed = words(directory);
      killed.add("/store", session.key, "one");
      killed.add("/store", session.key, "two");
      killed.add("/store", "other", "elsewhere");
      killed.add("/another store", session.key, "elsewhere");
      expect(await words(directory).claim("/store", session)).toEqual([]);
      await abandon(directory);
      const next = words(directory);
      expect(await next.claim("/store", session)).toEqual(["one", "two"]);
      // They are this process's now.
      expect(await words(directory).claim("/store", session)).toEqual([]);
      await abandon(directory);
      expect(await words(directory).claim("/store", session)).toEqual(["one", "two"]);
      expect(await readdir(directory)).toHaveLength(4);
    });
  });

  test("come back in the order in which they were sent, also within one millisecond", async () => {
    await withSession(async (session, directory) => {
      const sent = Array.from({ length: 20 }, (_, index) => `message ${index}`);
      vi.useFakeTimers({ toFake: ["Date"] });
      try {
        const killed = words(directory);
        for (const text of sent) killed.add("/store", session.key, text);
      } finally {
        vi.useRealTimers();
      }
      await abandon(directory);
      expect(await words(directory).claim("/store", session)).toEqual(sent);
      // Also when the chat that had claimed them was killed.
      await abandon(directory);
      expect(await words(directory).claim("/store", session)).toEqual(sent);
    });
  });

  test("that were being sent count as sent if the session has them, and only then", async () => {
    await withSession(async (session, directory) => {
      await session.append({ role: "user", content: "same" });
      const killed = words(directory);
      const { seq = 0 } = (await session.state()) ?? {};
      killed.begin(killed.add("/store", session.key, "same"), seq);
      killed.begin(killed.add("/store", session.key, " /slash"), seq);
      await session.append({ role: "assistant", content: "same" });
      await session.append({ role: "user", content: "/slash" });
      await abandon(directory);
      expect(await words(directory).claim("/store", session)).toEqual(["same"]);
      expect(await readdir(directory)).toHaveLength(1);
    });
  });

  test("that are no words of ours are passed over", async () => {
    await withSession(async (session, directory) => {
      const killed = words(directory);
      killed.add("/store", session.key, "one");
      const [name = ""] = await readdir(directory);
      await abandon(directory);
      const other = name.replace(/-\d+-\d+\./, "-999999998-1.");
      for (const [index, content] of ["", "null", "[]", '{"text":1}', "{"].entries())
        await writeFile(join(directory, other.replace(/.{4}\.json$/, `000${index}.json`)), content);
      await writeFile(join(directory, "notes.txt"), "mine");
      await mkdir(join(directory, "folder"));
      expect(await words(directory).claim("/store", session)).toEqual(["one"]);
      expect(await readdir(directory)).toEqual(expect.arrayContaining(["notes.txt", "folder"]));
    });
  });

  test("that cannot be written are told once, and the chat goes on", async () => {
    await withTemporaryDirectory(async (home) => {
      const directory = join(home, "file");
      await writeFile(directory, "");
      const problems: string[] = [];
      const kept = new WaitingWords(directory, (problem) => problems.push(problem));
      expect(kept.add("/store", "talk", "one")).toBeUndefined();
      expect(kept.add("/store", "talk", "two")).toBeUndefined();
      expect(problems).toEqual([expect.stringContaining("would not survive a kill")]);
    });
  });
});

describe("in a chat", () => {
  test("a message is kept while it waits, and not any more when its turn has begun", async () => {
    const { opened, open } = gate();
    const script: Script = async ({ text, say }) => {
      if (text === "first") await opened;
      say(`answer to ${text}`);
      return "answered";
    };
    await withTemporaryDirectory(async (home) => {
      const waitingDirectory = join(home, "chat-waiting");
      await withChat(
        script,
        async ({ enters, sees }) => {
          enters("first");
          await sees(/working/);
          await expect.poll(async () => await readdir(waitingDirectory)).toEqual([]);
          enters("second");
          await sees("waiting: second");
          expect(await readdir(waitingDirectory)).toHaveLength(1);
          open();
          await sees("answer to second");
          await expect.poll(async () => await readdir(waitingDirectory)).toEqual([]);
        },
        { waitingDirectory },
      );
    });
  });

  test("what was not sent is offered in the line, and is sent by Enter alone", async () => {
    const hang: Script = async ({ signal }) => await untilCancelled(signal);
    const echo: Script = async ({ text, say }) => {
      say(`You said: ${text}`);
      return await Promise.resolve("answered");
    };
    await withTemporaryDirectory(async (home) => {
      const waitingDirectory = join(home, "chat-waiting");
      await withChat(
        hang,
        async ({ enters, sees, terminal, ended }) => {
          enters("go");
          await sees(/working/);
          enters("later");
          await sees("waiting: later");
          terminal.type("\u0004");
          await ended;
          expect(terminal.text).toContain("not sent, kept for the next time: later");
        },
        { waitingDirectory },
      );
      await abandon(waitingDirectory);
      await withChat(
        echo,
        async ({ sees, agent, terminal }) => {
          await sees("These words were waiting and were not sent:\n  later", "❯ later");
          expect(await agent.store.session("talk").messages()).toEqual([]);
          expect(await readdir(waitingDirectory)).toHaveLength(1);
          terminal.type("\r");
          await sees("You said: later");
          expect(await readdir(waitingDirectory)).toEqual([]);
        },
        { waitingDirectory },
      );
    });
  });

  test("words that Ctrl-C gave back are kept until they are deleted", async () => {
    const hang: Script = async ({ signal }) => await untilCancelled(signal);
    await withTemporaryDirectory(async (home) => {
      const waitingDirectory = join(home, "chat-waiting");
      await withChat(
        hang,
        async ({ enters, sees, terminal }) => {
          enters("go");
          await sees(/working/);
          enters("later");
          await sees("waiting: later");
          terminal.type(CTRL_C);
          await sees("❯ later", "cancelled;");
          expect(await readdir(waitingDirectory)).toHaveLength(1);
          terminal.type(CTRL_C);
          await expect.poll(async () => await readdir(waitingDirectory)).toEqual([]);
        },
        { waitingDirectory },
      );
    });
  });
});
