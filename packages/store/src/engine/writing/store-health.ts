/** Whether a store that is open for writing may go on, and how much it is doing to its files now. */

import { LonghandError } from "../../errors.ts";

export class StoreHealth {
  readonly #directory: string;
  /** Nothing more may be written: the outcome of something is unknown, or the instance was taken over. */
  failure: LonghandError | undefined;
  /** Closing waits for writes, but not for callers that wait for a lock. */
  isClosing = false;
  isClosed = false;
  #underWay = 0;
  #onIdle: (() => void)[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** `undefined`: all is well. */
  whyStopped(): LonghandError | undefined {
    const directory = this.#directory;
    if (this.failure !== undefined) {
      const message = `the store failed and must be reopened (${this.failure.message})`;
      return new LonghandError("STORE_FAILED", message, { directory }, this.failure);
    }
    return this.isClosed ? this.storeClosed() : undefined;
  }

  check(): void {
    if (this.failure === undefined) return;
    const stopped = this.whyStopped();
    if (stopped !== undefined) throw stopped;
  }

  unknownOutcome(reason: string, cause?: unknown): LonghandError {
    const directory = this.#directory;
    const message = `${directory}: ${reason}; whether this write counts is unknown. Reopen the store and retry with an id`;
    return new LonghandError("STORE_FAILED", message, { directory }, cause);
  }

  storeClosed(): LonghandError {
    const message = "the store is closed; open it again with openStore";
    return new LonghandError("STORE_CLOSED", message, { directory: this.#directory });
  }

  /** Work begins that may change files. An instance that has failed declares itself dead only after its end. */
  beginWork(): void {
    this.#underWay++;
  }

  endWork(): void {
    this.#underWay--;
    if (this.#underWay === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Resolves when no work is under way. */
  async idle(): Promise<void> {
    while (this.#underWay > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }
}
