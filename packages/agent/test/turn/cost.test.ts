/** What a turn asks of its store: waits for the disk, and reads of the log. Counted, not timed. */

import type { Session } from "@longhand/store";
import { describe, expect, test } from "vitest";
import { Mailbox } from "../../src/kernel/mailbox.ts";
import { TURN_NOTE } from "../../src/turn/turn-log.ts";
import type { Said } from "../../src/turn/types.ts";
import { answer, call, calls, finish, ofType, say, scriptedModel, text, tool } from "./support/scripted.ts";
import { withChanges } from "./support/with-changes.ts";
import { withStore } from "./support/with-store.ts";

interface Counts {
  /** Writes that are asked for together wait for the disk together: each such group counts once. */
  waits: number;
  reads: number;
  notesRead: string[];
}

function counted(session: Session): { readonly session: Session; readonly counts: Counts } {
  const counts: Counts = { waits: 0, reads: 0, notesRead: [] };
  let underWay = 0;
  const waiting = async <T>(write: Promise<T>): Promise<T> => {
    if (underWay === 0) counts.waits += 1;
    underWay += 1;
    try {
      return await write;
    } finally {
      underWay -= 1;
    }
  };
  const watched = withChanges(session, {
    append: async (message, options) => {
      // A probe that is meant to be refused writes nothing.
      if (options?.expectedSeq === 0) return await session.append(message, options);
      return await waiting(session.append(message, options));
    },
    note: async (kind, data, options) => await waiting(session.note(kind, data, options)),
    lastNote: async (kind) => {
      counts.notesRead.push(kind);
      return await session.lastNote(kind);
    },
    records: (options) => {
      counts.reads += 1;
      return session.records(options);
    },
  });
  return { session: watched, counts };
}

async function kinds(session: Session): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const record of session.records()) {
    if (record.op === undefined) found.push(record.message.role);
    else if (record.op === "note" && record.kind === TURN_NOTE)
      found.push((record.data as { state: string }).state);
    else found.push(record.op === "note" ? record.kind : record.op);
  }
  return found;
}

const usage = { inputTokens: 400, outputTokens: 5, cachedTokens: undefined };

describe("a turn after another one", () => {
  test("waits twice for the disk, and reads the view once", async () => {
    await withStore("jsonl", async (store) => {
      const { session, counts } = counted(store.session("a"));
      const model = scriptedModel([text("Yes."), finish("stop", usage)]);
      for (let turn = 0; turn < 3; turn += 1) await say(session, "well?", { model });
      Object.assign(counts, { waits: 0, reads: 0, notesRead: [] });
      const { result } = await say(session, "well?", { model });
      expect(result.outcome).toBe("answered");
      expect(result.seq).toBe((await session.state())?.seq);
      expect(counts).toEqual({
        waits: 2,
        reads: 1,
        notesRead: ["longhand/token-correction", "longhand/pins"],
      });
    });
  });

  test("with a tool that only reads waits for its call and its result, too", async () => {
    await withStore("jsonl", async (store) => {
      const { session, counts } = counted(store.session("a"));
      const look = tool("look", () => "seen", { isReadOnly: true });
      const model = scriptedModel(calls(call("1", "look")), answer("Done."));
      await store.session("a").setTitle("It is there");
      await say(session, "look", { model, tools: [look] });
      expect(counts.waits).toBe(4);
      expect(await kinds(session)).toEqual([
        "meta",
        "open",
        "user",
        "assistant",
        "tool",
        "assistant",
        "ended",
      ]);
    });
  });

  test("looks for an open turn where another program has written since", async () => {
    await withStore("jsonl", async (store) => {
      const { session } = counted(store.session("a"));
      const model = scriptedModel(answer("Yes."));
      await say(session, "well?", { model });
      await store.session("a").note(TURN_NOTE, { turn: "theirs", state: "open" });
      const { events } = await say(session, "and?", { model });
      expect(ofType(events, "turn-end")).toMatchObject([{ turn: "theirs", outcome: "interrupted" }, {}]);
    });
  });
});

describe("a record that comes between two writes of a turn", () => {
  test("at its beginning: the words are written once, behind it", async () => {
    await withStore("jsonl", async (store) => {
      const session = store.session("a");
      const disturbed = withChanges(session, {
        note: async (kind, data, options) => {
          const writing = session.note(kind, data, options);
          if (kind === TURN_NOTE && (data as { state: string }).state === "open")
            await session.note("other", 1);
          return await writing;
        },
      });
      const { result } = await say(
        disturbed,
        { text: "well?", id: "1" },
        { model: scriptedModel(answer("Yes.")) },
      );
      expect(result.outcome).toBe("answered");
      expect(await kinds(session)).toEqual(["open", "other", "user", "assistant", "ended"]);
    });
  });

  test("at its end: the turn is ended behind it, once", async () => {
    await withStore("jsonl", async (store) => {
      const session = store.session("a");
      const disturbed = withChanges(session, {
        append: async (message, options) => {
          const writing = session.append(message, options);
          if (!Array.isArray(message) && (message as { role: string }).role === "assistant")
            await session.note("other", 1);
          return await writing;
        },
      });
      const { result } = await say(disturbed, "well?", { model: scriptedModel(answer("Yes.")) });
      expect(result).toMatchObject({ outcome: "answered", seq: (await session.state())?.seq });
      expect(await kinds(session)).toEqual(["open", "user", "assistant", "other", "ended"]);
    });
  });
});

describe("the end of a turn", () => {
  test("is never in the log without the answer", async () => {
    await withStore("jsonl", async (store) => {
      const session = store.session("a");
      const failing = withChanges(session, {
        append: async (message, options) => {
          if (!Array.isArray(message) && (message as { role: string }).role === "assistant")
            throw new Error("it cannot be kept");
          return await session.append(message, options);
        },
      });
      const { result } = await say(failing, "well?", { model: scriptedModel(answer("Yes.")) });
      expect(result.outcome).toBe("failed");
      // What was shown, and how it ended.
      expect(await kinds(session)).toEqual(["open", "user", "assistant", "assistant", "ended"]);
      expect((await session.lastNote(TURN_NOTE))?.data).toMatchObject({ outcome: "failed" });
    });
  });

  test("waits for what was said while the last answer came", async () => {
    await withStore("jsonl", async (store) => {
      const session = store.session("a");
      const steering = new Mailbox<Said>(10);
      const model = scriptedModel(async function* () {
        await Promise.resolve();
        steering.offer({ text: "and greet" });
        yield* answer("One.");
      }, answer("Hello!"));
      const { result } = await say(session, "count", { model }, { steering });
      expect(result).toMatchObject({ outcome: "answered", text: "Hello!" });
      expect(await kinds(session)).toEqual(["open", "user", "assistant", "user", "assistant", "ended"]);
    });
  });
});
