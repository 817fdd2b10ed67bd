/**
 * The proof of the proof: mistakes are put into a copy of the store, one at a time, and each must be noticed by what it
 * names. A part is run on a mistaken copy as it is run on the store itself, the same slice and the same seed, but without
 * what it draws by chance; that the store itself passes there is what the gate shows. The control puts in a mistake that is
 * none, which may not be noticed.
 */

import process from "node:process";
import { Violation, type Part } from "../part.ts";
import { runSlice } from "../run-slice.ts";
import { danger } from "./caught-by.ts";
import { judgeMutant, tellSlice, tellVerdict } from "./judge-mutant.ts";
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
    const stories: string[] = [];
    for (const mutant of MUTANTS.slice(first, first + MUTANTS_IN_A_SLICE)) {
      const story = await storyOf(mutant, otherSlices(mutant), seed);
      if (story !== undefined) {
        stories.push(story);
        continue;
      }
      findings.count("mutants caught");
      findings.note(`${mutant.name}: caught by ${tellSlice(mutant.caughtBy)}`);
    }
    if (stories.length > 0) throw new Violation(stories.join("\n\n"));
  },
  control: async () => {
    const story = await storyOf(NO_MISTAKE, [], 1);
    if (story !== undefined) throw new Violation(story);
  },
};

/** `undefined`: what it names has noticed it, without what that part draws by chance. */
async function storyOf(
  mutant: Mutant,
  others: readonly PartSlice[],
  seed: number,
): Promise<string | undefined> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once("SIGTERM", stop);
  try {
    const verdict = await withStoreCopy(projectRoot(), mutant, async (directory) => {
      const worker = `${directory}/proof/work.js`;
      return await judgeMutant(mutant, others, async ({ part, slice }) => {
        const outcome = await runSlice(
          { part, slice, seed, isFixedOnly: true, worker },
          () => undefined,
          abort.signal,
        );
        abort.signal.throwIfAborted();
        return outcome;
      });
    });
    return tellVerdict(verdict, mutant, others, seed);
  } finally {
    process.removeListener("SIGTERM", stop);
  }
}

/** The beginning of every other part that notices mutants: run only to tell who else notices one. */
export function otherSlices({ caughtBy }: Mutant): readonly PartSlice[] {
  const parts = new Set(MUTANTS.map((mutant) => mutant.caughtBy.part));
  parts.delete(caughtBy.part);
  return [...parts].map((part) => ({ part, slice: 0 }));
}
