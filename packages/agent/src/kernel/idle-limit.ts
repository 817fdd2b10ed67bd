/** A stream that may be slow as a whole, but never silent for too long. */

import { withDeadline } from "./with-deadline.ts";

/**
 * The items of `source`. Throws `stalled()` if the next one does not come within the milliseconds after it was asked for; the
 * time the consumer takes does not count. The source is ended then, and also when the consumer leaves early; ending a source
 * that hangs is not waited for.
 */
export async function* idleLimit<T>(
  source: AsyncIterable<T>,
  milliseconds: number,
  stalled: () => Error,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const state = { isEnded: false, isStalled: false };
  const timedOut = (): Error => {
    state.isStalled = true;
    return stalled();
  };
  try {
    for (;;) {
      const next = await withDeadline(milliseconds, () => nextOf(iterator, state), { timedOut });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // The stall is what the consumer is told; a failure to end what hangs adds nothing to it.
    if (state.isStalled) end(iterator).catch(() => {});
    else if (!state.isEnded) await end(iterator);
  }
}

/** A source that is done or that threw has ended by itself. */
async function nextOf<T>(
  iterator: AsyncIterator<T>,
  state: { isEnded: boolean },
): Promise<IteratorResult<T>> {
  state.isEnded = true;
  const next = await iterator.next();
  state.isEnded = next.done === true;
  return next;
}

async function end<T>(iterator: AsyncIterator<T>): Promise<void> {
  await iterator.return?.();
}
