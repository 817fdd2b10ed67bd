/** A turn compacts before it asks, so that no earlier message is neither shown nor summarised. */

import type { Session } from "@longhand/store";
import { explainCompaction } from "@longhand/store/context";
import { describe, expect, test } from "vitest";
import { messageText } from "../../src/message-text.ts";
import type { Model, ModelRequest } from "../../src/models/model.ts";
import type { TurnSettings } from "../../src/turn/types.ts";
import { answer, ofType, say, scriptedModel, tool } from "./support/scripted.ts";
import { withStore } from "./support/with-store.ts";

const LONG = "many different words in a row ".repeat(100);
const systemOf = ({ messages }: ModelRequest): string =>
  messages[0]?.role === "system" ? messageText(messages[0].content) : "";
const isSummary = (request: ModelRequest): boolean => systemOf(request).startsWith("You keep the minutes");

/** Answers at length; a summary is `summarise`. */
function talkative(summarise: () => string | Promise<string>): Model & { readonly requests: ModelRequest[] } {
  return scriptedModel(async function* (request) {
    const words = isSummary(request) ? await summarise() : `answer: ${LONG}`;
    yield* answer(words);
  });
}

/** Records of the session that are messages of users and neither in the request nor in a summary. */
async function outOfSight(session: Session, request: ModelRequest | undefined): Promise<number[]> {
  const summaries = await explainCompaction(session);
  const shown = new Set(request?.messages.map(({ content }) => JSON.stringify(content)));
  const lost: number[] = [];
  for await (const record of session.records({ kept: true })) {
    if (record.op !== undefined || record.message.role !== "user") continue;
    const isSummarised = summaries.some(({ from, to }) => from <= record.seq && record.seq <= to);
    if (!isSummarised && !shown.has(JSON.stringify(record.message.content))) lost.push(record.seq);
  }
  return lost;
}

describe("before each request", () => {
  test.each<[string, Pick<TurnSettings, "maxContextTokens" | "maxHistoryMessages">, number]>([
    ["a window of 32,000 tokens, all else as it is by default", {}, 40],
    ["a window of 8,000 tokens", { maxContextTokens: 8000 }, 20],
    ["at most 6 messages", { maxHistoryMessages: 6 }, 8],
  ])("%s: what does not fit is summarised", async (_, settings, turns) => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      const model = talkative(() => "- a summary");
      const tools = [tool("read", () => "", { schema: { name: "read", description: LONG } })];
      let compactions = 0;
      for (let turn = 1; turn <= turns; turn += 1) {
        const { result, events } = await say(session, `question ${turn}: ${LONG}`, {
          model,
          tools,
          ...settings,
        });
        expect(result.outcome).toBe("answered");
        const request = model.requests.findLast((each) => !isSummary(each));
        expect(await outOfSight(session, request), `turn ${turn}`).toEqual([]);
        expect(request === undefined ? "" : systemOf(request)).not.toContain("not shown");
        if (settings.maxHistoryMessages !== undefined)
          expect((await session.state())?.count).toBeLessThanOrEqual(settings.maxHistoryMessages + 1);
        const kinds = events.map(({ type }) => type);
        if (!kinds.includes("compaction")) continue;
        compactions += 1;
        expect(kinds.indexOf("compaction")).toBeGreaterThan(kinds.indexOf("turn-start"));
        expect(kinds.indexOf("compaction")).toBeLessThan(kinds.indexOf("text-delta"));
      }
      expect(compactions).toBeGreaterThan(1);
    });
  });

  test("the user's message is durable before a summary is asked for", async () => {
    await withStore("jsonl", async (store) => {
      const session = store.session("a");
      const newest: string[] = [];
      const model = talkative(async () => {
        newest.push(messageText((await session.messages({ last: 1 }))[0]?.content ?? ""));
        return "- a summary";
      });
      for (const turn of [1, 2, 3, 4])
        await say(session, `question ${turn}`, { model, maxHistoryMessages: 4 });
      expect(newest).toEqual(["question 3", "question 4"].slice(0, newest.length));
      expect(newest.length).toBeGreaterThan(0);
    });
  });

  test("a model that cannot summarise does not fail the turn: the summary is made without it", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      const model = talkative(() => Promise.reject(new Error("no summaries here")));
      for (const turn of [1, 2]) await say(session, `question ${turn}`, { model, maxHistoryMessages: 4 });
      const { result, events } = await say(session, "question 3", { model, maxHistoryMessages: 4 });
      expect(result.outcome).toBe("answered");
      expect(ofType(events, "compaction")).toHaveLength(1);
      expect(await explainCompaction(session)).toMatchObject([{ by: "no-model" }]);
      expect((await session.state())?.summary).toContain("USER: question 1");
    });
  });

  test("a cancel while a summary is written ends the turn, and the message is kept", async () => {
    await withStore("memory", async (store) => {
      const session = store.session("a");
      const stop = new AbortController();
      const model = talkative(() => {
        stop.abort();
        return new Promise<string>(() => undefined);
      });
      for (const turn of [1, 2]) await say(session, `question ${turn}`, { model, maxHistoryMessages: 4 });
      const { result, messages } = await say(
        session,
        "question 3",
        { model, maxHistoryMessages: 4 },
        { signal: stop.signal },
      );
      expect(result.outcome).toBe("cancelled");
      expect(messages.map(({ content }) => content)).toContain("question 3");
      expect((await session.state())?.summary).toBe("");
    });
  });
});
