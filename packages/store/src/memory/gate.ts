/** Many at a time, or one alone: who wants to be alone waits until the others are done, and they wait for him. */
export class Gate {
  /** Settles when everything that was begun before the last `alone` asked is done. */
  #barrier: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();

  async shared<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#barrier.then(task);
    const ended = result.then(noop, noop);
    this.#running.add(ended);
    try {
      return await result;
    } finally {
      this.#running.delete(ended);
    }
  }

  async alone<T>(task: () => Promise<T>): Promise<T> {
    const result = Promise.all([this.#barrier, ...this.#running]).then(task);
    this.#barrier = result.then(noop, noop);
    return await result;
  }
}

/** The failure is the caller's, who has the result; the gate only waits for the end. */
function noop(): void {
  return undefined;
}
