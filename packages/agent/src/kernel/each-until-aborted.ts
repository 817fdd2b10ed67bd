import { untilAborted } from "./until-aborted.ts";

/** The items of the source until the signal aborts; then its reason is thrown, and the source is told to end. */
export async function* eachUntilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), signal);
      isDone = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not waited for: one that hangs would hang us. What it says at its end is of no use to anybody.
    if (!isDone) iterator.return?.().catch(() => undefined);
  }
}
