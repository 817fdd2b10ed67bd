/** The states that were met, by their fingerprints: a hash table of 64-bit keys that gives each a number, from 0 on. */

const FIRST_SIZE = 1 << 14;
const FULL = 0.6;

export class SeenStates {
  #low = new Uint32Array(FIRST_SIZE);
  #high = new Uint32Array(FIRST_SIZE);
  #numbers = new Int32Array(FIRST_SIZE).fill(-1);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Its number. It was not met before if that is what `count` was. */
  numberOf(low: number, high: number): number {
    if (this.#count > this.#numbers.length * FULL) this.#grow();
    const place = this.#find(low, high);
    const found = this.#numbers[place] ?? -1;
    if (found !== -1) return found;
    this.#low[place] = low;
    this.#high[place] = high;
    this.#numbers[place] = this.#count;
    this.#count += 1;
    return this.#count - 1;
  }

  #find(low: number, high: number): number {
    const mask = this.#numbers.length - 1;
    let place = (low ^ Math.imul(high, 0x9e3779b1)) & mask;
    while (this.#numbers[place] !== -1 && (this.#low[place] !== low || this.#high[place] !== high))
      place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const [low, high, numbers] = [this.#low, this.#high, this.#numbers];
    this.#low = new Uint32Array(numbers.length * 2);
    this.#high = new Uint32Array(numbers.length * 2);
    this.#numbers = new Int32Array(numbers.length * 2).fill(-1);
    for (const [index, number] of numbers.entries()) {
      if (number === -1) continue;
      const place = this.#find(low[index] ?? 0, high[index] ?? 0);
      this.#low[place] = low[index] ?? 0;
      this.#high[place] = high[index] ?? 0;
      this.#numbers[place] = number;
    }
  }
}
