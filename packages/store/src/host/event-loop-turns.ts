/**
 * Keeps timers and sockets alive beside callers that never pause. Where every call is answered at once, a loop of awaited
 * calls never returns to the event loop; so every millisecond an answer comes one turn of it later.
 */

// The global of that name is a getter that costs as much as a system call.
import { performance } from "node:perf_hooks";

const INTERVAL_MS = 1;

/** `undefined`: nothing was asked of the host yet. */
let lastTurn: number | undefined;

/** The answer, or a promise of it if the event loop should have a turn first. */
export function afterDueTurn<T>(answer: T): T | Promise<T> {
  const now = performance.now();
  lastTurn ??= now;
  return now - lastTurn < INTERVAL_MS ? answer : afterTurn(answer);
}

async function afterTurn<T>(answer: T): Promise<T> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  lastTurn = performance.now();
  return answer;
}
