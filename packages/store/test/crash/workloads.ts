/** Short workloads over the operations of a session, for running into every crash and every failure. */

import type { Message, Session, Store, Written } from "../../src/index.ts";

export interface Workload {
  readonly name: string;
  readonly keys: readonly string[];
  /** Small, so that a short workload uses the journal's space again several times. */
  readonly journalBytes?: number;
  /** Small, so that a short workload seals several files. */
  readonly segmentBytes?: number;
  /** Each step is one call; a step that is an array makes its calls at once. */
  readonly steps: readonly (Step | Step[])[];
}

export interface Step {
  readonly key: string;
  readonly run: (session: Session, store: Store) => Promise<Written>;
}

export function user(content: string): Message {
  return { role: "user", content };
}

const append = (key: string, content: string, id?: string): Step => ({
  key,
  run: async (session) => await session.append(user(content), id === undefined ? {} : { id }),
});
const batch = (key: string, ...contents: readonly string[]): Step => ({
  key,
  run: async (session) => await session.append(contents.map(user)),
});
const step = (key: string, run: Step["run"]): Step => ({ key, run });

const archive = (key: string): Step =>
  step(key, async (session) => await afterwards(session, session.archive()));

/** Putting away writes no record; what counts is that none is lost. */
async function afterwards(session: Session, done: Promise<void>): Promise<Written> {
  await done;
  return { seq: (await session.state())?.seq ?? 0 };
}

/** The child holds what the parent had; from there on they are apart. */
const fork = (key: string, newKey: string, at?: number): Step =>
  step(newKey, async (child, store) => {
    await store.session(key).fork(newKey, at === undefined ? {} : { at });
    return { seq: (await child.state())?.seq ?? 0 };
  });

async function reclaimed(store: Store): Promise<void> {
  await store.reclaim();
}

export const WORKLOADS: readonly Workload[] = [
  {
    name: "append and batch",
    keys: ["a:1"],
    steps: [
      append("a:1", "one"),
      append("a:1", "two", "id-2"),
      batch("a:1", "three", "four", "five"),
      append("a:1", "six"),
    ],
  },
  {
    name: "every record kind",
    keys: ["k"],
    steps: [
      batch("k", "one", "two", "three"),
      step("k", async (session) => await session.setSummary("so far")),
      step("k", async (session) => await session.setTitle("Title")),
      step("k", async (session) => await session.note("usage", { tokens: 3 })),
      step("k", async (session) => await session.truncate({ keepLast: 2 })),
      step("k", async (session) => await session.compact({ summary: "shorter", keepFrom: 3 })),
      step("k", async (session) => await session.rewind({ to: 2 })),
      step(
        "k",
        async (session) => await session.replace([user("new one"), user("new two")], { summary: "new" }),
      ),
      step("k", async (session) => await session.rewind({ messages: 1 })),
    ],
  },
  {
    name: "two sessions at once",
    keys: ["a:1", "b"],
    steps: [
      [append("a:1", "a1"), append("b", "b1"), append("a:1", "a2")],
      [batch("b", "b2", "b3"), append("a:1", "a3")],
      append("b", "b4"),
    ],
  },
  {
    name: "a journal used again",
    keys: ["a:1", "b"],
    journalBytes: 250,
    steps: [
      append("a:1", "a1"),
      append("b", "b1"),
      batch("a:1", "a2", "a3"),
      append("b", "b2"),
      append("a:1", "a4"),
      [append("b", "b3"), append("a:1", "a5")],
    ],
  },
  {
    name: "archived and restored",
    keys: ["a:1", "b"],
    journalBytes: 600,
    steps: [
      append("a:1", "a1"),
      [append("b", "b1"), archive("a:1")],
      batch("a:1", "a2", "a3"),
      archive("a:1"),
      step("a:1", async (session) => await afterwards(session, session.restore())),
      archive("b"),
      append("a:1", "a4"),
    ],
  },
  {
    name: "sealed again and again",
    keys: ["a:1", "b"],
    journalBytes: 500,
    segmentBytes: 400,
    steps: [
      append("a:1", "a1"),
      batch("a:1", "a2", "a3"),
      [append("a:1", "a4"), append("b", "b1")],
      append("a:1", "a5"),
      step("a:1", async (session) => await session.rewind({ messages: 3 })),
      [append("a:1", "a6"), archive("b")],
      append("b", "b2"),
      append("a:1", "a7"),
    ],
  },
  {
    name: "forked from a sealed and an active file",
    keys: ["a:1", "whole", "part"],
    segmentBytes: 400,
    steps: [
      batch("a:1", "a1", "a2", "a3"),
      append("a:1", "a4"),
      fork("a:1", "whole"),
      [append("a:1", "a5"), append("whole", "w5")],
      fork("a:1", "part", 2),
      append("part", "p3"),
      append("whole", "w6"),
    ],
  },
  {
    name: "compressed",
    keys: ["a:1"],
    segmentBytes: 300,
    steps: [
      batch("a:1", "a1", "a2", "a3"),
      batch("a:1", "a4", "a5", "a6"),
      batch("a:1", "a7", "a8", "a9"),
      step("a:1", async (session, store) => await afterwards(session, reclaimed(store))),
      append("a:1", "a10"),
    ],
  },
  {
    name: "a record longer than a sector",
    keys: ["a:1"],
    journalBytes: 2000,
    steps: [
      append("a:1", "x".repeat(1300)),
      batch("a:1", "y".repeat(700), "z".repeat(700)),
      append("a:1", "end"),
    ],
  },
];

export type Outcome = { readonly seq: number } | { readonly error: unknown };

/** Runs the steps one after another, and tells how each ended as soon as it has. */
export async function runWorkload(
  store: Store,
  workload: Workload,
  onOutcome: (step: Step, outcome: Outcome) => void,
): Promise<void> {
  for (const item of workload.steps) {
    await Promise.all(
      [item].flat().map(async (step) => {
        const outcome: Outcome = await step
          .run(store.session(step.key), store)
          .catch((error: unknown) => ({ error }));
        onOutcome(step, outcome);
      }),
    );
  }
}
