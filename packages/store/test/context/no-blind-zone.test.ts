/**
 * Every message of the view is in the request, covered by a summary, or named to the model as omitted: at every turn of
 * random conversations, with and without a compaction before it, also those that begin with an answer, have results that
 * belong to no call, and were truncated.
 */

import { describe, expect, test } from "vitest";
import {
  buildContext,
  compactSession,
  explainCompaction,
  pinMessage,
  type Context,
  type ContextOptions,
} from "../../src/context.ts";
import { textOf } from "../../src/context/transcript.ts";
import { memoryBackend, openStore, type Message, type Session } from "../../src/index.ts";
import { Chance } from "../support/random-histories.ts";

const LINE = /\[(\d+) earlier messages? \(records? ([\d, toand]+)\) (?:are|is) not shown: /;

interface Told {
  readonly messages: number;
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
}

/** As the model reads it. */
function toldAsOmitted({ messages: [first] }: Context): Told | undefined {
  const [, messages, records = ""] = LINE.exec(first?.role === "system" ? textOf(first) : "") ?? [];
  if (messages === undefined) return undefined;
  const ranges = [...records.matchAll(/(\d+)(?: to (\d+))?/g)].map(([, from, to = from]) => ({
    from: Number(from),
    to: Number(to),
  }));
  return { messages: Number(messages), ranges };
}

function isTold(told: Told | undefined, seq: number): boolean {
  return told?.ranges.some(({ from, to }) => from <= seq && seq <= to) === true;
}

/** Seqs of messages that no cut has taken back and of which the model learns nothing, not even that they are missing. */
async function unaccounted(
  { session, context, viewFrom }: Seen,
  told = toldAsOmitted(context),
): Promise<number[]> {
  const summaries = await explainCompaction(session);
  const left: number[] = [];
  for await (const { seq, op } of session.records({ kept: true })) {
    if (op !== undefined || seq < viewFrom || context.seqs.includes(seq)) continue;
    if (summaries.some(({ from, to }) => from <= seq && seq <= to)) continue;
    if (isTold(told, seq)) continue;
    // Steps of the current turn have a mark of their own in their place.
    const steps = context.shortened.find(({ what }) => what === "steps");
    if (steps !== undefined && seq >= steps.seq) continue;
    left.push(seq);
  }
  return left;
}

/** What is told names the right number of messages, and none that is shown. */
async function expectTrue({ session, context }: Seen, which: string): Promise<void> {
  const told = toldAsOmitted(context);
  expect(told?.messages, which).toBe(context.omitted?.messages);
  expect(told?.ranges ?? [], which).toEqual(context.omitted?.records ?? []);
  expect(
    context.seqs.filter((seq) => isTold(told, seq)),
    which,
  ).toEqual([]);
  let missing = 0;
  for await (const { seq, op } of session.records({ live: true }))
    missing += op === undefined && isTold(told, seq) ? 1 : 0;
  expect(missing, which).toBe(told?.messages ?? 0);
}

function words(chance: Chance, most: number): string {
  return Array.from({ length: 1 + chance.below(most) }, () => chance.oneOf(["alpha", "beta", "gamma"])).join(
    " ",
  );
}

function answer(chance: Chance, turn: number): Message[] {
  if (chance.happens(0.6)) return [{ role: "assistant", content: words(chance, 120) }];
  const id = `c${turn}`;
  return [
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id, name: "read", arguments: { path: words(chance, 3) } }],
    },
    { role: "tool", toolCallId: id, content: words(chance, chance.oneOf([10, 100, 600])) },
    ...(chance.happens(0.1) ? [{ role: "tool", toolCallId: id, content: "again" } as const] : []),
    ...(chance.happens(0.1) ? [{ role: "tool", toolCallId: "gone", content: "lost" } as const] : []),
    { role: "assistant", content: words(chance, 60) },
  ];
}

interface Seen {
  readonly context: Context;
  readonly session: Session;
  readonly turn: number;
  /** The first message that no truncation has taken out of the view. */
  readonly viewFrom: number;
}

/** Takes the session through `turns` turns. `compacts`: how often a compaction comes before the turn. */
async function converse(
  chance: Chance,
  compacts: number,
  look: (seen: Seen) => Promise<void>,
): Promise<void> {
  const session = (await openStore(memoryBackend())).session("k");
  const maxTokens = chance.oneOf([1500, 4000, 8000]);
  const options: ContextOptions = {
    maxTokens,
    reserve: Math.floor(maxTokens / chance.oneOf([4, 8])),
    system: words(chance, maxTokens / 10),
    tools: [{ name: "read", description: words(chance, maxTokens / 20) }],
  };
  const { maxTokens: maxContextTokens = 0, ...rest } = options;
  const maxHistoryMessages = chance.oneOf([6, 10, 50]);
  const ask = (): Promise<string> =>
    chance.happens(0.3) ? Promise.reject(new Error("busy")) : Promise.resolve(words(chance, 40));
  let viewFrom = 1;
  if (chance.happens(0.5))
    await session.append({ role: "assistant", content: "Hello! Your number is 4711." });
  for (let turn = 1; turn <= 25; turn += 1) {
    if (chance.happens(0.04)) {
      await session.truncate({ keepLast: 1 + chance.below(5) });
      for await (const { seq } of session.records({ live: true })) {
        viewFrom = seq;
        break;
      }
    }
    const { seq } = await session.append({ role: "user", content: words(chance, 80) });
    if (chance.happens(0.05)) await pinMessage(session, seq);
    if (chance.happens(compacts)) {
      await compactSession(session, { ...rest, maxContextTokens, maxHistoryMessages, ask, timeLimit: 1 });
    }
    await look({ context: await buildContext(session, options), session, turn, viewFrom });
    await session.append(answer(chance, turn));
    await look({ context: await buildContext(session, options), session, turn, viewFrom });
  }
}

describe("no message is silently out of sight", () => {
  test("with a compaction before each turn nothing is even omitted", async () => {
    let summarised = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      let isQuestion = false;
      await converse(new Chance(seed), 1, async (seen) => {
        const { context, session, turn } = seen;
        isQuestion = !isQuestion;
        expect(await unaccounted(seen), `seed ${seed}, turn ${turn}`).toEqual([]);
        if (isQuestion) expect(context.omitted?.unfit ?? 0, `seed ${seed}, turn ${turn}`).toBe(0);
        summarised += ((await session.state())?.summary ?? "") === "" ? 0 : 1;
      });
    }
    expect(summarised).toBeGreaterThan(500);
  });

  test("where no compaction came in time, one line tells the model what is missing", async () => {
    let omitted = 0;
    let unnoticed = 0;
    let begunWithAnswer = 0;
    let unmatched = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      await converse(new Chance(seed), 0.1, async (seen) => {
        const { context, turn } = seen;
        expect(await unaccounted(seen), `seed ${seed}, turn ${turn}`).toEqual([]);
        await expectTrue(seen, `seed ${seed}, turn ${turn}`);
        begunWithAnswer += context.repairs.some(({ kind }) => kind === "leading-answer") ? 1 : 0;
        if (context.omitted === undefined) return;
        omitted += context.omitted.unfit > 0 ? 1 : 0;
        unmatched += context.omitted.unfit < context.omitted.messages ? 1 : 0;
        // The control: without the line the same check finds what is missing.
        const none = { messages: 0, ranges: [] };
        unnoticed += (await unaccounted(seen, none)).length > 0 ? 0 : 1;
      });
    }
    expect(Math.min(omitted, begunWithAnswer, unmatched)).toBeGreaterThan(200);
    expect(unnoticed).toBe(0);
  });
});
