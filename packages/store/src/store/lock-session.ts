import type { OpenPlace } from "./open-place.ts";
import type { LockOptions } from "../contract/types.ts";

/** Waits in line for the lock; what it resolves with gives the lock up, once. A store that closes gives up its locks. */
export async function lockSession(
  { backend, waiting }: OpenPlace,
  key: string,
  { wait, signal: callers }: LockOptions,
): Promise<AsyncDisposable> {
  const open = backend();
  const { signal, end } = waiting.begin(callers);
  try {
    signal.throwIfAborted();
    const release = await open.lock(key, { wait, signal });
    let released: Promise<void> | undefined;
    return { [Symbol.asyncDispose]: async () => await (released ??= release()) };
  } finally {
    end();
  }
}
