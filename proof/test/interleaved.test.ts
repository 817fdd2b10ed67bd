import { describe, expect, test } from "vitest";
import {
  History,
  type Attempted,
  type Move,
  type StoreLife,
  type TimedWrite,
} from "../interleaved/history.ts";
import { judgeRun } from "../interleaved/judge-run.ts";
import { interleaved } from "../interleaved/part.ts";
import { drawPlan } from "../interleaved/plan.ts";
import { drawFault } from "../interleaved/planned-fault.ts";
import { compareReadings, readEverything, type FoundSession } from "../interleaved/read-everything.ts";
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

function session(key: string, ...contents: readonly string[]): FoundSession {
  return {
    key,
    id: `id of ${key}`,
    status: "active",
    messages: contents.map((content, index) => ({ seq: index + 1, content })),
  };
}

/** Of a to c, from the next event to the one after it. */
function fork(history: History, at?: number, outcome: Attempted["outcome"] = "done"): void {
  history.forks.push({ key: "a", to: "c", at, called: history.next(), outcome, answered: history.next() });
}

function move(history: History, to: Move["to"], outcome: Attempted["outcome"] = "done"): void {
  const called = history.next();
  const answered = outcome === "done" ? history.next() : Infinity;
  history.moves.push({ key: "a", to, called, outcome, answered });
}

describe("the judge of interleaved processes", () => {
  test("passes what was acknowledged, and forks that begin as another session", () => {
    const history = historyOf(["a", "one", 1], ["a", "two", 2], ["c", "three", 2]);
    fork(history, 1);
    expect(judgeRun(history, [session("a", "one", "two"), session("c", "one", "three")])).toBeUndefined();
  });

  test("sees what is lost, doubled, out of order, and forks that are not there", () => {
    const history = historyOf(["a", "one", 1], ["a", "two", 2]);
    expect(judgeRun(history, [session("a", "one")])).toContain("was acknowledged");
    expect(judgeRun(history, [session("a", "one", "two", "one")])).toContain("twice");
    const swapped = historyOf(["a", "two", 2], ["a", "one", 1]);
    expect(judgeRun(swapped, [session("a", "one", "two")])).toContain("comes after it");
    fork(history);
    expect(judgeRun(history, [session("a", "one", "two")])).toContain("is not there");
  });

  test("sees a fork that has less, or more, than there was while it was made", () => {
    const history = historyOf(["a", "one", 1], ["a", "two", 2]);
    fork(history);
    history.writes.push(...historyOf(["a", "three", 3]).writes.map(late(history)));
    const a = session("a", "one", "two", "three");
    expect(judgeRun(history, [a, session("c", "one", "two")])).toBeUndefined();
    expect(judgeRun(history, [a, session("c", "one")])).toContain("no fork that was asked for");
    expect(judgeRun(history, [a, session("c", "one", "two", "three")])).toContain(
      "no fork that was asked for",
    );
  });

  test("sees a fork that was refused, and one too many", () => {
    const history = historyOf(["a", "one", 1]);
    const a = session("a", "one");
    fork(history, 1, "refused");
    expect(judgeRun(history, [a, session("c", "one")])).toContain("no fork that was asked for");
    fork(history, 1, "unknown");
    expect(judgeRun(history, [a, session("c", "one")])).toBeUndefined();
    expect(judgeRun(history, [a])).toBeUndefined();
    const twice = { ...session("c", "one"), id: "another", status: "trashed" } as const;
    expect(judgeRun(history, [a, session("c", "one"), twice])).toContain("do not go together");
  });

  test("knows who had the last word on whether a key is active", () => {
    const history = historyOf(["a", "one", 1]);
    const found = (status: FoundSession["status"]): FoundSession[] => [{ ...session("a", "one"), status }];
    expect(judgeRun(history, found("active"))).toBeUndefined();
    expect(judgeRun(history, found("archived"))).toContain("must be active");
    move(history, "archived");
    expect(judgeRun(history, found("archived"))).toBeUndefined();
    expect(judgeRun(history, found("active"))).toContain("must be archived");
    expect(judgeRun(history, found("trashed"))).toContain("must be archived");
    move(history, "trashed", "refused");
    expect(judgeRun(history, found("trashed"))).toContain("must be archived");
    move(history, "trashed", "unknown");
    expect(judgeRun(history, found("trashed"))).toBeUndefined();
    expect(judgeRun(history, found("active"))).toContain("must be archived or trashed");
  });

  test("sees an empty session that nobody began", () => {
    const history = historyOf(["a", "one", 1]);
    const empty: FoundSession = { ...session("b"), status: "trashed" };
    expect(judgeRun(history, [session("a", "one"), empty])).toContain("nobody began");
    const store = { ended: Infinity };
    const write = { key: "b", contents: ["two"], store, called: history.next(), answered: Infinity };
    history.writes.push({ ...write, answer: { kind: "unknown" } });
    expect(judgeRun(history, [session("a", "one"), empty])).toBeUndefined();
  });

  test("sees a read of what is not there afterwards, and one that missed its own store's write", () => {
    const history = historyOf(["a", "one", 1]);
    const read = { key: "a", kind: "read", store: LIFE, isComplete: true } as const;
    history.reads.push({ ...read, called: history.next(), messages: [] });
    expect(judgeRun(history, [session("a", "one")])).toContain("acknowledged before it began");
    history.reads[0] = { ...read, called: 0, messages: [{ seq: 1, content: "other", seen: 1 }] };
    expect(judgeRun(history, [session("a", "one")])).toContain("not the beginning");
  });

  test("a reader beside others sees what they have given up and what was seen before, and nothing too early", () => {
    const reader: StoreLife = { ended: Infinity };
    const read = { key: "a", kind: "read", store: reader, isComplete: true, messages: [] } as const;
    const others = historyOf(["a", "one", 1]);
    const found = [session("a", "one", "two")];
    others.reads.push({ ...read, called: others.next(), messages: [] });
    // It may not have landed.
    expect(judgeRun(others, [session("a", "one")])).toBeUndefined();

    const seen = historyOf(["a", "one", 1]);
    const shown = { seq: 1, content: "one", seen: seen.next() };
    seen.reads.push({ ...read, store: { ended: Infinity }, called: shown.seen - 1, messages: [shown] });
    seen.reads.push({ ...read, called: seen.next(), messages: [] });
    expect(judgeRun(seen, [session("a", "one")])).toContain("acknowledged before it began");

    const handedOn = historyOf(["a", "one", 1]);
    const next: StoreLife = { ended: Infinity };
    handedOn.writes.push(
      ...historyOf(["a", "two", 2]).writes.map((write) => ({ ...late(handedOn)(write), store: next })),
    );
    handedOn.reads.push({ ...read, called: handedOn.next(), messages: [] });
    expect(judgeRun(handedOn, found)).toContain("acknowledged before it began");

    const early = historyOf(["a", "one", 1]);
    early.reads.push({ ...read, called: 0, messages: [{ seq: 1, content: "one", seen: 0 }] });
    expect(judgeRun(early, [session("a", "one")])).toContain("before it was written");
  });

  test("who only reads sees no less and no more than who recovers", () => {
    const recovered = [session("a", "one"), { ...session("b", "two"), status: "archived" } as const];
    const seen = recovered.map((each) => ({ ...each, seq: each.messages.length }));
    expect(compareReadings(seen, recovered)).toBeUndefined();
    expect(compareReadings(seen.slice(1), recovered)).toContain("a reader sees undefined");
    expect(compareReadings(seen, recovered.slice(1))).toContain("there is undefined");
    const otherwise = seen.map((each) => ({ ...each, status: "active" }) as const);
    expect(compareReadings(otherwise, recovered)).toContain("archived");
  });
});

/** The same write, from the next event to the one after it. */
function late(history: History): (write: TimedWrite) => TimedWrite {
  return (write) => ({ ...write, called: history.next(), answered: history.next() });
}

describe("interleaved processes", () => {
  test("a seed gives the same run each time", async () => {
    const run = async (): Promise<string> => {
      const plan = drawPlan(new SeededRandom(5));
      const { events, history } = await runPlan(plan, RecordedChoices.fromSeed(6));
      return JSON.stringify([events, history.writes]);
    };
    expect(await run()).toBe(await run());
  });

  test(
    "a call that fails is told to its process alone, and nothing is lost by it",
    { timeout: 300_000 },
    async () => {
      let faults = 0;
      for (let seed = 1; seed <= 12; seed += 1) {
        const random = new SeededRandom(seed);
        const plan = { ...drawPlan(random), fault: drawFault(random, 2) };
        const run = await runPlan(plan, RecordedChoices.fromSeed(seed));
        const found = await readEverything(run.machine.capture().afterKill(), ["a", "b", "c", "d"]);
        expect(run.history.problems).toEqual([]);
        expect(typeof found === "string" ? found : judgeRun(run.history, found)).toBeUndefined();
        faults += run.faults;
      }
      expect(faults).toBeGreaterThan(3);
    },
  );

  test("two holders of one lease are found", { timeout: 300_000 }, async () => {
    const findings: Findings = { count: () => undefined, distinct: () => undefined, note: () => undefined };
    await expect(interleaved.control(findings)).rejects.toThrow(Violation);
  });
});
