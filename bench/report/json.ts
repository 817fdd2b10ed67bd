/** A run as JSON: everything that the tables are made of. */

import { betterOf, type Result } from "../result.ts";
import { spreadOf } from "../statistics.ts";
import { goalVerdicts, ratioToOurs } from "./verdicts.ts";

export interface RunFacts {
  readonly date: string;
  readonly command: string;
  readonly machine: string;
  readonly sizes: string;
  readonly repetitions: number;
  readonly peers: Readonly<Record<string, string>>;
}

export function toJson(facts: RunFacts, results: readonly Result[]): string {
  const workloads = [...new Set(results.map(({ workload }) => workload))].map((workload) => {
    const own = results.filter((result) => result.workload === workload);
    return {
      ...{ name: workload.name, title: workload.title, unit: workload.unit, better: betterOf(workload) },
      goals: goalVerdicts(workload, own),
      results: own.map((result) => ({
        candidate: result.candidate.name,
        ...(result.point !== 0 && { point: result.point }),
        isDurable: result.candidate.isDurable,
        ...(result.mainValues.length > 0 && { ...spreadOf(result.mainValues) }),
        timesAsFastIsLonghand: ratioToOurs(result, own),
        syncs: result.syncs,
        repetitions: result.repetitions,
        problem: result.problem,
      })),
    };
  });
  return `${JSON.stringify({ ...facts, workloads }, null, 2)}\n`;
}
