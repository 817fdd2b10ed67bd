/** What Longhand's figures are worth beside the others': ratios, goals, flatness. Losses are said as plainly as wins. */

import { betterOf, type Result } from "../result.ts";
import { ratioOf, slowestToFastest, spreadOf, type Spread } from "../statistics.ts";
import type { Workload } from "../workload.ts";

export const OURS = "longhand";

export interface GoalVerdict {
  readonly text: string;
  readonly isReached: boolean;
}

/** How many times as fast Longhand is as this candidate. `undefined`: one of the two has no figures. */
export function ratioToOurs(result: Result, results: readonly Result[]): Spread | undefined {
  const ours = results.find(
    ({ workload, candidate, point }) =>
      workload === result.workload && candidate.name === OURS && point === result.point,
  );
  if (ours === undefined || ours === result) return undefined;
  return ratioOf(ours.mainValues, result.mainValues, betterOf(result.workload));
}

export function goalVerdicts(workload: Workload, results: readonly Result[]): GoalVerdict[] {
  return (workload.goals ?? []).flatMap((goal): GoalVerdict[] => {
    if ("limitMs" in goal) {
      const ours = results.find((result) => result.workload === workload && result.candidate.name === OURS);
      if (ours === undefined || ours.mainValues.length === 0) return [];
      const { median } = spreadOf(ours.mainValues);
      const isReached = median < goal.limitMs;
      return [
        {
          text: `needs ${median.toFixed(1)} ms; goal under ${goal.limitMs} ms: ${outcome(isReached)}`,
          isReached,
        },
      ];
    }
    const peer = results.find(
      (result) => result.workload === workload && result.candidate.name === goal.peer,
    );
    const ratio = peer && ratioToOurs(peer, results);
    if (ratio === undefined) return [];
    const isReached = ratio.median >= goal.ratio;
    const speed = ratio.median >= 1 ? "not slower" : "SLOWER";
    const text = `is ${times(ratio.median)} as fast as ${goal.peer}: ${speed}; goal ${times(goal.ratio)}: ${outcome(isReached)}`;
    return [{ text, isReached }];
  });
}

/** Of a sweep and one candidate: its slowest point against its fastest. */
export function flatness(workload: Workload, results: readonly Result[]): GoalVerdict | undefined {
  const medians = results
    .filter((result) => result.workload === workload && result.mainValues.length > 0)
    .map((result) => spreadOf(result.mainValues).median);
  if (medians.length < 2 || workload.unit !== "ms") return undefined;
  const ratio = slowestToFastest(medians);
  const isReached = workload.flatWithin === undefined || ratio <= workload.flatWithin;
  const limit =
    workload.flatWithin === undefined
      ? ""
      : isReached
        ? `: flat within ${workload.flatWithin}x`
        : `: NOT flat within ${workload.flatWithin}x`;
  return { text: `slowest to fastest ${times(ratio)}${limit}`, isReached };
}

export function times(ratio: number): string {
  if (ratio < 0.1) return `${Number(ratio.toPrecision(2))}x`;
  const digits = ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2;
  return `${ratio.toFixed(digits)}x`;
}

function outcome(isReached: boolean): string {
  return isReached ? "reached" : "MISSED";
}
