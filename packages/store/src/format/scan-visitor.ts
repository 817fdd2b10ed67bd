/** What a scan of a session file is given, and what it tells: lines, damage, and who listens. */

import type { Checkpoint } from "./checkpoint.ts";
import type { DamageReason } from "./damage-reason.ts";
import type { Entry } from "./entry.ts";
import type { Header } from "./header.ts";

export interface ScannedLine {
  readonly offset: number;
  /** Without the newline. `undefined`: longer than any line of ours, so nobody kept it in memory. */
  readonly content: Buffer | undefined;
  /** With the newline, if there is one. */
  readonly bytes: number;
  readonly terminated: boolean;
}

/**
 * A whole line in the middle of the bytes that were read together: nearly every one is. Lines of a batch wait for its end, a
 * few hundred of them: so it is its own item, and the fewer objects there are, the less the garbage collector copies.
 */
export class LineInChunk implements ScannedLine, OrderedItem {
  /** Once it is known to be an ordinary record. */
  entry: Entry | undefined;
  readonly offset: number;
  readonly terminated = true;
  readonly chunk: Buffer;
  readonly start: number;
  /** Of its newline. */
  readonly end: number;
  /** Every byte of the chunk is ASCII. */
  readonly isAscii: boolean;

  constructor(offset: number, chunk: Buffer, start: number, end: number, isAscii: boolean) {
    this.offset = offset;
    this.chunk = chunk;
    this.start = start;
    this.end = end;
    this.isAscii = isAscii;
  }

  get bytes(): number {
    return this.end + 1 - this.start;
  }

  get content(): Buffer {
    return this.chunk.subarray(this.start, this.end);
  }

  get first(): number {
    return this.entry?.seq ?? 0;
  }

  get last(): number {
    return this.entry?.seq ?? 0;
  }

  get line(): ScannedLine {
    return this;
  }
}

export interface ScanDamage {
  readonly offset: number;
  readonly bytes: number;
  readonly kind: "torn" | "corrupt";
  readonly reason: DamageReason;
  /** The first record that was there, where the good ones around the place tell. */
  readonly seq?: number;
}

export interface ScanVisitor {
  entry(entry: Entry, line: ScannedLine): void;
  /** The state that all records before it have led to, damaged ones too. Only of checkpoints that are in their places. */
  checkpoint(checkpoint: Checkpoint, line: ScannedLine): void;
  damage(damage: ScanDamage): void;
  /** A record with a good checksum that does not count where it is. Its place is reported as damage too. */
  refused?(entry: Entry, line: ScannedLine): void;
  /** Records that an earlier repair has found lost. */
  lost?(range: LostLine, line: ScannedLine): void;
  /** A good line that is no record, such as one of a newer version. */
  aside?(line: ScannedLine): void;
  /** A header that is not the first line. Reported as damage too. */
  header?(header: Header, line: ScannedLine): void;
}

export interface LostLine {
  readonly first: number;
  readonly last: number;
}

/** A record, or a line that says which ones are lost. */
export interface OrderedItem {
  readonly first: number;
  readonly last: number;
  readonly entry: Entry | undefined;
  readonly line: ScannedLine;
}
