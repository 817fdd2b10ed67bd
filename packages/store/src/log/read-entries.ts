/** Records and states of a log that lies in several files. */

import type { Entry } from "../record/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../record/fold.ts";
import { recordDropped } from "../record/record-dropped.ts";
import { firstKeptSeq, type LogPart, type OpenPart } from "./log-part.ts";
import { readPart, readPartState, type OnPartDamage, type PartState, type SeqBounds } from "./read-part.ts";

export interface ReadableLog {
  readonly parts: readonly LogPart[];
  readonly openPart: OpenPart;
  readonly onDamage: OnPartDamage;
}

/** What was dropped is passed over: whoever asks for it by its seq is told so before. */
export async function* readEntries(log: ReadableLog, bounds: SeqBounds): AsyncIterable<Entry> {
  const wanted = log.parts.filter(
    ({ first, last, isDropped }) => !isDropped && first <= bounds.to && last >= bounds.from && first <= last,
  );
  for (const part of bounds.reverse ? wanted.reverse() : wanted) {
    const opened = await log.openPart(part);
    if (opened === undefined) continue;
    try {
      yield* readPart(part, opened, bounds, log.onDamage);
    } finally {
      await opened.close();
    }
  }
}

/** The state after this record. From the checkpoint before it on, so that it costs the same however long the log is. */
export async function stateAfter(log: ReadableLog, seq: number): Promise<SessionState> {
  if (seq === 0) return EMPTY_STATE;
  const part = log.parts.findLast(({ first, last }) => first <= seq && last >= first);
  if (part === undefined) return EMPTY_STATE;
  if (part.isDropped) throw recordDropped(seq, firstKeptSeq(log.parts), log.parts.at(-1)?.last ?? seq);
  const { checkpoint, entries } = await partState(log, part, seq);
  const before = checkpoint?.state ?? (await stateAfter(log, part.first - 1));
  const state = entries.reduce(foldEntry, before);
  // The last ones may be damaged: their seqs were given all the same.
  return state.seq < seq ? { ...state, seq } : state;
}

async function partState(log: ReadableLog, part: LogPart, seq: number): Promise<PartState> {
  const opened = await log.openPart(part);
  if (opened === undefined) return { checkpoint: undefined, entries: [] };
  try {
    return await readPartState(part, opened, seq);
  } finally {
    await opened.close();
  }
}
