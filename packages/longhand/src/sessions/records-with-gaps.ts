/**
 * The records of a session, each marked whether it is in the view, with the places where some are missing. A session
 * gives every seq once, so that a seq which does not come was lost, or is damaged; what was dropped on request lies
 * before all others, and is no gap.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Damage, Session, SessionInfo, SessionRecord } from "@longhand/store";
import type { LostRun } from "../terminal/lost-line.ts";
import { markLive, type MarkedRecord } from "./mark-live.ts";

export type RecordOrGap = MarkedRecord | { readonly lost: LostRun };

export interface GapSurroundings {
  /** Of the store. */
  readonly directory: string;
  /** What has been reported so far: a gap beside a damaged place has not been mended yet. */
  readonly damage: readonly Damage[];
}

export interface WantedRecords {
  /** Everything that is kept; otherwise from the first message of the view on. */
  readonly all: boolean;
  /** Only the newest; of the view, or of all. */
  readonly last?: number;
  /** Only these seqs, which the session has. Not together with `last`. */
  readonly from?: number;
  readonly to?: number;
}

export async function* recordsWithGaps(
  session: Session,
  { key, seq, count, damaged }: SessionInfo,
  { all, last, from, to: end = seq }: WantedRecords,
  { directory, damage }: GapSurroundings,
): AsyncIterable<RecordOrGap> {
  const kept = await damagedDirectory(directory);
  const isMended = (): boolean => damaged === 0 && !damage.some((found) => found.key === key);
  const gap = (first: number, to: number): RecordOrGap => ({
    lost: { first, last: to, isMended: isMended(), kept },
  });
  const wanted = { live: !all, to: end, ...(last === undefined ? {} : { last }) };
  // Where nothing is left of what should be seen, all that is left is gone through to show where it was.
  const isUnreadable = count > 0 && end === seq;
  const begin =
    from ??
    (await firstOf(session.records(wanted)))?.seq ??
    (isUnreadable ? await firstKeptSeq(session) : end + 1);
  if (from === undefined) for (const [first, to] of await gapsBefore(session, begin)) yield gap(first, to);
  let next = begin;
  if (begin <= end) {
    const bounds = { from: begin, to: end };
    for await (const marked of markLive(
      session.records(bounds),
      session.records({ ...bounds, live: true }),
    )) {
      if (marked.record.seq > next) yield gap(next, marked.record.seq - 1);
      yield marked;
      next = marked.record.seq + 1;
    }
  }
  if (next <= end) yield gap(next, end);
}

/** Whether there should be a record with this seq, and is none. */
export async function isLost(session: Session, seq: number): Promise<boolean> {
  return seq >= 1 && (await firstOf(session.records({ from: seq, to: seq }))) === undefined;
}

/** Between this record and the message before it, oldest first. What lies before that is cut from the view. */
async function gapsBefore(session: Session, seq: number): Promise<readonly [first: number, last: number][]> {
  const firstKept = await firstKeptSeq(session);
  const gaps: [number, number][] = [];
  let next = seq - 1;
  if (next < firstKept) return gaps;
  for await (const record of session.records({ to: next, reverse: true })) {
    if (record.seq < next) gaps.unshift([record.seq + 1, next]);
    next = record.seq - 1;
    if (record.op === undefined) return gaps;
  }
  if (next >= firstKept) gaps.unshift([firstKept, next]);
  return gaps;
}

async function firstKeptSeq(session: Session): Promise<number> {
  const { isLonghandError } = await import("@longhand/store");
  try {
    await firstOf(session.records({ from: 1, to: 1 }));
    return 1;
  } catch (error) {
    if (isLonghandError(error, "RECORD_DROPPED")) return Number(error.detail["firstSeq"]);
    throw error;
  }
}

async function firstOf(records: AsyncIterable<SessionRecord>): Promise<SessionRecord | undefined> {
  for await (const record of records) return record;
  return undefined;
}

/** `undefined`: nothing was ever kept there. */
async function damagedDirectory(directory: string): Promise<string | undefined> {
  const path = join(directory, ".longhand", "damaged");
  try {
    return (await readdir(path)).length === 0 ? undefined : path;
  } catch {
    // Not there, or not to be read: then nobody is sent there.
    return undefined;
  }
}
