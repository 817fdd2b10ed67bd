/**
 * Opens an active file from its end: reads back to the last checkpoint, then forward to where the next record goes. It
 * costs the same however long the session is. What is damaged before that is found by whoever reads it. Where lines were moved or copied, or some are
 * missing, the whole file is scanned, so that no seq is given twice.
 */

import { EMPTY_SUM } from "../format/checksum.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../format/fold.ts";
import { decodeHeader, type DecodedHeader, type Header } from "../format/header.ts";
import { LogScanner, type ScanDamage, type ScanEnd } from "../format/scan.ts";
import { lineSum } from "../format/line-checksum.ts";
import type { ByteSource } from "./byte-source.ts";
import { lastCheckpoint, startOf, type FoundCheckpoint, type LineRange } from "./find-checkpoint.ts";
import { readHeaderLine } from "./header-line.ts";
import { readLines } from "./read-lines.ts";

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
  const found = await lastCheckpoint(range);
  const fromEnd = found === undefined ? undefined : await scanFrom(range, found);
  // Whole lines are not where they were written: what that means, only all lines tell.
  const scanned =
    fromEnd?.isEdited === false ? fromEnd : await scanFrom(range, undefined, await stateBefore(header));
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

/** From a checkpoint on, or from the beginning, with `stateBefore`. */
async function scanFrom(
  range: LineRange,
  found: FoundCheckpoint | undefined,
  stateBefore: SessionState = EMPTY_STATE,
): Promise<Scanned> {
  let state = found?.checkpoint.state ?? stateBefore;
  let checkpoint: CheckpointPlace = { offset: 0, bytes: 0, sum: EMPTY_SUM };
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
