/** What a few processes are to do on one store at the same time, drawn by chance: each its own list, in its own order. */

import type { SeededRandom, Temper } from "@longhand/store/testing";
import { drawFault, type PlannedFault } from "./planned-fault.ts";

export type Action =
  /** More than one content is a batch. */
  | { readonly kind: "append"; readonly key: string; readonly contents: readonly string[] }
  /** The key for a whole turn: one append for each content. */
  | { readonly kind: "turn"; readonly key: string; readonly contents: readonly string[] }
  | { readonly kind: "fork"; readonly key: string; readonly to: string; readonly at: number | undefined }
  | { readonly kind: "read" | "watch" | "archive" | "restore" | "delete"; readonly key: string }
  | { readonly kind: "reclaim" | "verify" | "reopen" };

export interface Settings {
  readonly segmentBytes: number;
  readonly journalBytes: number;
  readonly lockWait: number;
  /** Whether those who come to their end close the store, or leave it as it is. */
  readonly closes: boolean;
}

export interface Plan {
  /** Of the machine. */
  readonly seed: number;
  readonly settings: Settings;
  readonly temper: Temper;
  /** For each process: what it does one after another; what stands together it does at once. */
  readonly processes: readonly (readonly (readonly Action[])[])[];
  readonly fault: PlannedFault | undefined;
}

const FORKED = ["c", "d"];
/** In one plan of so many a call fails. */
const FAULTY = 3;

export function drawPlan(random: SeededRandom): Plan {
  const keys = ["a", "b"].slice(0, 1 + random.below(2));
  const hasDeletes = random.below(3) === 0;
  const written = { count: 0 };
  const drawStep = (): Action[] => {
    const length = random.below(4) === 0 ? 2 : 1;
    const actions = Array.from({ length }, () => drawAction(random, keys, hasDeletes, written));
    const [alone] = actions.filter(({ kind }) => kind === "reopen");
    return alone === undefined ? actions : [alone];
  };
  const plan = {
    seed: random.below(2 ** 31),
    settings: drawSettings(random),
    temper: drawTemper(random),
    processes: Array.from({ length: 2 + random.below(2) }, () =>
      Array.from({ length: 3 + random.below(5) }, drawStep),
    ),
  };
  const isFaulty = random.below(FAULTY) === 0;
  return { ...plan, fault: isFaulty ? drawFault(random, plan.processes.length) : undefined };
}

function drawSettings(random: SeededRandom): Settings {
  return {
    segmentBytes: pick(random, [300, 500, 900, 100_000]),
    journalBytes: pick(random, [300, 900, 100_000]),
    lockWait: pick(random, [100, 1000, 10_000]),
    closes: random.below(2) === 0,
  };
}

function drawTemper(random: SeededRandom): Temper {
  return {
    switches: pick(random, [8, 40, 150, 500, 900]),
    reorders: pick(random, [0, 50]),
    lateAnswers: pick(random, [0, 30, 300]),
    timers: pick(random, [0, 4, 30]),
    stalls: pick(random, [0, 1, 4]),
    kills: pick(random, [0, 2, 4, 8]),
    mostKills: 1 + random.below(3),
  };
}

function drawAction(
  random: SeededRandom,
  keys: readonly string[],
  hasDeletes: boolean,
  written: { count: number },
): Action {
  const write = (): string => {
    written.count += 1;
    return `m${written.count}${" word".repeat(random.below(25))}`;
  };
  const writes = (most: number): string[] => Array.from({ length: 1 + random.below(most) }, write);
  const key = random.below(6) === 0 ? pick(random, FORKED) : pick(random, keys);
  switch (random.below(20)) {
    case 0:
    case 1:
      return { kind: "turn", key, contents: writes(3) };
    case 2:
    case 3:
      return { kind: "append", key, contents: [write(), ...writes(3)] };
    case 4:
    case 5:
      return { kind: "read", key };
    case 6:
      return { kind: "watch", key };
    case 7:
    case 8:
      return { kind: "archive", key };
    case 9:
      return { kind: "restore", key };
    case 10: {
      // Never in a circle: what a session has inherited is told from what was written to it by the key.
      const to = key === "c" ? "d" : pick(random, FORKED);
      const at = random.below(2) === 0 ? undefined : 1 + random.below(4);
      return key === "d" ? { kind: "read", key } : { kind: "fork", key, to, at };
    }
    case 11:
      return { kind: "reclaim" };
    case 12:
      return { kind: hasDeletes ? "delete" : "archive", key };
    case 13:
      return { kind: random.below(2) === 0 ? "reopen" : "verify" };
    default:
      return { kind: "append", key, contents: [write()] };
  }
}

function pick<T>(random: SeededRandom, items: readonly T[]): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new RangeError("there is nothing to pick from");
  return item;
}
