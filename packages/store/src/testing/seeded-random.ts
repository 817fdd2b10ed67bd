/** Chance that comes out the same for the same seed. Good enough to vary tests and make ids; not for secrets. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Given to a new one, it goes on where this one is now. */
  get seed(): number {
    return this.#state;
  }

  /** A whole number below `bound`, which is at most 2 ** 32. */
  below(bound: number): number {
    return Math.floor((this.#next() / 2 ** 32) * bound);
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let index = 0; index < length; index += 1) bytes[index] = this.#next() >>> 24;
    return bytes;
  }

  /** In place. */
  shuffle(items: number[]): void {
    for (let end = items.length - 1; end > 0; end -= 1) {
      const other = this.below(end + 1);
      const item = items[end] ?? 0;
      items[end] = items[other] ?? 0;
      items[other] = item;
    }
  }

  /** A counter, then mixed (the multipliers are those of MurmurHash3's finalizer). */
  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  }
}
