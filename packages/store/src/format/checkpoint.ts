/**
 * A checkpoint: the folded state as a line among the records, without a seq. Opening a session reads back to the last
 * one, and a read begins at the one before what it wants. It says nothing that the records before it do not.
 */

import { decodePlace, type CheckpointPlace } from "./checkpoint-position.ts";
import { isSum } from "./checksum.ts";
import type { NewestNote, RememberedId, SessionState } from "./fold.ts";
import { MAX_LINE_BYTES, MAX_SEQ } from "./format.ts";
import { isCount, isRange } from "./is-count.ts";
import { isJsonObject, tryParseJson } from "./json.ts";
import { withChecksum } from "./line-checksum.ts";

export interface Checkpoint {
  readonly state: SessionState;
  /** CRC-32 of every byte of the file before this line. */
  readonly sum: string;
  /** Where it was written; `undefined`: an earlier version wrote it. */
  readonly place?: CheckpointPlace | undefined;
}

const DUE_BYTES = 256 * 1024;
const DUE_SHARE = 8;

/** After 256 KiB, or eight times the size of the one before: checkpoints must not become most of the file. */
export function isCheckpointDue(bytesSince: number, bytesOfLast: number): boolean {
  return bytesSince >= Math.max(DUE_BYTES, bytesOfLast * DUE_SHARE);
}

/**
 * A summary and a title may each fit into a line, and not both: such a checkpoint is left out, since every reader would
 * take it for damage. Reading then begins further back.
 */
export function fitsInLine(line: Buffer): boolean {
  return line.length <= MAX_LINE_BYTES;
}

/** How a line that holds one begins. */
export const CHECKPOINT_START = '{"checkpoint":';

export function encodeCheckpoint({ state, sum, place }: Checkpoint, sessionId: string): Buffer {
  const { seq, count, keepFrom, kept, summary, title, tags, updated, ids, notes } = state;
  const remembered = ids.map(({ id, firstSeq, lastSeq, digest, isNote }) => [
    id,
    firstSeq,
    lastSeq,
    digest,
    ...(isNote ? [true] : []),
  ]);
  // One by one, in the order of docs/format.md: what is new in the state is not in the format unless somebody means it.
  const content = JSON.stringify({
    ...{ seq, count, keepFrom, kept, summary, title, tags, updated, ids: remembered },
    ...(notes.length === 0 ? {} : { notes }),
  });
  const where = place === undefined ? "" : `,"offset":${place.offset},"before":"${place.before}"`;
  return withChecksum(`${CHECKPOINT_START}${content},"sum":"${sum}"${where}`, sessionId);
}

/** `text` is the object without its closing brace, its checksum good. `undefined`: not as this version writes it. */
export function decodeCheckpoint(text: string): Checkpoint | undefined {
  const value = tryParseJson(`${text}}`);
  const { sum, checkpoint, offset, before } = isJsonObject(value) ? value : {};
  const state = isJsonObject(checkpoint) ? decodeState(checkpoint) : undefined;
  if (state === undefined || !isSum(sum)) return undefined;
  const place = decodePlace(offset, before);
  return place === undefined ? { state, sum } : { state, sum, place };
}

function decodeState(value: Readonly<Record<string, unknown>>): SessionState | undefined {
  const { seq, count, keepFrom, kept, summary, title, tags, updated, ids, notes = [] } = value;
  if (!isCount(seq) || seq > MAX_SEQ || !isCount(count) || !isCount(keepFrom) || typeof summary !== "string")
    return undefined;
  if (!Array.isArray(kept) || !kept.every(isRange) || !Array.isArray(ids)) return undefined;
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string")) return undefined;
  if (!Array.isArray(notes) || !notes.every(isNewestNote)) return undefined;
  const remembered = ids.map(decodeRememberedId);
  if (!remembered.every((id) => id !== undefined)) return undefined;
  return {
    seq,
    count,
    keepFrom,
    kept,
    summary,
    title: typeof title === "string" ? title : undefined,
    tags,
    updated: typeof updated === "string" ? updated : undefined,
    ids: remembered,
    notes,
  };
}

function isNewestNote(value: unknown): value is NewestNote {
  return Array.isArray(value) && typeof value[0] === "string" && isCount(value[1]);
}

function decodeRememberedId(value: unknown): RememberedId | undefined {
  if (!Array.isArray(value)) return undefined;
  const [id, firstSeq, lastSeq, digest, isNote] = value as readonly unknown[];
  if (typeof id !== "string" || typeof digest !== "string" || !isCount(firstSeq) || !isCount(lastSeq))
    return undefined;
  return { id, firstSeq, lastSeq, digest, isNote: isNote === true };
}
