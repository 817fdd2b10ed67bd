/** Makes a workload that fails as short as a few tries allow: groups and steps are left out while it still fails. */

import { shrinkingTries } from "../shrinking.ts";
import type { Workload } from "./step.ts";

const TRIES = 24;

/** `fails` answers with the violation, if there is one. The violation of the shortest workload that was found. */
export async function shrinkWorkload(
  workload: Workload,
  violation: string,
  fails: (workload: Workload) => Promise<string | undefined>,
): Promise<string> {
  let shortest = { workload, violation };
  let tries = shrinkingTries(TRIES);
  // From the end on: what comes after the failure goes first, and the rest keeps its place as long as possible.
  for (let index = workload.groups.length - 1; index >= 0 && tries > 0; index -= 1) {
    tries -= 1;
    const groups = shortest.workload.groups.filter((_group, place) => place !== index);
    if (groups.length === 0) break;
    const shorter = { ...shortest.workload, groups };
    const still = await fails(shorter).catch(() => undefined);
    if (still !== undefined) shortest = { workload: shorter, violation: still };
  }
  return shortest.violation;
}
