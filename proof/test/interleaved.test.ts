import { describe, expect, test } from "vitest";
import { History, type StoreLife } from "../interleaved/history.ts";
import { judgeRun } from "../interleaved/judge-run.ts";
import { interleaved } from "../interleaved/part.ts";
import { drawPlan } from "../interleaved/plan.ts";
import { RecordedChoices } from "../interleaved/recorded-choices.ts";
import { runPlan } from "../interleaved/run-plan.ts";
import { Violation, type Findings } from "../part.ts";
import { SeededRandom } from "@longhand/store/testing";

const LIFE: StoreLife = { ended: Infinity };

function historyOf(
  ...acknowledged: readonly (readonly [key: string, content: string, seq: number])[]
): History {
  const history = new History();
  for (const [key, content, seq] of acknowledged) {
    const called = history.next();
    const answer = { kind: "acknowledged", seq } as const;
    history.writes.push({ key, contents: [content], store: LIFE, called, answer, answered: history.next() });
  }
  return history;
}

function session(key: string, ...contents: readonly string[]) {
  return {
    key,
    id: `id of ${key}`,
    messages: contents.map((content, index) => ({ seq: index + 1, content })),
  };
}

describe("the judge of interleaved processes", () => {
  test("passes what was acknowledged, and forks that begin as another session", () => {
    const history = historyOf(["a", "one", 1], ["a", "two", 2], ["c", "three", 2]);
    history.forks.push({ key: "a", to: "c", at: 1 });
    expect(judgeRun(history, [session("a", "one", "two"), session("c", "one", "three")])).toBeUndefined();
  });

  test("sees what is lost, doubled, out of order, and forks that are not there", () => {
    const history = historyOf(["a", "one", 1], ["a", "two", 2]);
    expect(judgeRun(history, [session("a", "one")])).toContain("was acknowledged");
    expect(judgeRun(history, [session("a", "one", "two", "one")])).toContain("twice");
    const swapped = historyOf(["a", "two", 2], ["a", "one", 1]);
    expect(judgeRun(swapped, [session("a", "one", "two")])).toContain("comes after it");
    history.forks.push({ key: "a", to: "c", at: undefined });
    expect(judgeRun(history, [session("a", "one", "two")])).toContain("is not there");
  });

  test("sees a read of what is not there afterwards, and one that missed its own store's write", () => {
    const history = historyOf(["a", "one", 1]);
    const read = { key: "a", kind: "read", store: LIFE, isComplete: true } as const;
    history.reads.push({ ...read, called: history.next(), messages: [] });
    expect(judgeRun(history, [session("a", "one")])).toContain("acknowledged before it began");
    history.reads[0] = { ...read, called: 0, messages: [{ seq: 1, content: "other" }] };
    expect(judgeRun(history, [session("a", "one")])).toContain("not the beginning");
  });
});

describe("interleaved processes", () => {
  test("a seed gives the same run each time", async () => {
    const run = async (): Promise<string> => {
      const plan = drawPlan(new SeededRandom(5));
      const { events, history } = await runPlan(plan, RecordedChoices.fromSeed(6));
      return JSON.stringify([events, history.writes]);
    };
    expect(await run()).toBe(await run());
  });

  test("two holders of one lease are found", async () => {
    const findings: Findings = { count: () => undefined, distinct: () => undefined, note: () => undefined };
    await expect(interleaved.control(findings)).rejects.toThrow(Violation);
  });
});
