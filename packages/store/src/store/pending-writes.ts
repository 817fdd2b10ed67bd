/**
 * Writes that their caller need not wait for and that never reject. A failure is reported at once and the first of each
 * key is kept until somebody takes it at the barrier.
 */

import type { LonghandError } from "../errors.ts";
import { toLonghandError } from "./warn.ts";

export class PendingWrites {
  readonly #report: (error: LonghandError) => void;
  readonly #tails = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, LonghandError>();

  constructor(report: (error: LonghandError) => void) {
    this.#report = report;
  }

  /** Begins the write before it returns. Resolves when it and those before it, of this key, have ended. */
  async add(key: string, write: () => Promise<unknown>): Promise<void> {
    const tail = this.#settle(key, this.#tails.get(key), failureOf(write));
    this.#tails.set(key, tail);
    await tail;
    if (this.#tails.get(key) === tail) this.#tails.delete(key);
  }

  /** The writes of this key, or of all keys, that have begun by now. */
  async settled(key?: string): Promise<void> {
    await (key === undefined ? Promise.all(this.#tails.values()) : this.#tails.get(key));
  }

  async barrier(key: string): Promise<void> {
    await this.settled(key);
    const failure = this.#failures.get(key);
    this.#failures.delete(key);
    if (failure !== undefined) throw failure;
  }

  /** One after another, so that the first failure is that of the earliest call. */
  async #settle(
    key: string,
    before: Promise<void> | undefined,
    outcome: Promise<LonghandError | undefined>,
  ): Promise<void> {
    await before;
    const failure = await outcome;
    if (failure === undefined) return;
    if (!this.#failures.has(key)) this.#failures.set(key, failure);
    this.#report(failure);
  }
}

async function failureOf(write: () => Promise<unknown>): Promise<LonghandError | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    return toLonghandError(error);
  }
}
