/**
 * A run of the proof on all cores: first the gate, each control and slice once; then, in a long run, further slices of
 * each part by its share of the time, until the time is over.
 */

import type { Part } from "./part.ts";
import { runSlice } from "./run-slice.ts";
import { PartTally, type FoundViolation } from "./tally.ts";

export interface RunOptions {
  readonly parts: readonly Part[];
  readonly seed: number;
  readonly workers: number;
  /** Of the gate: all of it, or the few slices that each part names for it. */
  readonly size: "whole" | "quick";
  /** When a long run starts no further slice; `undefined`: the gate alone. */
  readonly until: number | undefined;
  readonly abort: AbortSignal;
  /** Told at once: a long run need not end first. */
  readonly onViolation: (tally: PartTally, violation: FoundViolation) => void;
}

interface Task {
  readonly tally: PartTally;
  readonly slice: number | "control";
}

/** The tallies fill while it runs. */
export class ProofRun {
  readonly tallies: readonly PartTally[];
  readonly #options: RunOptions;
  readonly #gate: Task[];

  private constructor(tallies: readonly PartTally[], options: RunOptions) {
    this.tallies = tallies;
    this.#options = options;
    this.#gate = gateOf(
      tallies.filter(({ obstacle }) => obstacle === undefined),
      options.size,
    );
  }

  static async prepare(options: RunOptions): Promise<ProofRun> {
    const tallies = await Promise.all(
      options.parts.map(async (part) => new PartTally(part, await part.obstacle())),
    );
    return new ProofRun(tallies, options);
  }

  async finish(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.workers }, () => this.#work()));
  }

  async #work(): Promise<void> {
    for (let task = this.#next(); task !== undefined; task = this.#next()) await this.#run(task);
  }

  #next(): Task | undefined {
    const { abort, until } = this.#options;
    if (abort.aborted) return undefined;
    const task = this.#gate.shift();
    if (task !== undefined || until === undefined || Date.now() >= until) return task;
    const candidates = this.tallies.filter(({ obstacle, part }) => obstacle === undefined && part.weight > 0);
    const [tally] = candidates.sort((a, b) => shareUsed(a) - shareUsed(b));
    return tally && { tally, slice: tally.nextSlice() };
  }

  async #run({ tally, slice }: Task): Promise<void> {
    const { seed, abort } = this.#options;
    const stop = tally.begin();
    const outcome = await runSlice(
      { part: tally.part.name, slice, seed },
      (message) => {
        if (slice !== "control") tally.hear(slice, message);
      },
      abort,
    );
    stop();
    if (abort.aborted) return;
    if (slice === "control") tally.endControl(outcome);
    else {
      const violation = tally.end(slice, outcome);
      if (violation !== undefined) this.#options.onViolation(tally, violation);
    }
  }
}

/** The parts take turns, so that none waits for the end. */
function gateOf(tallies: readonly PartTally[], size: RunOptions["size"]): Task[] {
  const queues = tallies.map((tally): Task[] => [
    { tally, slice: "control" },
    ...slicesOf(tally, size).map((slice) => ({ tally, slice })),
  ]);
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    queues.flatMap((queue) => queue.slice(at, at + 1)),
  ).flat();
}

function slicesOf(tally: PartTally, size: RunOptions["size"]): readonly number[] {
  const { gateSlices, quickSlices = [0] } = tally.part;
  const gate = Array.from({ length: gateSlices }, () => tally.nextSlice());
  return size === "whole" ? gate : quickSlices;
}

function shareUsed({ milliseconds, part }: PartTally): number {
  return milliseconds / part.weight;
}
