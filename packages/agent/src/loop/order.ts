/** Something said that waits for its turn. Settled once; whatever comes later changes nothing. */

import type { AgentError } from "../errors.ts";
import { abortReason } from "../kernel/abort-reason.ts";
import { deferred } from "../kernel/deferred.ts";
import type { Said, TurnResult } from "../turn/types.ts";
import type { Refusable } from "./refusable.ts";

export class Order implements Refusable {
  readonly said: Said;
  readonly result: Promise<TurnResult>;
  readonly #deferred = deferred<TurnResult>();
  readonly #controller = new AbortController();
  readonly #closed: () => AgentError;
  #isSettled = false;
  #hasBegun = false;
  #leave: () => void = () => undefined;

  constructor(said: Said, closed: () => AgentError) {
    this.said = said;
    this.#closed = closed;
    this.result = this.#deferred.promise;
    // Whoever gave the order is told by `result`; nobody else must listen to it.
    this.result.catch(() => undefined);
  }

  /** Of its turn. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whoever gave it may take it back: at once while it waits, by cancelling its turn afterwards. */
  follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const abort = (): void => this.abort(abortReason(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    this.#leave = () => signal.removeEventListener("abort", abort);
  }

  /** From now on only its turn settles it. */
  begin(): void {
    this.#hasBegun = true;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    if (!this.#hasBegun) this.reject(reason);
  }

  resolve(result: TurnResult): void {
    if (this.#settle()) this.#deferred.resolve(result);
  }

  reject(error: unknown): void {
    if (this.#settle()) this.#deferred.reject(error);
  }

  refuse(): void {
    this.reject(this.#closed());
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#leave();
    return true;
  }
}
