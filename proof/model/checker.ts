/**
 * The search: every state that a world can reach, breadth first, so that the first violation found is a shortest one. At the end:
 * from every state some run without another fault completes recovery.
 */

import { fingerprint, takeFingerprint } from "./fingerprint.ts";
import { brokenPromise, isSettled } from "./invariants.ts";
import { Numbers } from "./numbers.ts";
import { SeenStates } from "./seen-states.ts";
import { initialState, type State } from "./state.ts";
import { successors } from "./successors.ts";
import type { World } from "./worlds.ts";

export interface Outcome {
  readonly states: number;
  readonly steps: number;
  /** The longest of all shortest ways. */
  readonly depth: number;
  /** Not so: the search ended at its limit, and nothing was looked at for being stuck. */
  readonly isComplete: boolean;
  /** `undefined`: no promise was broken. */
  readonly broken: { readonly promise: string; readonly trace: readonly string[] } | undefined;
}

/** `limit`: so many states are enough, to the end of those that one state leads to. */
export function searchWorld(world: World, limit: number = Infinity): Outcome {
  return new Search(world).run(limit);
}

const STUCK = "stuck: without another fault recovery can never complete";

class Search {
  readonly #world: World;
  readonly #seen = new SeenStates();
  /** For each state: from which it was first reached, and by which of that one's steps. */
  readonly #parents = new Numbers();
  readonly #choices = new Numbers();
  readonly #settled: number[] = [];
  /** Steps that are no faults, from and to. */
  readonly #from = new Numbers();
  readonly #to = new Numbers();
  #steps = 0;
  #depth = 0;

  constructor(world: World) {
    this.#world = world;
  }

  run(limit: number): Outcome {
    const start = initialState(this.#world);
    takeFingerprint(start);
    this.#meet(fingerprint.low, fingerprint.high, -1, 0);
    let level: Reached[] = [{ number: 0, state: start }];
    while (level.length > 0) {
      const next: Reached[] = [];
      for (const reached of level) {
        const broken = this.#expand(reached, next);
        if (broken !== undefined) return this.#outcome(broken.promise, broken.number);
        if (this.#seen.count > limit) return { ...this.#outcome(undefined, 0), isComplete: false };
      }
      level = next;
      this.#depth += level.length > 0 ? 1 : 0;
    }
    // One that lives and is held for dead may keep a journal for ever: nothing is promised of that.
    const stuck = this.#world.bounds.mistakes > 0 ? undefined : this.#findStuck();
    return stuck === undefined ? this.#outcome(undefined, 0) : this.#outcome(STUCK, stuck);
  }

  #expand({ number, state }: Reached, next: Reached[]): { promise: string; number: number } | undefined {
    if (isSettled(state, this.#world)) this.#settled.push(number);
    let choice = 0;
    let broken: { promise: string; number: number } | undefined;
    successors(state, this.#world, (_, reached, isFault) => {
      if (broken !== undefined) return;
      this.#steps += 1;
      takeFingerprint(reached);
      const before = this.#seen.count;
      const to = this.#meet(fingerprint.low, fingerprint.high, number, choice);
      choice += 1;
      if (!isFault) {
        this.#from.push(number);
        this.#to.push(to);
      }
      if (to !== before) return;
      const promise = brokenPromise(reached, this.#world);
      if (promise !== "") broken = { promise, number: to };
      else next.push({ number: to, state: reached });
    });
    return broken;
  }

  #meet(low: number, high: number, parent: number, choice: number): number {
    const before = this.#seen.count;
    const number = this.#seen.numberOf(low, high);
    if (number === before) {
      this.#parents.push(parent);
      this.#choices.push(choice);
    }
    return number;
  }

  #findStuck(): number | undefined {
    const states = this.#seen.count;
    const first = new Int32Array(states).fill(-1);
    const following = new Int32Array(this.#to.length);
    for (let edge = 0; edge < this.#to.length; edge++) {
      following[edge] = first[this.#to.at(edge)] ?? -1;
      first[this.#to.at(edge)] = edge;
    }
    const canSettle = new Uint8Array(states);
    const queue = [...this.#settled];
    for (const state of queue) canSettle[state] = 1;
    for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
      for (let edge = first[state] ?? -1; edge !== -1; edge = following[edge] ?? -1) {
        const before = this.#from.at(edge);
        if (canSettle[before] === 1) continue;
        canSettle[before] = 1;
        queue.push(before);
      }
    }
    const stuck = canSettle.indexOf(0);
    return stuck === -1 ? undefined : stuck;
  }

  #outcome(promise: string | undefined, number: number): Outcome {
    const broken = promise === undefined ? undefined : { promise, trace: this.#traceTo(number) };
    return { states: this.#seen.count, steps: this.#steps, depth: this.#depth, isComplete: true, broken };
  }

  /** The steps in words: they are taken once more, as only their numbers were kept. */
  #traceTo(number: number): readonly string[] {
    const choices: number[] = [];
    for (let state = number; state > 0; state = this.#parents.at(state))
      choices.push(this.#choices.at(state));
    const trace: string[] = [];
    let state = initialState(this.#world);
    for (const chosen of choices.reverse()) {
      let choice = 0;
      let taken = state;
      successors(state, this.#world, (label, next) => {
        if (choice === chosen) {
          trace.push(label);
          taken = next;
        }
        choice += 1;
      });
      state = taken;
    }
    return trace;
  }
}

interface Reached {
  readonly number: number;
  readonly state: State;
}
