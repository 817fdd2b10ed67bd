/** The lines of a batch whose last line has not come yet. They are served together, or not at all. */

import type { BatchPosition, Entry } from "./entry.ts";
import type { OrderedItem, ScanDamage } from "./scan-visitor.ts";

/** The last seq of the batch that a record was written with; its own, if it was written alone. */
export function batchEnd({ seq, batch = { index: 1, size: 1 } }: Entry): number {
  return seq - batch.index + batch.size;
}

export class OpenBatch {
  readonly first: number;
  readonly last: number;
  readonly offset: number;
  /** Records, and what a repair has said of lost ones between them, in their order. */
  readonly items: OrderedItem[] = [];
  #isMissing: boolean;
  #isEdited = false;

  /** `seq`: of the first line that is there. `missingUpTo`: up to here seqs are missing of which no line speaks. */
  constructor(seq: number, { index, size }: BatchPosition, offset: number, missingUpTo: number) {
    this.first = seq - index + 1;
    this.last = this.first + size - 1;
    this.offset = offset;
    this.#isMissing = missingUpTo >= this.first;
  }

  /** Some of its lines are nowhere: not damaged in their places, and not said to be lost by a repair. */
  get isBroken(): boolean {
    return this.#isMissing;
  }

  holds(seq: number): boolean {
    return seq >= this.first && seq <= this.last;
  }

  add(item: OrderedItem): void {
    this.items.push(item);
  }

  /** Seqs from this one on are missing without a trace. */
  miss(first: number): void {
    if (first <= this.last) this.#isMissing = true;
  }

  /** A line that was written elsewhere stands behind its first one: no crash leaves that. */
  edit(): void {
    this.#isEdited = true;
  }

  /** At the end of the file: as a crash may leave it. `seq`: the last record, counting damaged lines at the end; `refusedSeq`: the highest that stands elsewhere. */
  isUnfinished(seq: number, refusedSeq: number): boolean {
    if (seq >= this.last) return false;
    if (!this.#isMissing && !this.#isEdited && refusedSeq < this.first) return true;
    this.#isMissing = true;
    return false;
  }

  damage(): ScanDamage {
    const last = this.items.at(-1)?.line;
    const end = last === undefined ? this.offset : last.offset + last.bytes;
    const reason = { code: "broken-batch", first: this.first, last: this.last } as const;
    return { offset: this.offset, bytes: end - this.offset, kind: "corrupt", reason };
  }
}
