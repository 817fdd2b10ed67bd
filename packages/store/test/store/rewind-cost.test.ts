/** A rewind costs the same after a thousand others: it reads the end of the log, and touches few of the kept ranges. */

import { describe, expect, test } from "vitest";
import type { Entry, SeqRange } from "../../src/format/entry.ts";
import { clippedView, EMPTY_STATE, foldEntry, isLive, type SessionState } from "../../src/format/fold.ts";
import type { EntryReader } from "../../src/contract/backend.ts";
import { rewindTo } from "../../src/contract/decide.ts";

const AT = "2026-11-15T19:24:12.123Z";
const RANGES = 5000;

const message = (seq: number): Entry => ({ seq, at: AT, body: { op: "message", json: "{}" } });

/** Two messages and a rewind of the second, again and again. */
function rewound(times: number): { readonly entries: readonly Entry[]; readonly state: SessionState } {
  const entries: Entry[] = [];
  for (let time = 0; time < times; time++) {
    const seq = entries.length + 1;
    entries.push(message(seq), message(seq + 1));
    entries.push({ seq: seq + 2, at: AT, body: { op: "rewind", to: seq, count: time + 1 } });
  }
  return { entries, state: entries.reduce(foldEntry, EMPTY_STATE) };
}

interface Counted {
  readonly log: EntryReader;
  read: number;
  states: number;
}

/** A log in memory that counts what is asked of it. */
function countedLog(entries: readonly Entry[]): Counted {
  const counted: Counted = {
    read: 0,
    states: 0,
    log: {
      firstSeq: 1,
      async *entries({ from, to, reverse }) {
        const range = entries.slice(from - 1, to);
        for (const entry of reverse ? range.reverse() : range) {
          counted.read++;
          yield await Promise.resolve([entry]);
        }
      },
      stateAfter: async (seq) => {
        counted.states++;
        return await Promise.resolve(entries.slice(0, seq).reduce(foldEntry, EMPTY_STATE));
      },
    },
  };
  return counted;
}

/** The ranges, counting how many of them are looked at. */
function counting(kept: readonly SeqRange[]): { readonly kept: readonly SeqRange[]; looks: number } {
  const counter = { looks: 0, kept };
  counter.kept = new Proxy(kept, {
    get: (target, name): unknown => {
      if (typeof name === "string" && /^[0-9]+$/.test(name)) counter.looks++;
      return Reflect.get(target, name);
    },
  });
  return counter;
}

describe("after many rewinds", () => {
  test.each([
    { cut: { messages: 1 }, read: 2 },
    { cut: { to: RANGES * 3 + 1 }, read: 2 },
  ])("$cut reads what it cuts, and no state from further back", async ({ cut, read }) => {
    const { entries, state } = rewound(RANGES);
    const seq = state.seq + 1;
    const more = [message(seq), message(seq + 1)];
    const counted = countedLog([...entries, ...more]);
    const decision = await rewindTo(cut, {}).decide(more.reduce(foldEntry, state), counted.log);
    expect(decision).toEqual({ add: [{ op: "rewind", to: seq, count: RANGES + 1 }], id: undefined });
    expect(counted.states).toBe(0);
    expect(counted.read).toBeLessThanOrEqual(2 * read);
  });

  test("whether a record is live is found without looking at every range", () => {
    const { state } = rewound(RANGES);
    const counter = counting(state.kept);
    const live = Array.from({ length: 100 }, (_, index) =>
      isLive({ ...state, kept: counter.kept }, index * 149 + 1),
    );
    expect(counter.looks).toBeLessThan(100 * 2 * Math.ceil(Math.log2(RANGES + 1)) + 200);
    expect(live).toEqual(live.map((_, index) => (index * 149) % 3 === 0));
  });

  test("a clipped view shares the ranges that it leaves as they are", () => {
    const { state } = rewound(RANGES);
    const { kept } = clippedView(state, 3 * RANGES - 2);
    expect(kept).toHaveLength(RANGES);
    expect(kept.slice(0, -1).every((range, index) => range === state.kept[index])).toBe(true);
  });
});

test("control: where a rewind, a cut or a summary lies between, the state before it is asked for", async () => {
  const between: readonly Entry["body"][] = [
    { op: "rewind", to: 2, count: 1 },
    { op: "truncate", keepFrom: 2, count: 1 },
    { op: "summary", summary: "s" },
    { op: "reset" },
    { op: "compact", summary: "s", keepFrom: 2, count: 1 },
  ];
  for (const body of between) {
    const entries = [message(1), message(2), { seq: 3, at: AT, body }, message(4)];
    const counted = countedLog(entries);
    await rewindTo({ to: 1 }, {}).decide(entries.reduce(foldEntry, EMPTY_STATE), counted.log);
    expect(counted.states).toBe(1);
  }
});

test("control: far back, the state there is asked for instead of reading all that is cut", async () => {
  const entries = Array.from({ length: 5000 }, (_, index) => message(index + 1));
  const counted = countedLog(entries);
  const decision = await rewindTo({ to: 1 }, {}).decide(entries.reduce(foldEntry, EMPTY_STATE), counted.log);
  expect(decision).toEqual({ add: [{ op: "rewind", to: 1, count: 1 }], id: undefined });
  expect(counted.states).toBe(1);
  expect(counted.read).toBeLessThan(1000);
});
