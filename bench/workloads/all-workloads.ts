/** Every workload, in the order in which they run and are printed. */

import type { Workload } from "../workload.ts";
import { concurrencySweep, concurrentAppend, sustainedAppend } from "./append-to-many.ts";
import { durableAppend, unsyncedAppend } from "./append-to-one.ts";
import { list, search, start } from "./open-many.ts";
import { coldIterate, coldLoad, coldTail, truncate } from "./read-big.ts";
import { helpTime, importTime } from "./start-up.ts";
import { SWEEPS } from "./sweeps.ts";

export const WORKLOADS: readonly Workload[] = [
  ...[durableAppend, concurrentAppend, concurrencySweep, sustainedAppend, unsyncedAppend],
  ...[coldTail, coldLoad, coldIterate, truncate, list, start, search, importTime, helpTime],
  ...SWEEPS,
];

/** "W2" is also its variants, "sweeps" all sweeps. `undefined`: there is no such workload. */
export function workloadsNamed(name: string): readonly Workload[] | undefined {
  const found = WORKLOADS.filter(
    (workload) =>
      workload.name.toLowerCase() === name.toLowerCase() ||
      workload.name.toLowerCase().startsWith(`${name.toLowerCase()}-`) ||
      (name === "sweeps" && SWEEPS.includes(workload)),
  );
  return found.length === 0 ? undefined : found;
}

export function workloadNamed(name: string): Workload {
  const workload = WORKLOADS.find((known) => known.name === name);
  if (workload === undefined) throw new Error(`no workload is named ${name}`);
  return workload;
}
