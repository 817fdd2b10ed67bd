/**
 * Opens an active file from its end: reads back to the last checkpoint, then forward to where the next record goes. It
 * costs the same however long the session is. What is damaged before that is found by whoever reads it.
 */

import { EMPTY_SUM } from "../record/checksum.ts";
import { foldEntry, type SessionState } from "../record/fold.ts";
import { decodeHeader, type DecodedHeader, type Header } from "../record/header.ts";
import { LogScanner, type ScanDamage } from "../record/scan.ts";
import type { ByteSource } from "./byte-source.ts";
import { lastCheckpoint } from "./find-checkpoint.ts";
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
  if (line.bytes === 0) return { kind: "bad", reason: "an empty file" };
  const decoded = decodeHeader(line.content);
  if (decoded.kind !== "header") return decoded;
  const { header } = decoded;
  const seqBefore = header.chain.at(-1)?.last ?? 0;
  const range = { source, writtenBy: header.id, from: line.bytes, to: source.size, seqBefore };
  const found = await lastCheckpoint(range);
  let state = found?.checkpoint.state ?? (await stateBefore(header));
  let checkpoint: CheckpointPlace = { offset: 0, bytes: 0, sum: EMPTY_SUM };
  const damage: ScanDamage[] = [];
  const start = { offset: found?.offset ?? line.bytes, seqBefore: state.seq };
  const scanner = new LogScanner(header.id, start, {
    entry: (entry) => {
      state = foldEntry(state, entry);
    },
    checkpoint: ({ state: folded, sum }, { offset, bytes }) => {
      state = folded;
      checkpoint = { offset, bytes, sum };
    },
    damage: (place) => damage.push(place),
  });
  for await (const lines of readLines(source, start.offset, source.size)) {
    for (const each of lines) scanner.line(each);
  }
  const { end, seq, torn, ...last } = scanner.finish();
  const unterminated = last.unterminated || !line.terminated;
  // Damaged lines at the end were records: their seqs are not given away again.
  if (seq > state.seq) state = { ...state, seq };
  const headerBytes = line.bytes;
  return {
    kind: "tail",
    tail: { header, headerBytes, state, end, torn, unterminated, damage, checkpoint },
  };
}
