/**
 * Opens an active file from its end: reads back to the last checkpoint, then forward to where the next record goes. It
 * costs the same however long the session is. What is damaged before that is found by whoever reads it. Where lines were moved or copied, or some are
 * missing, the whole file is scanned, so that no seq is given twice.
 */

import { EMPTY_SUM } from "../format/checksum.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../format/fold.ts";
import { decodeHeader, type DecodedHeader, type Header } from "../format/header.ts";
import { LogScanner, type ScanDamage, type ScanEnd } from "../format/scan.ts";
import { lineSum, type EncodedText } from "../format/line-checksum.ts";
import { entryOf } from "../format/records-in-order.ts";
import type { ByteSource } from "./byte-source.ts";
import { lastCheckpoint, startOf, type FoundCheckpoint, type LineRange } from "./find-checkpoint.ts";
import { readHeaderLine } from "./header-line.ts";
import { ordinaryBlock } from "./ordinary-block.ts";
import { readLines } from "./read-lines.ts";
import { TailBytes } from "./tail-bytes.ts";

export interface ScannedTail {
  readonly header: Header;
  readonly headerBytes: number;
  readonly state: SessionState;
  /** Where the next record goes. */
  readonly end: number;
  /** What lies behind `end`: not yet whole for a reader, torn for a writer. */
  readonly torn: ScanDamage | undefined;
  readonly unterminated: boolean;
  readonly damage: readonly ScanDamage[];
  readonly checkpoint: CheckpointPlace;
}

/** Of the last checkpoint; of the beginning of the file, where there is none. */
export interface CheckpointPlace {
  readonly offset: number;
  readonly bytes: number;
  /** Of everything before it. */
  readonly sum: string;
}

const NO_CHECKPOINT: CheckpointPlace = { offset: 0, bytes: 0, sum: EMPTY_SUM };
/** Of the end of a file that is read back to the last checkpoint: what is more is read a second time instead of being held. */
const MAX_TAIL_BYTES = 4 * 1024 * 1024;

export type TailOutcome =
  { readonly kind: "tail"; readonly tail: ScannedTail } | Exclude<DecodedHeader, { readonly kind: "header" }>;

/** `stateBefore`: the state with which the file begins, asked for only if no checkpoint in it says so. */
export async function scanTail(
  source: ByteSource,
  stateBefore: (header: Header) => Promise<SessionState>,
): Promise<TailOutcome> {
  const line = await readHeaderLine(source);
  if (line.bytes === 0) return { kind: "bad", reason: { code: "empty-file" } };
  const decoded = decodeHeader(line.content);
  if (decoded.kind !== "header") return decoded;
  const { header } = decoded;
  const seqBefore = header.chain.at(-1)?.last ?? 0;
  const sumBefore = lineSum(line.content);
  const range = { source, writtenBy: header.id, from: line.bytes, to: source.size, seqBefore, sumBefore };
  const tail = new TailBytes(source, source.size, MAX_TAIL_BYTES);
  const found = await lastCheckpoint({ ...range, source: tail });
  const ordinary = await ordinaryBlock(range, tail, found);
  const scanned =
    ordinary === undefined
      ? await scanLines(range, found, async () => await stateBefore(header))
      : inOrder(range, found, ordinary, found?.checkpoint.state ?? (await stateBefore(header)));
  if (scanned.headers.some((other) => isWritersOf(other, header, scanned.hasLines)))
    return { kind: "bad", reason: { code: "second-header" } };
  const { state, damage, checkpoint } = scanned;
  const { end, seq, torn, ...last } = scanned.end;
  return {
    kind: "tail",
    tail: {
      header,
      headerBytes: line.bytes,
      // Damaged and refused lines were records: their seqs are not given away again.
      state: seq > state.seq ? { ...state, seq } : state,
      end,
      torn,
      unterminated: last.unterminated || !line.terminated,
      damage,
      checkpoint,
    },
  };
}

interface Scanned {
  readonly state: SessionState;
  readonly damage: readonly ScanDamage[];
  readonly checkpoint: CheckpointPlace;
  readonly end: ScanEnd;
  readonly isEdited: boolean;
  /** Those that stand right behind the first line. */
  readonly headers: readonly Header[];
  /** Some lines count. */
  readonly hasLines: boolean;
}

/**
 * The first header may have been put there, before the one with which these lines were written: of an earlier file, or of another session of the key. `hasLines`: some lines
 * are those of the first header's session.
 */
function isWritersOf(other: Header, first: Header, hasLines: boolean): boolean {
  if (other.id === first.id) return other.file > first.file;
  return other.key === first.key && !hasLines;
}

/** What a scan comes to where nothing needs to be decided about the lines behind the checkpoint. */
function inOrder(
  { to }: LineRange,
  found: FoundCheckpoint | undefined,
  records: readonly EncodedText[],
  before: SessionState,
): Scanned {
  const state = records.reduce((folded, record) => foldEntry(folded, entryOf(record)), before);
  const checkpoint = found === undefined ? NO_CHECKPOINT : placeOf(found);
  const end = { end: to, seq: state.seq, torn: undefined, unterminated: false };
  return { state, damage: [], checkpoint, end, isEdited: false, headers: [], hasLines: true };
}

function placeOf({ offset, bytes, checkpoint: { sum } }: FoundCheckpoint): CheckpointPlace {
  return { offset, bytes, sum };
}

async function scanLines(
  range: LineRange,
  found: FoundCheckpoint | undefined,
  stateBefore: () => Promise<SessionState>,
): Promise<Scanned> {
  const fromEnd = found === undefined ? undefined : await scanFrom(range, found);
  // Whole lines are not where they were written: what that means, only all lines tell.
  return fromEnd?.isEdited === false ? fromEnd : await scanFrom(range, undefined, await stateBefore());
}

/** From a checkpoint on, or from the beginning, with `stateBefore`. */
async function scanFrom(
  range: LineRange,
  found: FoundCheckpoint | undefined,
  stateBefore: SessionState = EMPTY_STATE,
): Promise<Scanned> {
  let state = found?.checkpoint.state ?? stateBefore;
  let checkpoint = NO_CHECKPOINT;
  const damage: ScanDamage[] = [];
  const headers: Header[] = [];
  let headersEnd = range.from;
  let hasLines = false;
  const scanner = new LogScanner(range.writtenBy, startOf(range, found), {
    entry: (entry) => {
      hasLines = true;
      state = foldEntry(state, entry);
    },
    checkpoint: ({ state: folded, sum }, { offset, bytes }) => {
      hasLines = true;
      state = folded;
      checkpoint = { offset, bytes, sum };
    },
    damage: (place) => damage.push(place),
    header: (header, { offset, bytes }) => {
      if (offset !== headersEnd) return;
      headers.push(header);
      headersEnd += bytes;
    },
  });
  for await (const lines of readLines(range.source, found?.offset ?? range.from, range.to)) {
    for (const each of lines) scanner.line(each);
  }
  const end = scanner.finish();
  return { state, damage, checkpoint, end, isEdited: scanner.isEdited, headers, hasLines };
}
