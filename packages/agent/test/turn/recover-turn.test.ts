/** What a crash leaves of a turn, as records of a log, and how it is closed. */

import { openStore, type Message, type Session } from "@longhand/store";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../store/test/support/strict-provider.ts";
import type { AgentEvent } from "../../src/events.ts";
import { recoverTurn } from "../../src/turn/recover-turn.ts";
import { rewindTurn } from "../../src/turn/rewind-turn.ts";
import { plainText } from "./support/plain-text.ts";
import { answer, say, scriptedModel } from "./support/scripted.ts";
import { withChanges } from "./support/with-changes.ts";
import { withDirectory, withStore } from "./support/with-store.ts";

const question: Message = { role: "user", content: "go" };
const twoCalls: Message = {
  role: "assistant",
  content: "I will.",
  toolCalls: [
    { id: "1", name: "write", arguments: {} },
    { id: "2", name: "send", arguments: {} },
  ],
};
const open = async (session: Session): Promise<void> => {
  await session.note("longhand/turn", { turn: "t", state: "open" });
};

async function recover(
  session: Session,
): Promise<{ result: unknown; events: AgentEvent[]; messages: Message[] }> {
  const events: AgentEvent[] = [];
  const result = await recoverTurn(session, { agent: "test", events: (event) => events.push(event) });
  const messages = await session.messages();
  expect(refusal(messages)).toBeUndefined();
  const seq = (await session.state())?.seq;
  expect(await recoverTurn(session, { agent: "test", events: () => undefined })).toBeUndefined();
  expect((await session.state())?.seq).toBe(seq);
  return { result, events, messages };
}

describe("a turn that a crash has left open", () => {
  test("while a call ran: its outcome is unknown, and the one that had not begun was not run", async () => {
    await withStore("jsonl", async (store) => {
      const session = store.session("a");
      await open(session);
      await session.append([question, twoCalls]);
      await session.note("longhand/calls", { turn: "t", begun: ["1"] });
      const { result, events, messages } = await recover(session);
      expect(messages.slice(2)).toMatchObject([
        { role: "tool", toolCallId: "1", isError: true },
        { role: "tool", toolCallId: "2", isError: true },
        { role: "assistant", stopReason: "interrupted", writtenBy: "longhand" },
      ]);
      const [first = "", second = "", last = ""] = messages.slice(2).map(({ content }) => plainText(content));
      expect(first).toContain("unknown outcome");
      expect(second).toContain("not run");
      expect(last).toContain("write");
      expect(last).not.toContain("send");
      const seq = (await session.state())?.seq;
      expect(result).toMatchObject({
        turn: "t",
        outcome: "interrupted",
        text: "I will.",
        seq,
        error: { code: "TURN_INTERRUPTED" },
      });
      expect(events).toEqual([
        { agent: "test", key: "a", turn: "t", type: "turn-end", outcome: "interrupted", seq },
      ]);
    });
  });

  test("while an answer was shown: its parts become a message", async () => {
    await withStore("jsonl", async (store) => {
      const session = store.session("a");
      await open(session);
      await session.append(question);
      for (const data of [{ reasoning: "Hm. " }, { text: "Once " }, { text: "upon" }])
        await session.note("longhand/part", data);
      const { result, messages } = await recover(session);
      expect(messages.slice(1)).toMatchObject([
        { role: "assistant", content: "Once upon", reasoning: "Hm. ", stopReason: "interrupted" },
        { writtenBy: "longhand" },
      ]);
      expect(result).toMatchObject({ text: "Once upon" });
    });
  });

  test("while nothing but reasoning was shown: no empty message, and nothing lost", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await open(session);
      await session.append(question);
      await session.note("longhand/part", { reasoning: "Hm." });
      const { messages } = await recover(session);
      expect(messages.slice(1)).toMatchObject([{ writtenBy: "longhand", reasoning: "Hm." }]);
    });
  });

  test("behind its answer: it was answered", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await open(session);
      await session.append(question);
      await session.note("longhand/part", { text: "do" });
      await session.append({ role: "assistant", content: "done", stopReason: "stop" });
      const { result, messages } = await recover(session);
      expect(result).toMatchObject({ outcome: "answered", text: "done" });
      expect(messages).toHaveLength(2);
    });
  });

  test("before its words were kept: there is nothing to say about it", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await session.append([question, { role: "assistant", content: "yes" }]);
      await open(session);
      const { result, messages } = await recover(session);
      expect(result).toMatchObject({ outcome: "interrupted" });
      expect(messages).toHaveLength(2);
    });
  });

  test("and that somebody has taken back since: nothing of it comes again", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await session.append([question, { role: "assistant", content: "yes" }]);
      await open(session);
      await session.append([question, twoCalls]);
      await session.note("longhand/part", { text: "shown" });
      await session.rewind({ messages: 2 });
      expect((await recover(session)).messages).toHaveLength(2);
    });
  });

  test("is closed by the next words, and by an undo", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      await open(session);
      await session.append([question, twoCalls]);
      const { events, messages } = await say(session, "still there?", {
        model: scriptedModel(answer("yes")),
      });
      expect(events.slice(0, 2)).toMatchObject([
        { type: "turn-end", outcome: "interrupted", turn: "t" },
        { type: "turn-start" },
      ]);
      expect(messages.map(({ role }) => role)).toEqual([
        ...["user", "assistant", "tool", "tool", "assistant", "user", "assistant"],
      ]);
      const other = store.session("b");
      await open(other);
      await other.append([question, twoCalls]);
      expect(await rewindTurn(other)).toMatchObject({ turn: "t" });
      expect(await other.messages()).toEqual([]);
    });
  });
});

test("a history without any turn of ours is left alone", async () => {
  await withStore("memory", async (store) => {
    const session = store.session("a");
    expect((await recover(session)).result).toBeUndefined();
    await session.append([question, twoCalls]);
    await session.note("longhand/turn", "not ours");
    expect(await recoverTurn(session, { agent: "test", events: () => undefined })).toBeUndefined();
    expect(await session.messages()).toHaveLength(2);
  });
});

test("a turn that somebody works on is no crash: it is left to them, and a whole session is not locked at all", async () => {
  await withDirectory(async (directory) => {
    await using theirs = await openStore(directory);
    await using ours = await openStore(directory);
    await open(theirs.session("a"));
    await theirs.session("a").append(question);
    // Records get into the files after their answer: another store may not see them at once.
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
    const lock = await theirs.session("a").lock();
    const settings = { agent: "test", events: () => undefined };
    const recovered = async (wait: number): Promise<unknown> =>
      (await recoverTurn(ours.session("a"), settings, { wait }))?.outcome;
    expect(await recovered(20)).toBeUndefined();
    expect(await theirs.session("a").messages()).toEqual([question]);
    await lock[Symbol.asyncDispose]();
    // The negative control: what kept it from being closed was that somebody had it.
    expect(await recovered(60_000)).toBe("interrupted");
    const refuse = (): never => {
      throw new Error("takes a lock");
    };
    expect(await recoverTurn(withChanges(ours.session("a"), { lock: refuse }), settings)).toBeUndefined();
  });
});

test("no more is read than the turn itself, however long the session is", async () => {
  await withStore("jsonl", async (store) => {
    const session = store.session("a");
    await session.append(Array.from({ length: 3000 }, () => question));
    await open(session);
    await session.append([question, twoCalls]);
    let read = 0;
    const refuse = (): never => {
      throw new Error("reads the view");
    };
    const counting = withChanges(session, {
      messages: refuse,
      iterate: refuse,
      records: async function* (options) {
        for await (const record of session.records(options)) {
          read += 1;
          yield record;
        }
      },
    });
    await recoverTurn(counting, { agent: "test", events: () => undefined });
    expect(read).toBe(3);
  });
});
