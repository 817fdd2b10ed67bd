/**
 * What waits without an end of its own, such as a watch or a place in line, and must end when the store closes. Each
 * gets a signal of its own: a shared one would have as many listeners as there are waiters.
 */
export class Waiting {
  readonly #controllers = new Set<AbortController>();

  /** A signal that aborts with the caller's or when the store closes. `end` must be called: it frees everything. */
  begin(callers: AbortSignal | undefined): { readonly signal: AbortSignal; readonly end: () => void } {
    const controller = new AbortController();
    const abort = (): void => controller.abort(callers?.reason);
    if (callers?.aborted === true) abort();
    callers?.addEventListener("abort", abort);
    this.#controllers.add(controller);
    const end = (): void => {
      callers?.removeEventListener("abort", abort);
      this.#controllers.delete(controller);
    };
    return { signal: controller.signal, end };
  }

  endAll(reason: Error): void {
    for (const controller of this.#controllers) controller.abort(reason);
  }
}
