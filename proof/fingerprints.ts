/** A set of 64-bit fingerprints, for millions of them: a flat table with open addressing. */

const FIRST_SLOTS = 1 << 16;
const MAX_FILL = 0.6;

export class Fingerprints {
  #slots: BigUint64Array = new BigUint64Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether it is new. */
  add(fingerprint: bigint): boolean {
    if (this.#size >= this.#slots.length * MAX_FILL) this.#grow();
    const isNew = insert(this.#slots, fingerprint);
    if (isNew) this.#size += 1;
    return isNew;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new BigUint64Array(before.length * 2);
    for (const fingerprint of before) if (fingerprint !== EMPTY) insert(this.#slots, fingerprint);
  }
}

/** A slot without a fingerprint. The one fingerprint that looks like it is taken for its neighbour. */
const EMPTY = 0n;

function insert(slots: BigUint64Array, fingerprint: bigint): boolean {
  const wanted = BigInt.asUintN(64, fingerprint) || 1n;
  let at = Number(wanted & BigInt(slots.length - 1));
  while (slots[at] !== EMPTY) {
    if (slots[at] === wanted) return false;
    at = (at + 1) % slots.length;
  }
  slots[at] = wanted;
  return true;
}
