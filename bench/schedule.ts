/** The order of the measurements of one repetition. */

import type { Candidate } from "./candidate.ts";
import type { Sizes } from "./sizes.ts";
import type { Workload } from "./workload.ts";

export interface Measurement {
  readonly workload: Workload;
  readonly candidate: Candidate;
  /** Of a sweep; otherwise 0. */
  readonly point: number;
}

/**
 * The candidates of a workload follow each other directly, so that they meet the same load on the machine, and each repetition
 * begins with another one, so that none always runs after the same.
 */
export function scheduleOf(
  repetition: number,
  workloads: readonly Workload[],
  candidates: readonly Candidate[],
  sizes: Sizes,
): Measurement[] {
  return workloads.flatMap((workload) => {
    const fitting = workload.candidates.flatMap((name) => candidates.filter((one) => one.name === name));
    const flipped = rotate(fitting, repetition);
    const points = workload.points?.(sizes) ?? [0];
    return points.flatMap((point) => flipped.map((candidate) => ({ workload, candidate, point })));
  });
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
