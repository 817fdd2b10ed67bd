/** What is learned from reported usage, and that it is neither forgotten nor believed too easily. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  correctionOf,
  reportUsage,
  TOKEN_CORRECTION_NOTE,
} from "../../../src/context/tokens/token-correction.ts";
import { memoryBackend, openStore, type Session, type Store } from "../../../src/index.ts";
import { recordsOf, user } from "../../support/conversation.ts";
import { onEachBackend } from "../../support/on-each-backend.ts";
import { rejectsTyped } from "../../support/rejects-typed.ts";

const MODEL = "gemma4:e4b";

let store: Store;
let session: Session;

beforeEach(async () => {
  store = await openStore(memoryBackend());
  session = store.session("telegram:1");
  await session.append(user("hello"));
});

afterEach(async () => {
  await store.close();
});

const report = (estimated: number, inputTokens: number, model = MODEL, of = session): Promise<number> =>
  reportUsage(of, { model, estimated, usage: { inputTokens, outputTokens: 10 } });

async function notesWritten(): Promise<number> {
  return (await recordsOf(session)).filter((record) => record.op === "note").length;
}

describe("learning", () => {
  test("nothing is known at first", async () => {
    expect(await correctionOf(session, MODEL)).toBe(1);
  });

  test("the first report counts whole, later ones in part", async () => {
    expect(await report(1000, 1200)).toBe(1.2);
    expect(await correctionOf(session, MODEL)).toBe(1.2);
    expect(await report(1000, 1400)).toBeCloseTo(1.26, 4);
    expect(await correctionOf(session, MODEL)).toBeCloseTo(1.26, 4);
  });

  test("it comes near to what is always reported, within 5 %", async () => {
    await report(1000, 900);
    for (let call = 0; call < 20; call += 1) await report(1000, 1700);
    expect(Math.abs((await correctionOf(session, MODEL)) / 1.7 - 1)).toBeLessThan(0.05);
  });

  test("a change of 1 % or less is not written", async () => {
    await report(1000, 1009);
    expect(await notesWritten()).toBe(0);
    await report(1000, 1200);
    await report(1000, 1230);
    expect(await notesWritten()).toBe(1);
    await report(1000, 1300);
    expect(await notesWritten()).toBe(2);
  });

  test("cached tokens are part of what was read", async () => {
    const usage = { inputTokens: 1500, outputTokens: 5, cachedTokens: 1400 };
    expect(await reportUsage(session, { model: MODEL, estimated: 1000, usage })).toBe(1.5);
  });

  onEachBackend(
    "a restart does not forget, and neither do truncating, compacting and rewinding",
    async (opened) => {
      const first = opened.store.session("a");
      await first.append([user("one"), user("two"), user("three")]);
      await report(1000, 1250, MODEL, first);
      await report(1000, 800, "other", first);
      await first.truncate({ keepLast: 2 });
      await first.compact({ summary: "one", keepFrom: 3 });
      await first.rewind({ messages: 1 });
      const again = (await opened.reopen()).session("a");
      expect(await correctionOf(again, MODEL)).toBe(1.25);
      expect(await correctionOf(again, "other")).toBe(0.8);
    },
  );
});

describe("not believed", () => {
  test.each([
    ["no usage", 1000, undefined],
    ["zero", 1000, { inputTokens: 0, outputTokens: 0 }],
    ["negative", 1000, { inputTokens: -5, outputTokens: 0 }],
    ["not a number", 1000, { inputTokens: Number.NaN, outputTokens: 0 }],
    ["endless", 1000, { inputTokens: Infinity, outputTokens: 0 }],
    ["cut by the server", 20_000, { inputTokens: 4096, outputTokens: 10 }],
    ["only what was not cached", 20_000, { inputTokens: 12_000, outputTokens: 10, cachedTokens: 18_000 }],
    ["far too much", 100, { inputTokens: 5000, outputTokens: 10 }],
    ["a tiny request", 10, { inputTokens: 25, outputTokens: 10 }],
    ["an estimate of nothing", 0, { inputTokens: 25, outputTokens: 10 }],
    ["an estimate that is none", Number.NaN, { inputTokens: 25, outputTokens: 10 }],
  ])("%s", async (_what, estimated, usage) => {
    await report(1000, 1200);
    expect(await reportUsage(session, { model: MODEL, estimated, usage })).toBe(1.2);
    expect(await correctionOf(session, MODEL)).toBe(1.2);
    expect(await notesWritten()).toBe(1);
  });

  test("never outside 0.5 to 3", async () => {
    expect(await report(1000, 9000)).toBe(3);
    for (let call = 0; call < 5; call += 1) await report(1000, 9000);
    expect(await correctionOf(session, MODEL)).toBe(3);
    expect(await report(1000, 500, "small")).toBe(0.5);
  });

  test("a note that somebody else wrote differently counts as nothing", async () => {
    const odd: readonly unknown[] = [
      7,
      null,
      { models: "many" },
      {
        models: [null, { model: 3, factor: 1 }, { model: MODEL, factor: 50 }, { model: MODEL, factor: "2" }],
      },
    ];
    for (const data of odd) {
      await session.note(TOKEN_CORRECTION_NOTE, data);
      expect(await correctionOf(session, MODEL)).toBe(1);
    }
    expect(await report(1000, 1500)).toBe(1.5);
  });
});

describe("many models", () => {
  test("16 are kept; the one learned longest ago goes", async () => {
    for (let index = 0; index < 16; index += 1) await report(1000, 1200, `model-${index}`);
    await report(1000, 1500, "model-0");
    await report(1000, 1300, "one more");
    expect(await correctionOf(session, "model-0")).toBeCloseTo(1.29, 4);
    expect(await correctionOf(session, "one more")).toBe(1.3);
    expect(await correctionOf(session, "model-1")).toBe(1);
    expect(await correctionOf(session, "model-2")).toBe(1.2);
    const note = await session.lastNote(TOKEN_CORRECTION_NOTE);
    expect((note?.data as { models: unknown[] }).models).toHaveLength(16);
  });

  test.each(["__proto__", "constructor", "42", "a/b:c", "模型"])(
    "the name %j is a name like any other",
    async (name) => {
      await report(1000, 1200, name);
      expect(await correctionOf(session, name)).toBe(1.2);
      expect(await correctionOf(session, MODEL)).toBe(1);
    },
  );

  test("a name that is none is refused and changes nothing", async () => {
    for (const name of ["", "x".repeat(201)]) {
      expect((await rejectsTyped(report(1000, 1200, name))).code).toBe("OPTION_INVALID");
      expect((await rejectsTyped(correctionOf(session, name))).code).toBe("OPTION_INVALID");
    }
    expect(await notesWritten()).toBe(0);
  });
});

test("a session that does not exist is not begun by a report", async () => {
  const absent = store.session("nobody");
  expect(await report(1000, 1500, MODEL, absent)).toBe(1);
  expect(await absent.exists()).toBe(false);
});
