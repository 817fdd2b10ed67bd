/**
 * One session's active file in the hands of the writer: its state, and the records that are acknowledged but not in the
 * file yet. Landing writes them at their own offsets, never in append mode, so that it can be done again at any time.
 */

import type { LonghandError } from "../errors.ts";
import { andThen } from "../host/and-then.ts";
import type { Awaitable, FileStat, FileSystem, OpenFile } from "../host/host.ts";
import { ioError } from "../host/io-error.ts";
import { isSameFile } from "../host/is-same-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeCheckpoint, fitsInLine, isCheckpointDue } from "../format/checkpoint.ts";
import { continueSum, EMPTY_SUM } from "../format/checksum.ts";
import { NO_SUM } from "../format/line-checksum.ts";
import { encodeEntry } from "../format/encode.ts";
import type { Entry } from "../format/entry.ts";
import type { SessionState } from "../format/fold.ts";
import { endsWithSum, lastSum, LINE_END_BYTES } from "../format/last-sum.ts";
import type { Header } from "../format/header.ts";
import { fileNameOf, type FileName } from "../format/key.ts";
import type { Id } from "../format/session-id.ts";
import type { ScanDamage } from "../format/scan.ts";
import { patchedSource, type ByteSource, type Patch } from "./byte-source.ts";
import { partsOf, type LogPart } from "./log-part.ts";
import type { ScannedTail } from "./scan-tail.ts";
import { sessionChanged } from "./session-changed.ts";
import { sumBytes } from "./sum-bytes.ts";

/** An atomic batch, and the state that it leaves. */
export interface DecidedBatch {
  readonly entries: readonly Entry[];
  readonly state: SessionState;
}

/** The lines of one atomic batch and their position, as a record of the journal has them (wal/block.ts). */
export interface PlacedBatch {
  readonly session: Id;
  readonly file: number;
  readonly name: FileName;
  /** Of the session, once it is acknowledged. */
  readonly state: SessionState;
  readonly offset: number;
  readonly bytes: Buffer;
  /** The checksum of the line before it, and of its own last line. */
  readonly after: string | undefined;
  readonly last: string | undefined;
  /** How many bytes at their beginning are a checkpoint. */
  readonly checkpointBytes: number;
}

export class SessionLog {
  readonly path: string;
  readonly header: Header;
  readonly damage: readonly ScanDamage[];
  /** Of the session's active file. */
  readonly #name: FileName;
  readonly #file: OpenFile;
  #state: SessionState;
  #end: number;
  /** Of all bytes before the end. */
  #sum: string;
  /** Of the last line before the end; `undefined`: what is there is no whole line. */
  #lastSum: string | undefined;
  /** The same of what is in the file. */
  #appliedSum: string | undefined;
  /** What was put into the file since it was last found to be all there: its beginning, and its sum. */
  #unproven: { readonly from: number; readonly after: string | undefined; readonly sum: string };
  #checkpoint: { offset: number; bytes: number };
  #appliedEnd: number;
  #pending: Patch[] = [];
  #applier: Promise<void> | undefined;
  /** Counted when a write begins and when it ends, so that a sync in between does not pass for one after it. */
  #writes = 0;
  #syncedWrites = 0;
  #owesRewrite = false;
  #identity: FileStat | undefined;
  #changed: LonghandError | undefined;

  constructor(path: string, file: OpenFile, tail: ScannedTail, sum: string, last: string | undefined) {
    this.path = path;
    this.header = tail.header;
    this.damage = tail.damage;
    this.#name = fileNameOf(tail.header.key);
    this.#file = file;
    this.#state = tail.state;
    this.#end = tail.end;
    this.#appliedEnd = tail.end;
    this.#sum = sum;
    this.#lastSum = last;
    this.#appliedSum = last;
    this.#unproven = { from: tail.end, after: last, sum: EMPTY_SUM };
    this.#checkpoint = tail.checkpoint;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Where the next record goes. */
  get end(): number {
    return this.#end;
  }

  /** CRC-32 of the file up to its end. */
  get sum(): string {
    return this.#sum;
  }

  /** The checksum of the line before the end. */
  get lastSum(): string | undefined {
    return this.#lastSum;
  }

  /** All files of the session, as far as they reach now; later records are no part of them. */
  get parts(): readonly LogPart[] {
    return partsOf(this.header, this.#end, this.#state.seq);
  }

  get unappliedBytes(): number {
    return this.#end - this.#appliedEnd;
  }

  /** Landed, but a power cut could still take it back. */
  get isUnsynced(): boolean {
    return this.#writes !== this.#syncedWrites;
  }

  /** A sync has failed: what it should have made durable must be written again before the next is believed. */
  get owesRewrite(): boolean {
    return this.#owesRewrite;
  }

  /** Gives each batch its place behind the end, in order; a checkpoint goes before the first when it is due. */
  place(batches: readonly DecidedBatch[]): PlacedBatch[] {
    const { id: session, file } = this.header;
    const name = this.#name;
    let offset = this.#end;
    let after = this.#lastSum;
    return batches.map(({ entries, state }, index) => {
      const lines = entries.map((entry) => encodeEntry(entry, session));
      const checkpoint = index === 0 && this.#isCheckpointDue() ? this.#encodeCheckpoint() : [];
      const bytes = joined([...checkpoint, ...lines]);
      const checkpointBytes = checkpoint[0]?.length ?? 0;
      const last = lastSum(bytes);
      const placed = { session, file, name, state, offset, bytes, after, last, checkpointBytes };
      offset += bytes.length;
      after = last;
      return placed;
    });
  }

  /** The batches are durable in the journal: from now on readers see them. */
  acknowledge(batches: readonly PlacedBatch[]): void {
    for (const { state, offset, bytes, last, checkpointBytes } of batches) {
      this.#state = state;
      if (checkpointBytes > 0) this.#checkpoint = { offset, bytes: checkpointBytes };
      this.#pending.push({ offset, bytes });
      this.#end = offset + bytes.length;
      this.#sum = continueSum(this.#sum, bytes);
      this.#lastSum = last;
    }
  }

  source(): ByteSource {
    return patchedSource(this.#file, this.#appliedEnd, [...this.#pending]);
  }

  /** Puts everything acknowledged into the file. One write at a time; a later one takes up what came meanwhile. */
  async apply(): Promise<void> {
    while (this.#pending.length > 0 || this.#applier !== undefined) {
      this.#applier ??= this.#applyPending().finally(() => {
        this.#applier = undefined;
      });
      await this.#applier;
    }
  }

  /** Writes records at their places once more, from a copy that is known to be good. */
  async rewrite(patches: readonly Patch[]): Promise<void> {
    const [first] = patches;
    if (first !== undefined) await this.#checkLineBefore(first.offset, first.after);
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

  /** Is what lies at its path what was opened, and is everything there that was put into it? */
  isIn(files: Pick<FileSystem, "stat">): Awaitable<boolean> {
    // More may be applied meanwhile: it need not be there yet.
    const appliedEnd = this.#appliedEnd;
    return andThen(files.stat(this.path), (stat) =>
      (stat?.size ?? 0) < appliedEnd ? false : this.isOpened(stat),
    );
  }

  isOpened(stat: FileStat | undefined): Awaitable<boolean> {
    return andThen(this.#identity ?? this.#file.stat(), (identity) => {
      this.#identity = identity;
      return isSameFile(stat, identity);
    });
  }

  /** Rejects with SESSION_CHANGED unless everything is in the file that was put into it since the last time. */
  async checkApplied(): Promise<void> {
    const { from, after, sum } = this.#unproven;
    const end = this.#appliedEnd;
    const lastSum = this.#appliedSum;
    await this.#checkLineBefore(from, after);
    const found = await sumBytes(patchedSource(this.#file, end, []), EMPTY_SUM, from, end);
    if (found !== sum) throw sessionChanged(this.path, this.header.key);
    if (this.#appliedEnd === end) this.#unproven = { from: end, after: lastSum, sum: EMPTY_SUM };
  }

  /** Does the file have a line with this checksum that ends at `offset`? Where none is known, nothing can differ. */
  async isBehind(offset: number, sum: string | undefined): Promise<boolean> {
    if (sum === undefined) return true;
    const buffer = Buffer.alloc(Math.min(LINE_END_BYTES, offset));
    const count = await this.#file.read(buffer, offset - buffer.length);
    return count === buffer.length && endsWithSum(buffer, sum);
  }

  /** The file was changed under this log. Nothing is written to it any more: what was not applied is kept elsewhere. */
  get changed(): LonghandError | undefined {
    return this.#changed;
  }

  /** `end`: everything before it is kept. False: more was acknowledged meanwhile, and nothing has happened. */
  async giveUp(changed: LonghandError, end: number): Promise<boolean> {
    // What it says does not matter any more.
    await this.#applier?.catch(() => undefined);
    if (this.#end !== end) return false;
    this.#changed = changed;
    this.#pending = [];
    this.#appliedEnd = this.#end;
    this.#appliedSum = this.#lastSum;
    this.#unproven = { from: this.#end, after: this.#lastSum, sum: EMPTY_SUM };
    this.#syncedWrites = this.#writes;
    this.#owesRewrite = false;
    return true;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #isCheckpointDue(): boolean {
    const { offset, bytes } = this.#checkpoint;
    return isCheckpointDue(this.#end - offset - bytes, bytes);
  }

  /** None if it does not fit; it is then tried again as late as if it had been written. */
  #encodeCheckpoint(): readonly Buffer[] {
    const place = { offset: this.#end, before: this.#lastSum ?? NO_SUM };
    const line = encodeCheckpoint({ state: this.#state, sum: this.#sum, place }, this.header.id);
    if (fitsInLine(line)) return [line];
    this.#checkpoint = { offset: this.#end, bytes: line.length };
    return [];
  }

  async #applyPending(): Promise<void> {
    const patches = [...this.#pending];
    const start = this.#appliedEnd;
    const bytes = joined(patches.map((patch) => patch.bytes));
    try {
      await this.#checkEnd(bytes, start);
      await this.#write(bytes, start);
    } catch (cause) {
      throw ioError(cause, "writing records into the session", this.path);
    }
    this.#pending = this.#pending.slice(patches.length);
    this.#appliedEnd = start + bytes.length;
    this.#appliedSum = lastSum(bytes);
    this.#unproven = { ...this.#unproven, sum: continueSum(this.#unproven.sum, bytes) };
  }

  /** The file ends with the line that was applied last, or with what an attempt before has got in of these bytes. */
  async #checkEnd(bytes: Buffer, start: number): Promise<void> {
    if (this.#changed !== undefined) throw this.#changed;
    const sum = this.#appliedSum;
    const before = Math.min(LINE_END_BYTES, start);
    const buffer = Buffer.alloc(before + 1);
    const count = await this.#file.read(buffer, start - before);
    const isBehind = sum === undefined || (count >= before && endsWithSum(buffer.subarray(0, before), sum));
    if (!isBehind) throw sessionChanged(this.path, this.header.key);
    if (count <= before) return;
    const there = Buffer.alloc(bytes.length);
    const found = there.subarray(0, await this.#file.read(there, start));
    if (!found.equals(bytes.subarray(0, found.length))) throw sessionChanged(this.path, this.header.key);
  }

  /**
   * Another program may have written to the file, or have put an older one over it. Asked on the way of what is
   * acknowledged already, so that no answer waits for it.
   */
  async #checkLineBefore(offset: number, expected: string | undefined): Promise<void> {
    if (this.#changed !== undefined) throw this.#changed;
    if (!(await this.isBehind(offset, expected))) throw sessionChanged(this.path, this.header.key);
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

function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}
