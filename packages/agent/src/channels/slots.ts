/** At most so many at a time; whoever wants to begin one more waits. */

import { Mailbox } from "../kernel/mailbox.ts";

export class Slots {
  readonly #taken: Mailbox<true>;
  readonly #count: number;

  constructor(count: number) {
    this.#taken = new Mailbox(count);
    this.#count = count;
  }

  /** Waits for a free one. Rejects with the signal's reason. */
  async take(signal?: AbortSignal): Promise<void> {
    await this.#taken.put(true, signal);
  }

  free(): void {
    this.#taken.tryTake();
  }

  /** Waits until all are free. Nobody may take one meanwhile. */
  async allFree(): Promise<void> {
    for (let slot = 0; slot < this.#count; slot += 1) await this.take();
    for (let slot = 0; slot < this.#count; slot += 1) this.free();
  }
}
