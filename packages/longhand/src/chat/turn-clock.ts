/** Since when something is being worked on, and when it will be tried again: what the status line says about time. */

import { formatWait } from "./format-wait.ts";

const SECOND = 1000;

export class TurnClock {
  readonly #now: () => Date;
  #since: number | undefined;
  #retryAt: number | undefined;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Work has begun. Before the first call there is no time to show. */
  begin(): void {
    this.#since = this.#now().getTime();
    this.#retryAt = undefined;
  }

  /** `undefined`: it goes on, or has ended. */
  retryIn(milliseconds: number | undefined): void {
    this.#retryAt = milliseconds === undefined ? undefined : this.#now().getTime() + milliseconds;
  }

  describe(): string {
    const now = this.#now().getTime();
    if (this.#retryAt !== undefined)
      return `trying again in ${formatWait(this.#retryAt - now)} · Ctrl-C cancels`;
    if (this.#since === undefined) return "opening · Ctrl-C cancels";
    return `working ${Math.max(0, Math.floor((now - this.#since) / SECOND))} s · Ctrl-C cancels`;
  }
}
