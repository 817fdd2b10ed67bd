import type { Choices, Temper } from "@longhand/store/testing";

/** Before every call it is decided who goes on, and nothing else. */
export const IN_TURNS: Temper = {
  ...{ switches: 1024, reorders: 0, lateAnswers: 0, timers: 0 },
  ...{ stalls: 0, kills: 0, mostKills: 0 },
};

/**
 * Two processes in turns: so many calls of the first, so many of the second, and so on; then the first one to its end. Where
 * only one of them can go on, it does, and no turn is used up.
 */
export class Turns implements Choices {
  #turns: readonly number[] = [];
  #index = 0;
  #used = 0;

  begin(turns: readonly number[]): void {
    this.#turns = turns;
    this.#index = 0;
    this.#used = 0;
  }

  below(bound: number): number {
    if (bound !== 2) return 0;
    while (this.#used >= (this.#turns[this.#index] ?? Infinity)) {
      this.#index++;
      this.#used = 0;
    }
    if (this.#index >= this.#turns.length) return 0;
    this.#used++;
    return this.#index % 2;
  }
}
