/** What was shown is on the disk at most a second later, each word once, at little cost. */

import { memoryBackend, openStore, type Session } from "@longhand/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PartialAnswer } from "../../src/turn/partial-answer.ts";
import { finish, say, scriptedModel, text } from "./support/scripted.ts";
import { withChanges } from "./support/with-changes.ts";
import { withStore } from "./support/with-store.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

interface Written {
  readonly data: { readonly text?: string; readonly reasoning?: string };
  readonly bytes: number;
}

/** A session that takes `slowness` milliseconds for each note. */
function slowSession(slowness: number): { session: Session; notes: Written[]; isFailing: { now: boolean } } {
  const notes: Written[] = [];
  const isFailing = { now: false };
  const note = async (kind: string, data: Written["data"]): Promise<{ seq: number }> => {
    await new Promise((resolve) => setTimeout(resolve, slowness));
    if (isFailing.now) throw new Error("the disk is full");
    const seq = 1000 + notes.length;
    // As a line of the log: docs/format.md.
    const line = { seq, at: "2026-11-15T19:24:12.123Z", op: "note", kind, data, crc: "0b7d1e44" };
    notes.push({ data, bytes: JSON.stringify(line).length + 1 });
    return { seq };
  };
  return { session: { note } as unknown as Session, notes, isFailing };
}

const written = (notes: readonly Written[]): string => notes.map(({ data }) => data.text ?? "").join("");

test.each([1, 60])("within a second, with a disk that takes %i ms", async (slowness) => {
  const { session, notes } = slowSession(slowness);
  const partial = new PartialAnswer(session, () => undefined);
  const shown: number[] = [];
  // 320 characters a second, some 80 tokens.
  for (let step = 0; step < 200; step += 1) {
    partial.add("text", "sixteen letters ");
    shown.push(partial.text.length);
    await vi.advanceTimersByTimeAsync(50);
    const aSecondAgo = shown.at(-21) ?? 0;
    expect(written(notes).length).toBeGreaterThanOrEqual(aSecondAgo);
    expect(partial.text.startsWith(written(notes))).toBe(true);
  }
  const bytes = notes.reduce((sum, note) => sum + note.bytes, 0);
  expect(bytes).toBeLessThanOrEqual(1.5 * partial.text.length);
});

test("text and reasoning stay apart, in order", async () => {
  const { session, notes } = slowSession(1);
  const partial = new PartialAnswer(session, () => undefined);
  for (const [kind, part] of [
    ["reasoning", "a"],
    ["reasoning", "b"],
    ["text", "c"],
    ["reasoning", "d"],
  ] as const)
    partial.add(kind, part);
  await vi.advanceTimersByTimeAsync(1000);
  expect(notes.map(({ data }) => data)).toEqual([{ reasoning: "ab" }, { text: "c" }, { reasoning: "d" }]);
  await partial.settle();
  expect(partial).toMatchObject({ text: "c", reasoning: "abd" });
});

test("a note in flight is waited for, and nothing is written after that", async () => {
  const { session, notes } = slowSession(500);
  const partial = new PartialAnswer(session, () => undefined);
  partial.add("text", "one");
  await vi.advanceTimersByTimeAsync(1000);
  partial.add("text", "two");
  let isSettled = false;
  const settling = partial.settle().then(() => (isSettled = true));
  await vi.advanceTimersByTimeAsync(100);
  expect(isSettled).toBe(false);
  await vi.advanceTimersByTimeAsync(5000);
  await settling;
  expect(notes).toHaveLength(1);
});

test("a note that cannot be written is told at once, and to whoever asks", async () => {
  const { session, isFailing } = slowSession(1);
  const told: unknown[] = [];
  const partial = new PartialAnswer(session, (error) => told.push(error));
  isFailing.now = true;
  partial.add("text", "one");
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toHaveLength(1);
  await partial.settle();
  expect(() => partial.throwIfFailed()).toThrow("the disk is full");
});

test("the view never shows a part, and the message at the end stands for all of them", async () => {
  vi.useRealTimers();
  await withStore("memory", async (store) => {
    const session = store.session("a");
    let during: unknown;
    const model = scriptedModel(async function* () {
      yield text("slow");
      await vi.waitFor(async () => expect(await session.lastNote("longhand/part")).toBeDefined(), {
        timeout: 60_000,
      });
      during = {
        messages: (await session.messages()).length,
        note: (await session.lastNote("longhand/part"))?.data,
      };
      yield text("ly");
      yield finish();
    });
    const { messages } = await say(session, "go", { model });
    expect(during).toEqual({ messages: 1, note: { text: "slow" } });
    expect(messages.map(({ content }) => content)).toEqual(["go", "slowly"]);
  });
});

test("a part that cannot be kept ends the turn, and what was shown is kept with its end if that can be", async () => {
  vi.useRealTimers();
  const store = await openStore(memoryBackend());
  const session = store.session("a");
  const failing = withChanges(session, {
    note: async (kind, data) => {
      if (kind === "longhand/part") throw new Error("the disk is full");
      return await session.note(kind, data);
    },
  });
  const model = scriptedModel(async function* () {
    yield text("shown");
    await new Promise(() => undefined);
  });
  const { result, events, messages } = await say(failing, "go", { model });
  expect(result).toMatchObject({ outcome: "failed", error: { message: "the disk is full" } });
  expect(events.map(({ type }) => type)).toEqual(["turn-start", "text-delta", "error", "turn-end"]);
  expect(messages).toMatchObject([
    { content: "go" },
    { content: "shown", stopReason: "aborted" },
    { stopReason: "failed", writtenBy: "longhand" },
  ]);
  await store.close();
});
