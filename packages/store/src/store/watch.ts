/**
 * Follows a session: reads what is there, waits until there may be more, reads on. Nothing is kept for a consumer that
 * is slow; the log itself is the buffer. Each look is a new snapshot, of which a bounded number of records is read, so
 * that a session that was deleted, or whose records were dropped, is noticed however long the consumer takes.
 */

import { isLonghandError, LonghandError } from "../errors.ts";
import type { Entry } from "../format/entry.ts";
import type { Message } from "../format/message.ts";
import type { SessionRecord } from "../format/session-record.ts";
import { toSessionRecord } from "../format/surface.ts";
import type { OpenBackend, Snapshot } from "../contract/backend.ts";
import { eachEntry } from "../contract/entry-blocks.ts";
import type { OpenPlace } from "./open-place.ts";
import { recordDropped } from "../format/record-dropped-error.ts";
import type { WatchOptions } from "../contract/types.ts";

const RECORDS_IN_A_LOOK = 1000;

/** Without `from` it begins with the first record that is kept when the session is met. */
export async function* watchSession<M extends Message>(
  place: OpenPlace,
  key: string,
  { from, signal: callers }: WatchOptions,
): AsyncGenerator<SessionRecord<M>> {
  const backend = place.backend();
  const { signal, end } = place.waiting.begin(callers);
  try {
    yield* follow<M>(backend, key, from === undefined ? undefined : Math.max(from, 1), signal);
  } catch (error) {
    // Whatever was under way when it ended may have failed for that very reason, as in a store that is closing.
    if (!signal.aborted) throw error;
  } finally {
    end();
  }
}

async function* follow<M extends Message>(
  backend: OpenBackend,
  key: string,
  from: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<SessionRecord<M>> {
  let next = from;
  let begunWith: string | undefined;
  let yielded: Entry | undefined;
  const hasEnded = (): boolean => signal.aborted;
  while (!hasEnded()) {
    const snapshot = await backend.snapshot(key);
    if (begunWith !== undefined && snapshot?.info.id !== begunWith) return;
    begunWith = snapshot?.info.id;
    if (snapshot !== undefined) {
      next ??= snapshot.firstSeq;
      const { seq } = snapshot.state;
      if (next < snapshot.firstSeq && next <= seq) throw recordDropped(next, snapshot.firstSeq, seq);
      const last = Math.min(seq, next + RECORDS_IN_A_LOOK - 1);
      try {
        if (yielded !== undefined && next <= last) await checkSameHistory(snapshot, yielded);
        for await (const entry of entriesOf(snapshot, next, last)) {
          if (hasEnded()) return;
          next = entry.seq + 1;
          yielded = entry;
          yield toSessionRecord<M>(entry);
        }
      } catch (error) {
        if (!isLonghandError(error, "SESSION_NOT_FOUND")) throw error;
        // Deleted for ever while it was read: the next look tells.
        continue;
      }
      // Also past records that are damaged: they were reported, and will not come.
      next = Math.max(next, last + 1);
      if (last < seq) continue;
    }
    await backend.changed(key, snapshot?.info, signal);
  }
}

/**
 * Another program may have put an older file back, which has gone on differently since: what comes next in it does not
 * follow what was yielded. A record that was dropped or damaged meanwhile proves nothing.
 */
async function checkSameHistory(snapshot: Snapshot, yielded: Entry): Promise<void> {
  const { seq } = yielded;
  if (seq < snapshot.firstSeq) return;
  try {
    for await (const entry of entriesOf(snapshot, seq, seq)) {
      if (entry.at !== yielded.at || JSON.stringify(entry.body) !== JSON.stringify(yielded.body))
        throw changedMeanwhile(snapshot.info.key, seq);
    }
  } catch (error) {
    if (!isLonghandError(error, "RECORD_DROPPED")) throw error;
  }
}

function changedMeanwhile(key: string, seq: number): LonghandError {
  const message = `the session ${JSON.stringify(key)} was replaced by another version while it was watched: record ${seq} is not the one that was yielded. Watch it again from the first record that you need`;
  return new LonghandError("SESSION_CHANGED", message, { key, seq });
}

async function* entriesOf(snapshot: Snapshot, from: number, to: number): AsyncIterable<Entry> {
  if (from <= to) yield* eachEntry(snapshot.entries({ from, to, reverse: false }));
}
