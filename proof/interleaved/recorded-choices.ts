/** Choices that are remembered, so that they can be made again, and made calmer one by one. */

import { SeededRandom, type Choices } from "@longhand/store/testing";

export class RecordedChoices implements Choices {
  readonly made: number[] = [];
  readonly #next: (bound: number) => number;

  private constructor(next: (bound: number, index: number) => number) {
    this.#next = (bound) => next(bound, this.made.length);
  }

  static fromSeed(seed: number): RecordedChoices {
    const random = new SeededRandom(seed);
    return new RecordedChoices((bound) => random.below(bound));
  }

  /** The same again; the calmest where there are no more. */
  static again(choices: readonly number[]): RecordedChoices {
    return new RecordedChoices((bound, index) => Math.min(choices[index] ?? 0, bound - 1));
  }

  below(bound: number): number {
    const choice = this.#next(bound);
    this.made.push(choice);
    return choice;
  }
}
