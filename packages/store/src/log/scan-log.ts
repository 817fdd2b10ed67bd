/** One pass over a session file: its header, its state, where each part of it lies, and what is damaged. */

import { decodeHeader, type DecodedHeader } from "../record/decode.ts";
import type { Header } from "../record/encode.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../record/fold.ts";
import { LogScanner, type ScanDamage } from "../record/scan.ts";
import type { ByteSource } from "./byte-source.ts";
import { headerLine } from "./header-line.ts";
import { readLines } from "./read-lines.ts";
import { SeqMarks } from "./seq-marks.ts";

export interface ScannedLog {
  readonly header: Header;
  readonly headerBytes: number;
  readonly state: SessionState;
  /** Where the next record goes. */
  readonly end: number;
  /** What lies behind `end`: not yet whole for a reader, torn for a writer. */
  readonly torn: ScanDamage | undefined;
  readonly unterminated: boolean;
  readonly damage: readonly ScanDamage[];
  readonly marks: SeqMarks;
}

export type ScanOutcome =
  { readonly kind: "log"; readonly log: ScannedLog } | Exclude<DecodedHeader, { readonly kind: "header" }>;

export async function scanLog(source: ByteSource): Promise<ScanOutcome> {
  const damage: ScanDamage[] = [];
  const marks = new SeqMarks();
  let state: SessionState = EMPTY_STATE;
  let header: Header | undefined;
  let headerBytes = 0;
  let headerIsTerminated = true;
  let scanner: LogScanner | undefined;
  for await (const lines of readLines(source, 0, source.size)) {
    for (const line of lines) {
      if (scanner !== undefined) {
        scanner.line(line);
        continue;
      }
      const decoded = decodeHeader(headerLine(line.content ?? Buffer.alloc(0)));
      if (decoded.kind !== "header") return decoded;
      header = decoded.header;
      headerBytes = line.bytes;
      headerIsTerminated = line.terminated;
      scanner = new LogScanner(header.id, headerBytes, {
        entry: (entry, offset) => {
          marks.add(entry.seq, offset);
          state = foldEntry(state, entry);
        },
        damage: (place) => damage.push(place),
      });
    }
  }
  if (scanner === undefined || header === undefined) return { kind: "bad", reason: "an empty file" };
  const { end, seq, torn, ...last } = scanner.finish();
  const unterminated = last.unterminated || !headerIsTerminated;
  // Damaged lines at the end were records: their seqs are not given away again.
  if (seq > state.seq) state = { ...state, seq };
  return { kind: "log", log: { header, headerBytes, state, end, torn, unterminated, damage, marks } };
}
