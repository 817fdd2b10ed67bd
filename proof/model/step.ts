/** How the parts of the model say what can happen next. */

import type { State } from "./state.ts";
import type { World } from "./worlds.ts";

/** `change` gets a copy of the state. A fault is no step that recovery may count on. */
export type Step = (label: string, change: (next: State) => void, kind?: "fault") => void;

/** An instance that may do something in this state. */
export interface Actor {
  readonly state: State;
  readonly world: World;
  readonly index: number;
  /** A, B, C. */
  readonly name: string;
  readonly step: Step;
}
