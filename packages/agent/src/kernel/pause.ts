/** Waiting, in a way that can be called off. */

import { abortReason } from "./abort-reason.ts";
import { after } from "./after.ts";

/** Resolves that many milliseconds from now, never earlier. Rejects with the signal's reason, and leaves no timer behind. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortReason(signal));
      return;
    }
    const cancel = after(milliseconds, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      if (signal !== undefined) reject(abortReason(signal));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
