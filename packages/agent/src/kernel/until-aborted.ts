/** Somebody else's promise, as long as the signal lets us wait for it. */

import { abortReason } from "./abort-reason.ts";

/** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. Leaves no listener behind. */
export function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}
