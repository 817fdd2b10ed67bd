/**
 * The one place that arms a timer. Never early: a timer of the platform may fire a fraction of a millisecond too soon, and one of
 * more than 24.8 days fires at once; both are waited out here.
 */

import { monotonicNow } from "./monotonic-clock.ts";

const LONGEST_TIMER = 2_147_483_647;

/**
 * Calls `then` once, that many milliseconds from now; never for Infinity. Gives the way to call it off. `isBackground`: it keeps no
 * process alive.
 */
export function after(milliseconds: number, then: () => void, isBackground = false): () => void {
  if (Number.isNaN(milliseconds)) throw new RangeError("milliseconds must be a number, not NaN");
  if (milliseconds === Infinity) return () => {};
  const due = monotonicNow() + milliseconds;
  let timer: NodeJS.Timeout;
  const arm = (left: number): void => {
    timer = setTimeout(fire, Math.min(Math.max(Math.ceil(left), 0), LONGEST_TIMER));
    if (isBackground) timer.unref();
  };
  const fire = (): void => {
    const left = due - monotonicNow();
    if (left > 0) arm(left);
    else then();
  };
  arm(milliseconds);
  return () => {
    clearTimeout(timer);
  };
}
