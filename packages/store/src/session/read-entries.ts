/** Records and states of a log that lies in several files. */

import type { LonghandError } from "../errors.ts";
import type { Entry } from "../format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../format/fold.ts";
import { recordDropped } from "../format/record-dropped-error.ts";
import { firstKeptSeq, type LogPart, type OpenPart } from "./log-part.ts";
import { readPart, readPartState, type OnPartDamage, type PartState, type SeqBounds } from "./read-part.ts";

export interface ReadableLog {
  readonly parts: readonly LogPart[];
  readonly openPart: OpenPart;
  readonly onDamage: OnPartDamage;
  /** The same log as it is now, as far as it reached; for those whose parts may be replaced. */
  readonly renew?: () => Promise<ReadableLog>;
}

/**
 * What was dropped before is passed over: whoever asks for it by its seq is told so before. What is dropped while this
 * reads is RECORD_DROPPED as soon as it is reached: a reader never jumps over records that were there when it began.
 * In blocks: arrays of entries, none of them empty.
 */
export async function* readEntries(log: ReadableLog, bounds: SeqBounds): AsyncIterable<readonly Entry[]> {
  let { from, to } = bounds;
  from = Math.max(from, firstKeptSeq(log.parts));
  for (let present = log; ; present = await renewed(present)) {
    const firstKept = firstKeptSeq(present.parts);
    const isDropped = (seq: number): boolean => from <= to && seq < firstKept;
    const dropped = (seq: number): LonghandError =>
      recordDropped(seq, firstKept, present.parts.at(-1)?.last ?? seq);
    if (!bounds.reverse && isDropped(from)) throw dropped(from);
    let isReplaced = false;
    for (const part of partsWithin(present.parts, { ...bounds, from, to })) {
      const opened = await present.openPart(part);
      if (opened === "replaced") {
        isReplaced = true;
        break;
      }
      if (opened === undefined) continue;
      try {
        for await (const block of readPart(part, opened, { ...bounds, from, to }, present.onDamage)) {
          // Where to go on if the rest has to be looked for anew.
          const reached = block.at(-1)?.seq ?? 0;
          if (bounds.reverse) to = reached - 1;
          else from = reached + 1;
          yield block;
        }
      } finally {
        await opened.close();
      }
    }
    if (isReplaced) continue;
    if (bounds.reverse && isDropped(from)) throw dropped(Math.min(to, firstKept - 1));
    return;
  }
}

function partsWithin(parts: readonly LogPart[], { from, to, reverse }: SeqBounds): readonly LogPart[] {
  const wanted = parts.filter(
    ({ first, last, isDropped }) => !isDropped && first <= to && last >= from && first <= last,
  );
  return reverse ? wanted.reverse() : wanted;
}

/** The state after this record. From the checkpoint before it on, so that it costs the same however long the log is. */
export async function stateAfter(log: ReadableLog, seq: number): Promise<SessionState> {
  if (seq === 0) return EMPTY_STATE;
  const part = log.parts.findLast(({ first, last }) => first <= seq && last >= first);
  if (part === undefined) return EMPTY_STATE;
  if (part.isDropped) throw recordDropped(seq, firstKeptSeq(log.parts), log.parts.at(-1)?.last ?? seq);
  const found = await partState(log, part, seq);
  if (found === "replaced") return await stateAfter(await renewed(log), seq);
  const { checkpoint, entries } = found;
  const before = checkpoint?.state ?? (await stateAfter(log, part.first - 1));
  const state = entries.reduce(foldEntry, before);
  // The last ones may be damaged: their seqs were given all the same.
  return state.seq < seq ? { ...state, seq } : state;
}

async function partState(log: ReadableLog, part: LogPart, seq: number): Promise<PartState | "replaced"> {
  const opened = await log.openPart(part);
  if (opened === "replaced") return opened;
  if (opened === undefined) return { checkpoint: undefined, entries: [] };
  try {
    return await readPartState(part, opened, seq);
  } finally {
    await opened.close();
  }
}

async function renewed(log: ReadableLog): Promise<ReadableLog> {
  if (log.renew === undefined) throw new Error("only a log that can be renewed has parts that are replaced");
  return await log.renew();
}
