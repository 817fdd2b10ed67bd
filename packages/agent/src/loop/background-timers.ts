import { after } from "../kernel/after.ts";

/** Timers that keep no process alive and end together. */
export class BackgroundTimers {
  readonly #pending = new Set<() => void>();
  #isStopped = false;

  /** Gives the way to call it off. */
  later(milliseconds: number, run: () => void): () => void {
    if (this.#isStopped) return () => undefined;
    const fire = (): void => {
      this.#pending.delete(callOff);
      run();
    };
    const stopTimer = after(milliseconds, fire, true);
    const callOff = (): void => {
      this.#pending.delete(callOff);
      stopTimer();
    };
    this.#pending.add(callOff);
    return callOff;
  }

  /** None fires from now on, and none begins. */
  stop(): void {
    this.#isStopped = true;
    for (const callOff of this.#pending) callOff();
  }
}
