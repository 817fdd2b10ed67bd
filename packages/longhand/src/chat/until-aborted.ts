/** Waits for it, but not longer than until the signal aborts. `undefined`: aborted first. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return await work;
  if (signal.aborted) {
    // Nobody waits for it any more.
    work.catch(() => undefined);
    return undefined;
  }
  let stop = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = (): void => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
