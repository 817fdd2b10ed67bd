/** The entries that a read asks for, out of one moment of a session. */

import type { Entry } from "../format/entry.ts";
import type { Snapshot } from "../contract/backend.ts";
import { liveBlocks } from "../contract/live-entries.ts";
import { recordDropped } from "../format/record-dropped-error.ts";
import type { Session } from "../contract/types.ts";

export type RecordsOptions = NonNullable<Parameters<Session["records"]>[0]>;

/** In blocks. RECORD_DROPPED where a bound names a record that is no longer kept; without bounds it begins with what is. */
export async function* selectEntries(
  snapshot: Snapshot,
  options: RecordsOptions,
): AsyncIterable<readonly Entry[]> {
  const { last = Infinity, from = 0, to = Infinity, reverse = false, live = false, kept = false } = options;
  const { state, firstSeq } = snapshot;
  const dropped = [from, to].find((bound) => bound >= 1 && bound < firstSeq);
  if (dropped !== undefined) throw recordDropped(dropped, firstSeq, state.seq);
  if (last === 0) return;
  const range = { from: Math.max(from, firstSeq, 1), to: Math.min(to, state.seq), reverse };
  let remaining = last;
  // Without a cut every message that is kept is seen.
  const seen = kept && !live ? { ...state, keepFrom: 1 } : state;
  for await (const block of live || kept ? liveBlocks(seen, snapshot, range) : snapshot.entries(range)) {
    yield block.length <= remaining ? block : block.slice(0, remaining);
    remaining -= block.length;
    if (remaining <= 0) return;
  }
}
