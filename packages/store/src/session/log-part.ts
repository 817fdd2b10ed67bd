/**
 * The files of a session as parts of one log: the sealed ones in the order of its chain, then the active one. A part is
 * bounded by bytes and by seqs: behind them the file may go on, but not for this session.
 */

import type { ByteSource } from "./byte-source.ts";
import type { GzipDamage } from "./gzip-damage.ts";
import type { Header } from "../format/header.ts";
import type { Id } from "../format/session-id.ts";

export interface LogPart {
  readonly file: number;
  /** The id of the session that wrote its lines. */
  readonly writtenBy: Id;
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** `undefined` for the active file, which is still growing. */
  readonly sum: string | undefined;
  readonly isDropped: boolean;
}

export interface OpenedPart {
  readonly path: string;
  readonly source: ByteSource;
  /** Of a compressed file: what cannot be unpacked. It grows while the file is read; what it has at the opening was reported. */
  readonly members?: readonly GzipDamage[];
  close(): Promise<void>;
}

/**
 * `undefined`: it cannot be read, and that was reported. "replaced": the session has other files by now, since it was
 * repaired or records were dropped; who reads looks at it anew.
 */
export type OpenPart = (part: LogPart) => Promise<OpenedPart | "replaced" | undefined>;

/** `end` and `seq`: how far the active file reaches. */
export function partsOf(header: Header, end: number, seq: number): readonly LogPart[] {
  const sealed = header.chain.map((link): LogPart => ({
    file: link.file,
    writtenBy: link.session ?? header.id,
    first: link.first,
    last: link.last,
    bytes: link.bytes,
    sum: link.sum,
    isDropped: link.dropped !== undefined,
  }));
  const first = firstSeqOf(header);
  const active = { file: header.file, writtenBy: header.id, first, last: seq, bytes: end };
  return [...sealed, { ...active, sum: undefined, isDropped: false }];
}

/** The seq with which the active file begins. */
export function firstSeqOf({ chain }: Header): number {
  return (chain.at(-1)?.last ?? 0) + 1;
}

/** The first record that is still kept. */
export function firstKeptSeq(parts: readonly LogPart[]): number {
  return parts.find(({ isDropped }) => !isDropped)?.first ?? 1;
}

/** Of all files, as if none were compressed. */
export function bytesOf(parts: readonly LogPart[]): number {
  return parts.reduce((sum, { bytes, isDropped }) => sum + (isDropped ? 0 : bytes), 0);
}
