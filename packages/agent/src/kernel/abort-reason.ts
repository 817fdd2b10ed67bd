/** Why a signal was aborted, as an Error that a promise may reject with. */

export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(`aborted: ${String(reason)}`, { cause: reason });
}
