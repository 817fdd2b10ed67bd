/** Keeps the books of messages: each one accepted must be handled once or reported once, never both, never neither. */

import type { KernelEvent } from "../../../src/kernel/types.ts";

export class Judge {
  readonly #accepted: number[] = [];
  readonly #refused: number[] = [];
  readonly #begun = new Map<number, number>();
  readonly #handled = new Map<number, number>();
  readonly #reported = new Map<number, number>();

  accepted(message: number): void {
    this.#accepted.push(message);
  }

  refused(message: number): void {
    this.#refused.push(message);
  }

  begun(message: number): void {
    count(this.#begun, message);
  }

  handled(message: number): void {
    count(this.#handled, message);
  }

  /** For messages that are, or have, a number. */
  readonly onEvent = (event: KernelEvent): void => {
    if (event.type === "undeliverable") count(this.#reported, Number(event.message));
  };

  get sizes(): { accepted: number; handled: number; reported: number } {
    return { accepted: this.#accepted.length, handled: this.#handled.size, reported: this.#reported.size };
  }

  /** What is wrong; empty: nothing. */
  faults(): string[] {
    const faults: string[] = [];
    for (const message of this.#accepted) {
      const handled = this.#handled.get(message) ?? 0;
      const reported = this.#reported.get(message) ?? 0;
      if (handled + reported !== 1)
        faults.push(`${message}: handled ${handled} times, reported ${reported} times`);
    }
    for (const message of this.#refused) {
      const seen = (this.#begun.get(message) ?? 0) + (this.#reported.get(message) ?? 0);
      if (seen > 0) faults.push(`${message}: refused, yet seen`);
    }
    for (const [message, times] of this.#begun)
      if (times > 1) faults.push(`${message}: delivered ${times} times`);
    return faults;
  }
}

function count(counts: Map<number, number>, message: number): void {
  counts.set(message, (counts.get(message) ?? 0) + 1);
}
