/**
 * Keeps those who always have something to do from starving timers and the network: after so many pieces of work, by whomever,
 * the event loop gets its turn; those who then wait go on in the order they came.
 */

import { Line } from "./line.ts";

const PIECES_PER_TURN = 100;

export class Breather {
  readonly #waiting = new Line<() => void>();
  #left = PIECES_PER_TURN;

  /** Before each piece of work. `undefined`: go on at once. */
  breathe(): Promise<void> | undefined {
    if (this.#left > 0 && this.#waiting.size === 0) {
      this.#left -= 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.join(resolve);
      if (this.#waiting.size === 1) setImmediate(this.#goOn);
    });
  }

  readonly #goOn = (): void => {
    this.#left = PIECES_PER_TURN;
    while (this.#left > 0) {
      const next = this.#waiting.next();
      if (next === undefined) return;
      this.#left -= 1;
      next.value();
    }
    if (this.#waiting.size > 0) setImmediate(this.#goOn);
  };
}
