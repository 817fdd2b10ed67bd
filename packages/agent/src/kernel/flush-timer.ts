/** Flushes a while after the first of many changes: armed as often as one likes, it fires once for all of them. */

import { after } from "./after.ts";

export class FlushTimer {
  readonly #milliseconds: number;
  readonly #flush: () => void;
  #cancel: (() => void) | undefined;

  /** `flush` must not throw: nobody is there to catch it. */
  constructor(milliseconds: number, flush: () => void) {
    this.#milliseconds = milliseconds;
    this.#flush = flush;
  }

  /** Does nothing while it is armed: the first change counts, so that a steady stream of changes is flushed too. */
  arm(): void {
    if (this.#cancel !== undefined) return;
    this.#cancel = after(this.#milliseconds, () => {
      this.#cancel = undefined;
      this.#flush();
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
