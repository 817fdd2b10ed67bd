/** What was asked for and is done one after another: messages, and the commands that must not run beside them. */

import type { WaitingId } from "./waiting-words.ts";

export interface Work {
  /** As it was typed. */
  readonly text: string;
  /** As it is kept while it waits. */
  readonly waitingId: WaitingId;
  /** Tells what goes wrong itself. Ends soon after the signal. */
  run(signal: AbortSignal): Promise<void>;
}

export class WorkLine {
  readonly #onChange: () => void;
  #waiting: Work[] = [];
  #current: AbortController | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  get isCancelling(): boolean {
    return this.#current?.signal.aborted === true;
  }

  get waiting(): readonly string[] {
    return this.#waiting.map(({ text }) => text);
  }

  add(work: Work): void {
    this.#waiting.push(work);
    if (this.#current === undefined) this.#working = this.#workOff();
    this.#onChange();
  }

  /** What has not begun is not done; it is given back. */
  takeBack(): readonly Work[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  cancel(reason: Error): void {
    this.#current?.abort(reason);
    this.#onChange();
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    await this.#working;
  }

  async #workOff(): Promise<void> {
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      this.#current = new AbortController();
      this.#onChange();
      await work.run(this.#current.signal);
    }
    this.#current = undefined;
    this.#onChange();
  }
}
