/** How a takeover goes on, and how it is given up. */

import { at, NONE, type Adoption, type State } from "./state.ts";

export function moveTo(next: State, index: number, change: Partial<Adoption>): void {
  const instance = at(next.instances, index);
  if (instance.adoption !== undefined) instance.adoption = { ...instance.adoption, ...change };
}

/** It failed: the lock goes, and whoever meets the dead one begins again. */
export function abandon(next: State, index: number, dead: number): void {
  next.locks[dead] = NONE;
  at(next.instances, index).adoption = undefined;
}
