/** How long a crashed actor waits before it is made anew, and when it is given up. */

import type { Supervision } from "./types.ts";

export class BackOff {
  readonly #mostCrashes: number;
  readonly #within: number;
  readonly #firstPause: number;
  readonly #longestPause: number;
  /** When; those longer ago than `#within` are forgotten. */
  #crashes: number[] = [];

  constructor({ mostCrashes = 5, within = 60_000, firstPause = 100, longestPause = 10_000 }: Supervision) {
    this.#mostCrashes = mostCrashes;
    this.#within = within;
    this.#firstPause = firstPause;
    this.#longestPause = longestPause;
  }

  /** How many crashes count now. */
  get crashes(): number {
    return this.#crashes.length;
  }

  /**
   * Milliseconds to wait after a crash, or `undefined`: that was one too many. Between half of the doubled pause and all of it
   * (`chance` is from 0 to 1), so that actors that crashed together do not come back together.
   */
  afterCrash(now: number, chance: number): number | undefined {
    this.#crashes = this.#crashes.filter((at) => now - at < this.#within);
    this.#crashes.push(now);
    if (this.#crashes.length >= this.#mostCrashes) return undefined;
    const pause = Math.min(this.#firstPause * 2 ** (this.#crashes.length - 1), this.#longestPause);
    return pause * (0.5 + chance / 2);
  }
}
