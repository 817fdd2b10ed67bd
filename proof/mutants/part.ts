/**
 * The proof of the proof: mistakes are put into a copy of the store, one at a time, and the other parts must notice each.
 * A part is run on a mistaken copy as it is run on the store itself: the same slice, the same seed; that the store itself
 * passes there is what the gate shows. The control puts in a mistake that is none, which may not be noticed.
 */

import process from "node:process";
import { Violation, type Findings, type Part } from "../part.ts";
import { runSlice } from "../run-slice.ts";
import { danger } from "./caught-by.ts";
import type { Mutant, PartSlice } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";
import { projectRoot } from "./project-root.ts";
import { withStoreCopy } from "./store-copy.ts";
import { whyNoCompiler } from "./transpile.ts";

export const MUTANTS_IN_A_SLICE = 2;

const NO_MISTAKE: Mutant = {
  name: "no-mistake",
  breaks: "nothing: a comment says the same in other words",
  file: "wal/group-by-session.ts",
  edits: [{ find: " * Records of one session,", replace: " * The records of one session," }],
  caughtBy: danger("checkpoints"),
};

export const mutants: Part = {
  name: "mutants",
  title: "Mutants",
  counts: { "mutants caught": MUTANTS.length },
  gateSlices: Math.ceil(MUTANTS.length / MUTANTS_IN_A_SLICE),
  // There are no others: a long run would find the same.
  weight: 0,
  obstacle: whyNoCompiler,
  run: async ({ seed, number }, findings) => {
    const first = number * MUTANTS_IN_A_SLICE;
    for (const mutant of MUTANTS.slice(first, first + MUTANTS_IN_A_SLICE)) {
      await judgeMutant(mutant, slicesToTry(mutant), seed, findings);
    }
  },
  control: async (findings) => await judgeMutant(NO_MISTAKE, [NO_MISTAKE.caughtBy], 1, findings),
};

/** Throws a `Violation` if nothing notices it. */
async function judgeMutant(
  mutant: Mutant,
  tried: readonly PartSlice[],
  seed: number,
  findings: Findings,
): Promise<void> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once("SIGTERM", stop);
  try {
    const { caught, failures } = await withStoreCopy(
      projectRoot(),
      mutant,
      async (directory) => await firstToNotice(directory, tried, seed, abort.signal),
    );
    if (caught === undefined) throw new Violation(tellSurvivor(mutant, tried, failures, seed));
    findings.count("mutants caught");
    findings.note(`${mutant.name}: caught by ${caught.part}`);
  } finally {
    process.removeListener("SIGTERM", stop);
  }
}

interface Noticed {
  readonly caught: PartSlice | undefined;
  /** Slices that could not be run to their end before: of what they would have noticed nothing is known. */
  readonly failures: readonly string[];
}

/** Rejects if not one of them could be run: then nothing is known of the mutant. */
async function firstToNotice(
  directory: string,
  tried: readonly PartSlice[],
  seed: number,
  abort: AbortSignal,
): Promise<Noticed> {
  const worker = `${directory}/proof/work.js`;
  const failures: string[] = [];
  for (const each of tried) {
    const outcome = await runSlice({ ...each, seed, worker }, () => undefined, abort);
    abort.throwIfAborted();
    if (outcome.kind === "violated") return { caught: each, failures };
    if (outcome.kind === "failed") failures.push(`${each.part}, slice ${each.slice}: ${outcome.story}`);
  }
  if (failures.length === tried.length) throw new Error(failures.join("\n"));
  return { caught: undefined, failures };
}

/** What should notice it first, then the beginning of every other part that notices mutants. */
export function slicesToTry({ caughtBy }: Mutant): readonly PartSlice[] {
  const parts = new Set(MUTANTS.map((mutant) => mutant.caughtBy.part));
  parts.delete(caughtBy.part);
  return [caughtBy, ...[...parts].map((part) => ({ part, slice: 0 }))];
}

export function tellSurvivor(
  { name, breaks, file }: Mutant,
  tried: readonly PartSlice[],
  failures: readonly string[],
  seed: number,
): string {
  const slices = tried.map(({ part, slice }) => `${part} slice ${slice}`).join(", ");
  return [
    `The mutant ${name} of packages/store/src/${file} survives (seed ${seed}).`,
    `It breaks ${breaks}.`,
    `Noticed by none of: ${slices}`,
    ...(failures.length === 0 ? [] : ["Of these could not be run:", ...failures]),
  ].join("\n");
}
