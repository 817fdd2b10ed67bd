/** Work that gets so much time and no more, even if it ignores that its time is over. */

import { abortReason } from "./abort-reason.ts";
import { after } from "./after.ts";

export interface DeadlineOptions {
  /** Aborting it ends the wait at once, with its reason. */
  readonly signal?: AbortSignal;
  /** Made only if the time runs out. */
  readonly timedOut: () => Error;
}

/**
 * Settles as `work` does, or rejects with `timedOut()` once the milliseconds are over, or with the reason of `options.signal`;
 * in both of these the signal that `work` was handed is aborted with the same error, and what `work` still does is not waited
 * for. Leaves no timer and no listener behind.
 */
export function withDeadline<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
  options: DeadlineOptions,
): Promise<T> {
  const { signal, timedOut } = options;
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortReason(signal));
      return;
    }
    const controller = new AbortController();
    let isOver = false;
    const finish = (): boolean => {
      if (isOver) return false;
      isOver = true;
      cancel();
      signal?.removeEventListener("abort", onAbort);
      return true;
    };
    const abandon = (error: Error): void => {
      if (!finish()) return;
      reject(error);
      controller.abort(error);
    };
    const onAbort = (): void => {
      if (signal !== undefined) abandon(abortReason(signal));
    };
    const cancel = after(milliseconds, () => {
      abandon(timedOut());
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    start(work, controller.signal).then(
      (value) => {
        if (finish()) resolve(value);
      },
      (error: unknown) => {
        if (finish()) reject(error instanceof Error ? error : new Error(String(error), { cause: error }));
      },
    );
  });
}

/** A throw before the first promise counts as a rejection. */
async function start<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return await work(signal);
}
