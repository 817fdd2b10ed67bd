/** What a run has found: of each workload, candidate and point, the figures of every repetition. */

import type { Candidate } from "./candidate.ts";
import type { Figures, Workload } from "./workload.ts";

export interface Problem {
  /** "missing": not installed, or it does not work here, which is no failure of the run. The others are. */
  readonly kind: "missing" | "wrong" | "failed";
  readonly reason: string;
}

export class Result {
  readonly workload: Workload;
  readonly candidate: Candidate;
  readonly point: number;
  readonly repetitions: Figures[] = [];
  /** How often the disk was made to flush, counted in a run of its own. */
  syncs: number | undefined;
  problem: Problem | undefined;

  constructor(workload: Workload, candidate: Candidate, point: number) {
    this.workload = workload;
    this.candidate = candidate;
    this.point = point;
  }

  /** What the candidate is called in this workload, and, where syncs are the point, whether it is durable. */
  get title(): string {
    const title = this.workload.titles?.[this.candidate.name] ?? this.candidate.title;
    return this.workload.isDurable === true && !this.candidate.isDurable ? `${title} (not durable)` : title;
  }

  /** The values of one figure, in the order of the repetitions. */
  values(figure: string): number[] {
    return this.repetitions.flatMap((figures) => figures[figure] ?? []);
  }

  /** The values that are compared. */
  get mainValues(): number[] {
    return this.values(mainFigure(this.workload));
  }
}

export function mainFigure({ unit }: Workload): "ops" | "ms" {
  return unit === "ms" ? "ms" : "ops";
}

export function betterOf({ unit }: Workload): "higher" | "lower" {
  return unit === "ms" ? "lower" : "higher";
}
