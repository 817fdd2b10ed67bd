/** The output of a program in bounded memory: its beginning, its end, and how much was between them. No piece of a secret. */

import { markCut } from "./cap-result.ts";
import {
  endOf,
  LONGEST_SECRET,
  redacted,
  redactedEnd,
  redactedStart,
  startOf,
  type Redact,
} from "./redact-and-cut.ts";

export class CollectedOutput {
  /** Of everything that came, kept or not. */
  total = 0;
  /** Of what is shown, and of what is kept for that. */
  readonly #half: number;
  readonly #keptHalf: number;
  readonly #redact: Redact | undefined;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;

  /** Shows at most so many bytes; keeps some thousands more, and for a moment twice as many of the end. */
  constructor(shownBytes: number, redact?: Redact) {
    this.#half = Math.ceil(shownBytes / 2);
    this.#keptHalf = this.#half + LONGEST_SECRET;
    this.#redact = redact;
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    const missing = this.#keptHalf - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    if (chunk.length <= missing) return;
    const rest = chunk.subarray(Math.max(0, missing));
    const kept = rest.subarray(Math.max(0, rest.length - this.#keptHalf));
    this.#tail.push(kept);
    this.#tailBytes += kept.length;
    // Only now and then: otherwise each small chunk would copy the whole end.
    if (this.#tailBytes > 2 * this.#keptHalf) this.#cutTail();
  }

  text(): string {
    const tail = this.#cutTail();
    if (this.total > this.#head.length + tail.length) {
      const start = redactedStart(this.#head, this.#half, this.#redact);
      return joined(start, redactedEnd(tail, this.#half, this.#redact), this.total);
    }
    const whole = redacted(Buffer.concat([this.#head, tail]), this.#redact);
    if (whole.length <= 2 * this.#half) return whole.toString();
    return joined(startOf(whole, this.#half), endOf(whole, this.#half), whole.length);
  }

  #cutTail(): Buffer {
    const all = Buffer.concat(this.#tail);
    const tail = Buffer.from(all.subarray(Math.max(0, all.length - this.#keptHalf)));
    this.#tail = [tail];
    this.#tailBytes = tail.length;
    return tail;
  }
}

function joined(start: Buffer, end: Buffer, total: number): string {
  return `${start.toString()}${markCut(total - start.length - end.length)}${end.toString()}`;
}
