/**
 * Which compaction is in force. Each is noted right before its record, with what it stands for and the one before it, so
 * that the newest is found without reading back, and the ones that were undone are passed over.
 */

import { isLonghandError } from "../../errors.ts";
import { isJsonObject } from "../../format/json.ts";
import { isCount } from "../../format/is-count.ts";
import type { NoteRecord, SessionRecord } from "../../format/session-record.ts";
import type { Session } from "../../contract/types.ts";

export const COMPACTION = "longhand/compaction";

export interface CompactionNote {
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  readonly by: "model" | "no-model";
  /** The seq of the note of the compaction that was in force before. */
  readonly previous?: number;
}

export interface CompactionInForce extends CompactionNote {
  readonly noteSeq: number;
  /** Of the compact record. */
  readonly seq: number;
  readonly at: string;
  readonly summary: string;
}

export async function currentCompaction(session: Session): Promise<CompactionInForce | undefined> {
  const state = await session.state();
  let candidate = await withRecord(session, await session.lastNote(COMPACTION));
  while (candidate !== undefined && state !== undefined) {
    if (candidate.summary === state.summary && (await hidesAll(session, candidate.to))) return candidate;
    candidate = await compactionBefore(session, candidate);
  }
  return undefined;
}

/** The one that was in force before it. `undefined`: there was none, or it is no longer kept. */
export async function compactionBefore(
  session: Session,
  { noteSeq, previous }: CompactionInForce,
): Promise<CompactionInForce | undefined> {
  if (previous === undefined || previous >= noteSeq) return undefined;
  const record = await recordAt(session, previous);
  return await withRecord(session, record?.op === "note" && record.kind === COMPACTION ? record : undefined);
}

/** `undefined`: there is no note, or it is all that was written before a crash. */
async function withRecord(
  session: Session,
  note: NoteRecord | undefined,
): Promise<CompactionInForce | undefined> {
  const about = note && readNote(note);
  if (note === undefined || about === undefined) return undefined;
  const record = await recordAt(session, note.seq + 1);
  if (record?.op !== "compact") {
    // Cut short: those before it still count.
    return await compactionBefore(session, { ...about, noteSeq: note.seq, seq: 0, at: note.at, summary: "" });
  }
  return { ...about, noteSeq: note.seq, seq: record.seq, at: record.at, summary: record.summary };
}

async function hidesAll(session: Session, to: number): Promise<boolean> {
  const seen = session.records({ live: true, reverse: true, to, last: 1 })[Symbol.asyncIterator]();
  return (await seen.next()).done === true;
}

async function recordAt(session: Session, seq: number): Promise<SessionRecord | undefined> {
  try {
    for await (const record of session.records({ from: seq, to: seq })) return record;
  } catch (error) {
    if (!isLonghandError(error, "RECORD_DROPPED")) throw error;
  }
  return undefined;
}

function readNote({ data }: NoteRecord): CompactionNote | undefined {
  if (!isJsonObject(data)) return undefined;
  const { from, to, messages, by, previous } = data;
  if (!isCount(from) || !isCount(to) || !isCount(messages) || (by !== "model" && by !== "no-model"))
    return undefined;
  return { from, to, messages, by, ...(isCount(previous) ? { previous } : {}) };
}
