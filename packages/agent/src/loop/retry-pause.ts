/** How long a session waits after a failed try. docs/memory.md#when-turns-are-consolidated */

import type { DueSession } from "@longhand/store/memory";

const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 24 * 60 * 60_000;

/** In milliseconds: one minute after the first failure, then twice as long each time, up to a day. */
export function retryPauseMs(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1));
}

/** What is left of that pause at `now`; never more than the whole pause, whatever a wrong clock has written. */
export function pauseLeftMs(
  { failures, failedAt }: Pick<DueSession, "failures" | "failedAt">,
  now: number,
): number {
  if (failedAt === undefined) return 0;
  const pause = retryPauseMs(failures);
  return Math.min(pause, Math.max(0, Date.parse(failedAt) + pause - now));
}
