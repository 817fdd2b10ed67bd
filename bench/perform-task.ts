/** Does one task, in whatever process it is called. */

import { performance } from "node:perf_hooks";
import type { Candidate } from "./candidate.ts";
import { WrongResult } from "./check-result.ts";
import { buildDataSet } from "./data-set.ts";
import type { Answer, Task } from "./task.ts";
import type { MeasureContext, Workload } from "./workload.ts";

export interface Known {
  readonly candidateNamed: (name: string) => Candidate;
  readonly workloadNamed: (name: string) => Workload;
}

/** Never rejects. */
export async function performTask(task: Task, { candidateNamed, workloadNamed }: Known): Promise<Answer> {
  try {
    const candidate = candidateNamed(task.candidate);
    const begin = performance.now();
    const driver = await candidate.load();
    const importMs = performance.now() - begin;
    if (task.kind === "probe") return { kind: "done" };
    if (task.kind === "build") {
      await buildDataSet(driver, task.directory, task.data);
      return { kind: "done" };
    }
    const { directory, sizes, point, messages } = task;
    const context: MeasureContext = { candidate, driver, importMs, directory, sizes, point, messages };
    const workload = workloadNamed(task.workload);
    if (task.kind === "verify") {
      await workload.verify?.(context, task.facts);
      return { kind: "done" };
    }
    const measured = await workload.measure(context);
    // Beside the time of the whole process, of which it is a part.
    const figures = { ...measured.figures, ...("wallMs" in measured.figures && { importMs }) };
    return { kind: "done", measured: { ...measured, figures } };
  } catch (error) {
    if (error instanceof WrongResult) return { kind: "wrong", reason: error.message };
    return {
      kind: "failed",
      reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}
