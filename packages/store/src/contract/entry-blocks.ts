/** Entries travel in arrays, so that a reader does not wait for each of them. */

import type { Entry } from "../format/entry.ts";
import type { EntryRange } from "./backend.ts";

/** One by one, for callers that need few of them. */
export async function* eachEntry(blocks: AsyncIterable<readonly Entry[]>): AsyncIterable<Entry> {
  for await (const block of blocks) yield* block;
}

const BLOCK_ENTRIES = 256;

/** The blocks of a log that is held in memory: record n is at index n - 1. */
// eslint-disable-next-line @typescript-eslint/require-await -- the interface is for readers that wait for a disk
export async function* blocksOf(
  entries: readonly Entry[],
  { from, to, reverse }: EntryRange,
): AsyncIterable<readonly Entry[]> {
  let first = Math.max(from, 1) - 1;
  let end = Math.min(to, entries.length);
  while (first < end) {
    if (reverse) {
      const start = Math.max(first, end - BLOCK_ENTRIES);
      yield entries.slice(start, end).reverse();
      end = start;
    } else {
      const stop = Math.min(end, first + BLOCK_ENTRIES);
      yield entries.slice(first, stop);
      first = stop;
    }
  }
}
