/**
 * Real processes, killed with SIGKILL at any moment: while they open and recover, write, fork, seal, archive. The same
 * directory lives on through all kills of a slice, and is looked at after each; writers whose writes were cut off are
 * followed by ones that write them again, by their ids.
 *
 * What is done follows from seed and slice; at which point of it a writer is killed is left to the machine, since time
 * passes as it does. So a violation tells the last that was heard of each writer and keeps the directory; running
 * its slice again searches in the same neighbourhood, but need not find it.
 */

import type { Part } from "../part.ts";
import { runLives } from "./run-lives.ts";

/** What is looked at after each grows with them, so that many short lives of a directory are cheaper than a long one. */
const ROUNDS = 12;
const CONTROL_ROUNDS = 30;

export const kills: Part = {
  name: "kills",
  title: "Real kills",
  counts: { kills: 100, acknowledgements: 300 },
  gateSlices: 5,
  weight: 6,
  isLeftToChance: true,
  obstacle: async () => await Promise.resolve(undefined),
  run: async (slice, findings) => {
    await runLives({ slice, findings, rounds: ROUNDS, conduct: "honest" });
  },
  control: async (findings) => {
    const slice = { seed: 1, number: 0 };
    await runLives({ slice, findings, rounds: CONTROL_ROUNDS, conduct: "answers-early" });
  },
};
