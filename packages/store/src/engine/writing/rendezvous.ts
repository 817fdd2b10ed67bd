/** Two who must be at the same place at the same time: one does the work while the other waits. */
export class Rendezvous {
  readonly #arrived: Promise<void>;
  readonly #over: Promise<void>;
  #arrive: () => void = () => undefined;
  #end: () => void = () => undefined;

  constructor() {
    this.#arrived = new Promise((resolve) => (this.#arrive = resolve));
    this.#over = new Promise((resolve) => (this.#end = resolve));
  }

  /** Here, until the work is done. */
  async wait(): Promise<void> {
    this.#arrive();
    await this.#over;
  }

  /** Does the work when the other is here. */
  async hold(work: () => Promise<void>): Promise<void> {
    await this.#arrived;
    try {
      await work();
    } finally {
      this.#end();
    }
  }
}
