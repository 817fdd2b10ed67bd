/**
 * A queue that never holds more than its capacity: whoever puts more waits. First in, first out, and those who wait to put or to
 * take are served in the order they came, so what one sender puts arrives in its order.
 */

import { AgentError } from "../errors.ts";
import { abortReason } from "./abort-reason.ts";
import { Line } from "./line.ts";

interface WaitingPut<T> {
  readonly item: T;
  readonly accepted: () => void;
  readonly refused: (error: Error) => void;
}

export class Mailbox<T> {
  readonly #capacity: number;
  readonly #items = new Line<T>();
  /** Somebody waits here only while `#items` is full. */
  readonly #puts = new Line<WaitingPut<T>>();
  /** Somebody waits here only while `#items` is empty. */
  readonly #takes = new Line<(item: T | undefined) => void>();
  #closedBy: Error | undefined;

  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw new RangeError(`the capacity of a mailbox is a whole number from 1 on, not ${String(capacity)}`);
    }
    this.#capacity = capacity;
  }

  /** How many items wait to be taken; never more than the capacity. */
  get size(): number {
    return this.#items.size;
  }

  /** `false`: full or closed. */
  offer(item: T): boolean {
    if (this.#closedBy !== undefined) return false;
    const taker = this.#takes.next();
    if (taker !== undefined) {
      taker.value(item);
      return true;
    }
    if (this.#items.size >= this.#capacity) return false;
    this.#items.join(item);
    return true;
  }

  /** Resolves once the item is in. Rejects, and the item is not in, with the signal's reason or with why the mailbox was closed. */
  put(item: T, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(abortReason(signal));
      } else if (this.#closedBy !== undefined) {
        reject(this.#closedBy);
      } else if (this.offer(item)) {
        resolve();
      } else {
        const onAbort = (): void => {
          this.#puts.leave(place);
          if (signal !== undefined) reject(abortReason(signal));
        };
        const place = this.#puts.join({
          item,
          accepted: () => {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
          refused: (error) => {
            signal?.removeEventListener("abort", onAbort);
            reject(error);
          },
        });
        signal?.addEventListener("abort", onAbort, { once: true });
      }
    });
  }

  /** `undefined`: nothing is there now. */
  tryTake(): T | undefined {
    const first = this.#items.next();
    if (first === undefined) return undefined;
    const waiting = this.#puts.next();
    if (waiting !== undefined) {
      this.#items.join(waiting.value.item);
      waiting.value.accepted();
    }
    return first.value;
  }

  /** `undefined`: closed and empty. Rejects with the signal's reason; nothing is taken then. */
  take(signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(abortReason(signal));
        return;
      }
      if (this.#items.size > 0 || this.#closedBy !== undefined) {
        resolve(this.tryTake());
        return;
      }
      const onAbort = (): void => {
        this.#takes.leave(place);
        if (signal !== undefined) reject(abortReason(signal));
      };
      const place = this.#takes.join((item) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(item);
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /**
   * Nothing more comes in, also from those who wait to put: they are refused with `why`, as are all who come later. What is in can
   * still be taken. Sealing it again can only change why.
   */
  seal(why: Error = this.#closedBy ?? closed()): void {
    this.#closedBy = why;
    for (const put of this.#puts.empty()) put.refused(why);
    for (const taken of this.#takes.empty()) taken(undefined);
  }

  /** Seals it and takes out all that was left, in order. */
  close(why?: Error): readonly T[] {
    this.seal(why);
    return this.#items.empty();
  }
}

const closed = (): Error =>
  new AgentError("ACTOR_STOPPED", "the mailbox is closed: nothing more can be put into it");
