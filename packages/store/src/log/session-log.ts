/**
 * One session's file in the hands of the writer: its state, and the records that are acknowledged but not in the file
 * yet. Landing writes them at their own offsets, never in append mode, so that it can be done again at any time.
 */

import type { OpenFile } from "../host/host.ts";
import { ioError } from "../host/io-error.ts";
import { writeFully } from "../host/write-fully.ts";
import type { Header } from "../record/encode.ts";
import type { Entry } from "../record/entry.ts";
import { foldEntry, type SessionState } from "../record/fold.ts";
import type { ScanDamage } from "../record/scan.ts";
import { patchedSource, type ByteSource, type Patch } from "./byte-source.ts";
import type { ReadableLog } from "./read-entries.ts";
import type { ScannedLog } from "./scan-log.ts";
import type { SeqMarks } from "./seq-marks.ts";

/** A record with its line, ready to be committed at `offset`. */
export interface PlacedLine {
  readonly entry: Entry;
  readonly offset: number;
  readonly bytes: Buffer;
}

export class SessionLog {
  readonly path: string;
  readonly header: Header;
  readonly headerBytes: number;
  readonly damage: readonly ScanDamage[];
  readonly marks: SeqMarks;
  readonly #file: OpenFile;
  #state: SessionState;
  #end: number;
  #landedEnd: number;
  #pending: Patch[] = [];
  #landing: Promise<void> | undefined;
  /** Counted when a write begins and when it ends, so that a sync in between does not pass for one after it. */
  #writes = 0;
  #syncedWrites = 0;
  #owesRewrite = false;

  constructor(path: string, file: OpenFile, log: ScannedLog) {
    this.path = path;
    this.header = log.header;
    this.headerBytes = log.headerBytes;
    this.damage = log.damage;
    this.marks = log.marks;
    this.#file = file;
    this.#state = log.state;
    this.#end = log.end;
    this.#landedEnd = log.end;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Where the next record goes; also the size of the session in bytes. */
  get end(): number {
    return this.#end;
  }

  get unlandedBytes(): number {
    return this.#end - this.#landedEnd;
  }

  /** Landed, but a power cut could still take it back. */
  get isUnsynced(): boolean {
    return this.#writes !== this.#syncedWrites;
  }

  /** A sync has failed: what it should have made durable must be written again before the next is believed. */
  get owesRewrite(): boolean {
    return this.#owesRewrite;
  }

  /** The lines are durable in the journal: from now on readers see them. */
  acknowledge(lines: readonly PlacedLine[]): void {
    for (const { entry, offset, bytes } of lines) {
      this.#state = foldEntry(this.#state, entry);
      this.marks.add(entry.seq, offset);
      this.#pending.push({ offset, bytes });
      this.#end = offset + bytes.length;
    }
  }

  /** The log as far as it reaches now; later records are not part of it. */
  asOfNow(): ReadableLog {
    const { header, headerBytes, end, damage, marks } = this;
    return { header, headerBytes, end, damage, marks };
  }

  source(): ByteSource {
    return patchedSource(this.#file, this.#landedEnd, [...this.#pending]);
  }

  /** Puts everything acknowledged into the file. One landing at a time; a later one takes up what came meanwhile. */
  async land(): Promise<void> {
    while (this.#pending.length > 0 || this.#landing !== undefined) {
      this.#landing ??= this.#landPending().finally(() => {
        this.#landing = undefined;
      });
      await this.#landing;
    }
  }

  /** Writes records at their places once more, from a copy that is known to be good. */
  async rewrite(patches: readonly Patch[]): Promise<void> {
    for (const { offset, bytes } of patches) await this.#write(bytes, offset);
    this.#owesRewrite = false;
  }

  async sync(): Promise<void> {
    const writes = this.#writes;
    try {
      await this.#file.sync();
    } catch (error) {
      this.#owesRewrite = true;
      throw error;
    }
    this.#syncedWrites = writes;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #landPending(): Promise<void> {
    const patches = [...this.#pending];
    const start = this.#landedEnd;
    const bytes = Buffer.concat(patches.map((patch) => patch.bytes));
    try {
      await this.#write(bytes, start);
    } catch (cause) {
      throw ioError(cause, "landing records", this.path);
    }
    this.#pending = this.#pending.slice(patches.length);
    this.#landedEnd = start + bytes.length;
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    this.#writes++;
    try {
      await writeFully(this.#file, bytes, position);
    } finally {
      this.#writes++;
    }
  }
}
