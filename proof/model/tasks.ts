/** What an instance is at beside its writes: one task at a time, which begins when its session is drained. */

import { mayBeMoved } from "./creation.ts";
import { at, type State, type Task, type Tenure } from "./state.ts";
import type { Actor } from "./step.ts";

/** Landed and synced, with nothing of it on the way. */
export function isDrained({ state, world, index }: Actor, key: number, tenure: Tenure): boolean {
  const { commit } = at(state.instances, index);
  if (tenure.ready === 0 || commit?.entries.some((entry) => entry.key === key) === true) return false;
  if (!mayBeMoved(state, world, index, tenure)) return false;
  return tenure.waiting.length === 0 || !world.rules.barrierSettles;
}

export function setTask(next: State, index: number, task: Task | undefined): void {
  at(next.instances, index).task = task;
}
