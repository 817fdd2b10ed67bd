/** The output of a program in bounded memory: its beginning, its end, and how much was between them. */

import { afterCharacter, beforeCharacter, markCut } from "./cap-result.ts";
import { decodeText } from "./visible-text.ts";

export class CollectedOutput {
  /** Of everything that came, kept or not. */
  total = 0;
  readonly #half: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;

  /** Keeps at most so many bytes, and for a moment twice as many of the end. */
  constructor(keptBytes: number) {
    this.#half = Math.ceil(keptBytes / 2);
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    const missing = this.#half - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
    if (chunk.length <= missing) return;
    const rest = chunk.subarray(Math.max(0, missing));
    const kept = rest.subarray(Math.max(0, rest.length - this.#half));
    this.#tail.push(kept);
    this.#tailBytes += kept.length;
    // Only now and then: otherwise each small chunk would copy the whole end.
    if (this.#tailBytes > 2 * this.#half) this.#cutTail();
  }

  text(): string {
    const tail = this.#cutTail();
    const between = this.total - this.#head.length - tail.length;
    if (between === 0) return decodeText(Buffer.concat([this.#head, tail]));
    const head = this.#head.subarray(0, beforeCharacter(this.#head, lastStart(this.#head)));
    const end = tail.subarray(afterCharacter(tail, 0));
    return `${decodeText(head)}${markCut(this.total - head.length - end.length)}${decodeText(end)}`;
  }

  #cutTail(): Buffer {
    const all = Buffer.concat(this.#tail);
    const tail = Buffer.from(all.subarray(Math.max(0, all.length - this.#half)));
    this.#tail = [tail];
    this.#tailBytes = tail.length;
    return tail;
  }
}

/** Where the last character begins if it may be cut, else the end. */
function lastStart(bytes: Buffer): number {
  const last = bytes.at(-1);
  return last === undefined || last < 0x80 ? bytes.length : bytes.length - 1;
}
