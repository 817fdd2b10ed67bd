/**
 * A walk by chance through a world that is too large to be searched: one step after another until nothing can happen any
 * more, each state checked like in a search. The same seed walks the same way.
 */

import { brokenPromise } from "./invariants.ts";
import { somePowerLoss } from "./power-loss.ts";
import { at, cloneState, initialState, type State } from "./state.ts";
import { eachStep, mayLosePower } from "./successors.ts";
import type { World } from "./worlds.ts";

export interface Walk {
  readonly states: number;
  /** `undefined`: no promise was broken. */
  readonly broken: { readonly promise: string; readonly trace: readonly string[] } | undefined;
}

/** So much rarer than the others is a fault: it comes in the middle of something, and not before it. */
const FAULT_RARITY = 12;

interface Possible {
  readonly label: string;
  readonly change: (next: State) => void;
}

/** `below` answers with a number below the one it is given, by chance. */
export function walkThrough(world: World, below: (limit: number) => number): Walk {
  const trace: string[] = [];
  let state = initialState(world);
  for (;;) {
    const steps: Possible[] = [];
    const faults: Possible[] = [];
    eachStep(state, world, (label, change, kind) =>
      (kind === "fault" ? faults : steps).push({ label, change }),
    );
    const choices = below(FAULT_RARITY) === 0 || steps.length === 0 ? faults : steps;
    if (mayLosePower(state) && below(FAULT_RARITY * 4) === 0) {
      trace.push("power loss");
      state = somePowerLoss(state, below);
    } else if (choices.length > 0) {
      const { label, change } = at(choices, below(choices.length));
      const next = cloneState(state);
      change(next);
      trace.push(label);
      state = next;
    } else if (steps.length === 0) return { states: trace.length, broken: undefined };
    const promise = brokenPromise(state, world);
    if (promise !== "") return { states: trace.length, broken: { promise, trace } };
  }
}
