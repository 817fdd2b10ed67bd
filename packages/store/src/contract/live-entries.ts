/** The messages of the view. What a rewind, a reset or a cut has taken out of it is not read at all, if it is long. */

import type { Entry, SeqRange } from "../format/entry.ts";
import { isLive, type SessionState } from "../format/fold.ts";
import { eachEntry } from "./entry-blocks.ts";
import type { EntryRange, EntryReader } from "./backend.ts";

/** A shorter gap is read over: beginning anew behind it would cost more. */
const SHORT_GAP = 200;

export async function* liveEntries(
  state: SessionState,
  log: EntryReader,
  range: EntryRange,
): AsyncIterable<Entry> {
  yield* eachEntry(liveBlocks(state, log, range));
}

/** The same in blocks. */
export async function* liveBlocks(
  state: SessionState,
  log: EntryReader,
  { from, to, reverse }: EntryRange,
): AsyncIterable<readonly Entry[]> {
  const first = Math.max(from, state.keepFrom, log.firstSeq);
  const last = Math.min(to, state.seq);
  const ranges = livingRanges(state.kept, first, last);
  for (const range of reverse ? ranges.reverse() : ranges) {
    for await (const block of log.entries({ from: range[0], to: range[1], reverse }))
      yield block.filter(({ body, seq }) => body.op === "message" && isLive(state, seq));
  }
}

function livingRanges(kept: readonly SeqRange[], first: number, last: number): SeqRange[] {
  const ranges: SeqRange[] = [];
  for (const [start, end] of kept) {
    const range: SeqRange = [Math.max(start, first), Math.min(end, last)];
    if (range[0] > range[1]) continue;
    const before = ranges.at(-1);
    if (before !== undefined && range[0] - before[1] <= SHORT_GAP)
      ranges[ranges.length - 1] = [before[0], range[1]];
    else ranges.push(range);
  }
  return ranges;
}
