/** How long somebody waits for others. Counted by what was waited, since clocks jump. */

import type { Host } from "../host/host.ts";

/** So often those who wait look again. */
const LOOK_AGAIN = 20;

export interface DeadlineOptions {
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Throws when there is nothing to wait for any more: the store was closed, or has failed. */
  readonly check?: () => void;
}

export class Deadline {
  /** Milliseconds so far. */
  waited = 0;
  readonly milliseconds: number;
  readonly #host: Host;
  readonly #options: DeadlineOptions;

  constructor(host: Host, options: DeadlineOptions) {
    this.#host = host;
    this.#options = options;
    this.milliseconds = options.milliseconds;
  }

  get isOut(): boolean {
    return this.waited >= this.milliseconds;
  }

  /** Rejects with the signal's reason if it was aborted. */
  check(): void {
    this.#options.signal?.throwIfAborted();
    this.#options.check?.();
  }

  async pause(): Promise<void> {
    this.check();
    const pause = Math.max(1, Math.min(LOOK_AGAIN, this.milliseconds - this.waited));
    await this.#host.wait(pause);
    this.waited += pause;
    this.check();
  }
}
