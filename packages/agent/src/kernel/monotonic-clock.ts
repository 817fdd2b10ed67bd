/** Time that only goes forward, whatever happens to the clock on the wall. */

/** Milliseconds since some moment in the past. */
export function monotonicNow(): number {
  return performance.now();
}
