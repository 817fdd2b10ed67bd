/**
 * The next valid block behind damage. It is told by its first line and its checksum, which is salted with the instance, the
 * generation, its number and its length: what lies in between proves nothing, and no length is believed before the
 * checksum that covers it.
 */

import { decodeBlock, readFirstLine } from "./block.ts";
import type { JournalHead } from "./head.ts";

/**
 * How much may be summed up while looking, as a multiple of the journal's length. Damaged blocks do not overlap, so that the
 * disk leaves nothing that takes more; first lines that another program has made could take the square of it.
 */
const MAX_SUMMED = 256;
/** So often at most a block is summed up to find out which bit of it was turned. */
const SUMMED_FOR_A_BIT = 128;

export class SearchBudget {
  #left: number;

  constructor(journalBytes: number) {
    this.#left = journalBytes * MAX_SUMMED;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  spend(bytes: number): void {
    this.#left -= bytes;
  }
}

/** `missing`: the number of the block that is not at `from`. `undefined`: there is none, or looking for it takes too long. */
export function nextBlock(
  bytes: Buffer,
  from: number,
  head: JournalHead,
  missing: number,
  budget: SearchBudget,
): { readonly offset: number; readonly number: number } | undefined {
  const claimed = readFirstLine(bytes, from)?.payloadBytes ?? 0;
  budget.spend(Math.min(claimed, bytes.length - from) * SUMMED_FOR_A_BIT);
  const start = Buffer.from(`{"generation":${head.generation},"block":`);
  for (let at = bytes.indexOf(start, from); at !== -1; at = bytes.indexOf(start, at + 1)) {
    const first = readFirstLine(bytes, at);
    if (first === undefined || first.number < missing) continue;
    // One that is longer than the journal is none.
    if (at + first.length + first.payloadBytes <= bytes.length) budget.spend(first.payloadBytes);
    if (budget.isSpent) return undefined;
    if (decodeBlock(bytes, at, head, first.number) !== undefined) return { offset: at, number: first.number };
  }
  return undefined;
}
