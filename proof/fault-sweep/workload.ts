/**
 * What a store is asked to do while its calls fail: every kind of operation, so that every kind of call is among those
 * that fail. The first ones are fixed; others are drawn by chance.
 */

import { SeededRandom } from "@longhand/store/testing";
import type { StoreStep } from "../crash-images/perform-step.ts";

/** Of a step, as its caller was told. */
export type Outcome = "done" | "refused" | "unknown";

/** What changes nothing. In a "read" everything is read, and compared; "reopen" closes the store first. */
export interface ReadingStep {
  readonly kind: "read" | "search" | "verify" | "reopen";
}

export type SweepStep =
  | StoreStep
  | ReadingStep
  /** Another process, whose calls do not fail, opens the store, appends, and is killed. */
  | { readonly kind: "neighbour"; readonly key: string; readonly contents: readonly string[] };

export interface Workload {
  readonly keys: readonly string[];
  readonly journalBytes: number;
  readonly segmentBytes: number;
  /** What a process has done that was killed before: it is taken over. */
  readonly before: readonly StoreStep[];
  /** Then it was closed, and a byte of a checkpoint has changed: it costs no record, and a repair mends it. */
  readonly isSpoiled?: true;
  readonly steps: readonly SweepStep[];
}

const KEYS = ["a:1", "b", "copy", "left", "near"];
/** So that a file is long enough to be sealed after a few. */
const WORDS = " and so on".repeat(8);

/** Short ones: each call of each of them is made to fail, and the whole of it runs every time. */
export const WORKLOADS: readonly Workload[] = [
  {
    keys: ["a:1", "left"],
    ...{ journalBytes: 900, segmentBytes: 600 },
    before: [
      { kind: "append", key: "left", contents: ["l1", `l2${WORDS}`] },
      { kind: "append", key: "a:1", contents: ["a0"], id: "first" },
    ],
    steps: [
      { kind: "append", key: "a:1", contents: [`a1${WORDS}`, `a2${WORDS}`, "a3"] },
      { kind: "append", key: "a:1", contents: ["a0"], id: "first" },
      { kind: "summary", key: "a:1", text: "so far" },
      { kind: "truncate", key: "a:1", keepLast: 3 },
      { kind: "rewind", key: "a:1", messages: 1 },
      { kind: "compact", key: "a:1", back: 2 },
      { kind: "undo cut", key: "a:1" },
      { kind: "rewind back", key: "a:1", back: 1 },
      { kind: "replace", key: "a:1", contents: [`a4${WORDS}`, "a5"] },
    ],
  },
  {
    keys: ["b"],
    ...{ journalBytes: 500, segmentBytes: 100_000 },
    before: [{ kind: "append", key: "b", contents: ["b1"] }],
    steps: [
      { kind: "archive", key: "b" },
      { kind: "append", key: "b", contents: ["b2"] },
      { kind: "archive", key: "b" },
      { kind: "restore", key: "b" },
      { kind: "delete", key: "b" },
      { kind: "append", key: "b", contents: ["b3"] },
      { kind: "purge" },
    ],
  },
  {
    keys: ["a:1", "copy"],
    ...{ journalBytes: 100_000, segmentBytes: 400 },
    before: [
      { kind: "append", key: "a:1", contents: [`a1${WORDS}`, `a2${WORDS}`, `a3${WORDS}`] },
      { kind: "append", key: "a:1", contents: [`a4${WORDS}`, `a5${WORDS}`, `a6${WORDS}`] },
    ],
    steps: [
      { kind: "fork", key: "a:1", newKey: "copy", back: 1 },
      { kind: "append", key: "copy", contents: ["c1", `c2${WORDS}`] },
      { kind: "append", key: "a:1", contents: [`a7${WORDS}`] },
      { kind: "reclaim" },
      { kind: "read" },
    ],
  },
  {
    keys: ["left", "near"],
    ...{ journalBytes: 400, segmentBytes: 100_000 },
    before: [{ kind: "append", key: "left", contents: ["l1"] }],
    steps: [
      { kind: "lock", key: "left", contents: ["l2"] },
      { kind: "neighbour", key: "near", contents: ["n1", "n2"] },
      { kind: "append", key: "near", contents: ["n3"] },
      { kind: "reopen" },
      { kind: "append", key: "left", contents: ["l3"] },
      { kind: "search" },
    ],
  },
  {
    keys: ["b"],
    ...{ journalBytes: 600, segmentBytes: 100_000 },
    before: [{ kind: "append", key: "b", contents: ["b1"] }],
    steps: [
      { kind: "note", key: "b", data: "pinned", id: "pin" },
      { kind: "title", key: "b", text: "A title" },
      { kind: "tags", key: "b", text: "tagged" },
      { kind: "note", key: "b", data: "pinned", id: "pin" },
      { kind: "verify" },
      { kind: "delete forever", key: "b" },
      { kind: "append", key: "b", contents: ["b2"] },
    ],
  },
  {
    keys: ["a:1"],
    ...{ journalBytes: 100_000, segmentBytes: 400 },
    before: [
      { kind: "append", key: "a:1", contents: [`a1${WORDS}`, `a2${WORDS}`, `a3${WORDS}`] },
      { kind: "append", key: "a:1", contents: [`a4${WORDS}`, `a5${WORDS}`] },
      { kind: "append", key: "a:1", contents: ["a6"] },
      // So that what is dropped below is seen by nobody any more.
      { kind: "truncate", key: "a:1", keepLast: 1 },
    ],
    isSpoiled: true,
    steps: [{ kind: "repair" }, { kind: "verify" }, { kind: "reclaim", drop: 5 }, { kind: "read" }],
  },
];

/** Records below this may be gone, and are not compared: in memory nothing is ever dropped. */
export function droppedBelow({ steps }: Workload): number {
  return Math.max(0, ...steps.map((step) => (step.kind === "reclaim" ? (step.drop ?? 0) : 0)));
}

/** What was spoiled before is still so, or may be: it was not mended for certain. */
export function mayBeSpoiled({ isSpoiled, steps }: Workload, outcomes: readonly Outcome[]): boolean {
  const isMended = steps.some(({ kind }, index) => kind === "repair" && outcomes[index] === "done");
  return isSpoiled === true && !isMended;
}

export function drawWorkload(seed: number): Workload {
  const random = new SeededRandom(seed);
  const written = { count: 0 };
  const draw = (): SweepStep => drawStep(random, written);
  return {
    keys: KEYS,
    journalBytes: [300, 900, 100_000][random.below(3)] ?? 900,
    segmentBytes: [300, 600, 100_000][random.below(3)] ?? 600,
    before: Array.from({ length: 3 }, () => drawAppend(random, written)),
    steps: Array.from({ length: 8 + random.below(12) }, draw),
  };
}

function drawAppend(random: SeededRandom, written: { count: number }): StoreStep {
  const contents = Array.from({ length: 1 + random.below(3) }, () => {
    written.count += 1;
    return `m${written.count}${" word".repeat(random.below(30))}`;
  });
  const key = KEYS[random.below(KEYS.length)] ?? "b";
  return random.below(4) === 0
    ? { kind: "append", key, contents, id: `id-${written.count}` }
    : { kind: "append", key, contents };
}

function drawStep(random: SeededRandom, written: { count: number }): SweepStep {
  const key = KEYS[random.below(KEYS.length)] ?? "b";
  // One at a time of each kind: where several go at once, a failure in the middle leaves some of them.
  const kinds = ["archive", "restore", "delete"] as const;
  switch (random.below(25)) {
    case 0:
      return { kind: "summary", key, text: `summary ${written.count}` };
    case 1:
      return { kind: "truncate", key, keepLast: random.below(4) };
    case 2:
      return { kind: "rewind", key, messages: random.below(3) };
    case 3:
      return { kind: "rewind back", key, back: random.below(4) };
    case 4:
      return { kind: "compact", key, back: random.below(3) };
    case 5:
      return { kind: "replace", key, contents: [`r${written.count}`] };
    case 6:
      return { kind: "fork", key: "a:1", newKey: "copy", back: random.below(3) };
    case 7:
    case 8:
      return { kind: kinds[random.below(kinds.length)] ?? "archive", key: key === "copy" ? "b" : key };
    case 9:
      return { kind: "reclaim" };
    case 10:
      return { kind: "reopen" };
    case 11:
      return { kind: "read" };
    case 12:
      return { kind: "neighbour", key: "near", contents: [`n${written.count}`] };
    case 13:
      return { kind: "lock", key, contents: [`under lock ${written.count}`] };
    case 14:
      return { kind: "note", key, data: `note ${written.count}` };
    case 15:
      return { kind: random.below(2) === 0 ? "title" : "tags", key, text: `meta ${written.count}` };
    case 16:
      return { kind: "delete forever", key: key === "copy" ? "b" : key };
    case 17:
      return { kind: "verify" };
    case 18:
      return { kind: "repair" };
    case 19:
      return { kind: "undo cut", key };
    default:
      return drawAppend(random, written);
  }
}

const READING: readonly string[] = ["read", "search", "verify", "reopen"] satisfies ReadingStep["kind"][];

export function isReading(step: SweepStep): step is ReadingStep {
  return READING.includes(step.kind);
}

export function tellStep({ kind, ...details }: SweepStep): string {
  const told = Object.values(details).map((value: unknown) => JSON.stringify(value).slice(0, 40));
  return [kind, ...told].join(" ");
}
