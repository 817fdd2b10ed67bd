/**
 * The order of the lines of one session file: which of its good lines count, which are copies or out of order, and which records are missing. One scan owns one.
 * Pure.
 */

import { isWrittenAt } from "./checkpoint-position.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { DamageReason } from "./damage-reason.ts";
import { batchEnd, OpenBatch } from "./open-batch.ts";
import type { OrderedItem, ScanDamage, ScannedLine, ScanVisitor } from "./scan-visitor.ts";

interface BadLine {
  readonly damage: ScanDamage;
  /** How many records it seems to have been: two, if it was the newline between them that was hit. */
  readonly records: number;
}

export class LineOrder {
  readonly #visitor: ScanVisitor;
  /** The last record that counts, or is known to be lost. */
  #seq: number;
  /** The highest seq that a refused line speaks of, or a whole record inside a bad one, also as the end of its batch: it was given, too. */
  #refusedSeq = 0;
  #isEdited = false;
  #batch: OpenBatch | undefined;
  /** Up to here seqs are missing of which no line speaks. */
  #missingUpTo = 0;
  /** Skips some seqs. The next line tells whether they are missing or this one is out of order. */
  #suspect: OrderedItem | undefined;
  /** Bad lines since the last one that counts. */
  #bad: BadLine[] = [];

  constructor(seqBefore: number, visitor: ScanVisitor) {
    this.#seq = seqBefore;
    this.#visitor = visitor;
  }

  /** Whole lines are not where they were written, or some are missing. */
  get isEdited(): boolean {
    return this.#isEdited;
  }

  /** A line that fails its checksum: `records` of them, as it seems; `givenSeq`: the highest seq of a whole record in it. */
  bad(damage: ScanDamage, records: number, givenSeq: number): void {
    this.#refusedSeq = Math.max(this.#refusedSeq, givenSeq);
    if (this.#suspect !== undefined) this.#accept(this.#suspect);
    this.#bad.push({ damage, records });
  }

  /** Damage that is no bad line: a whole line is where it does not belong. */
  report(damage: ScanDamage): void {
    this.#isEdited = true;
    this.#batch?.edit();
    this.#visitor.damage(damage);
  }

  /** In order, it counts. Otherwise it waits for the next line, or is refused. */
  item(item: OrderedItem): void {
    const suspect = this.#suspect;
    if (suspect !== undefined && item.last > this.#seq) {
      if (item.last > suspect.last) this.#accept(suspect);
      else if (item.last < suspect.first) this.#refuse(suspect);
    }
    const before = this.#suspect?.last ?? this.#seq;
    if (item.last <= before) {
      this.#refuse(item, before);
      return;
    }
    const gap = item.first - 1 - this.#seq;
    if (gap <= 0 || gap === this.#lostRecords()) this.#accept(item);
    else this.#suspect = item;
  }

  /** `sumBefore`: the checksum of the line before; `undefined`: that is damaged or unknown. */
  checkpoint(checkpoint: Checkpoint, line: ScannedLine, sumBefore: string | undefined): void {
    const { seq } = checkpoint.state;
    const isInPlace =
      checkpoint.place === undefined
        ? this.#mayFollow(seq)
        : isWrittenAt(checkpoint.place, line.offset, sumBefore);
    const suspect = this.#suspect;
    if (isInPlace && suspect !== undefined) {
      if (seq >= suspect.last) this.#accept(suspect);
      else this.#refuse(suspect);
    }
    if (!isInPlace || seq < this.#seq) {
      this.#refusedSeq = Math.max(this.#refusedSeq, seq);
      this.report({ ...placeOf(line), reason: { code: "misplaced-checkpoint", seq } });
      return;
    }
    this.#passTo(seq + 1, line.offset);
    this.#seq = seq;
    this.#closeBatch();
    this.#visitor.checkpoint(checkpoint, line);
  }

  /**
   * All lines were shown. `isTorn`: the last one is, so that the lines before it may be what a crash has left of a batch; `isSealed`: no crash can have hit this
   * file. Answers with the batch that is unfinished, as a crash may leave it, or with the highest seq that was given.
   */
  finish(
    isTorn: boolean,
    isSealed: boolean,
  ): { readonly unfinished: OpenBatch | undefined; readonly seq: number } {
    if (this.#suspect !== undefined) this.#accept(this.#suspect);
    const batch = this.#batch;
    if (isSealed) batch?.edit();
    const last = this.#seq + this.#lostRecords();
    if (batch?.isUnfinished(isTorn ? this.#seq : last, this.#refusedSeq) === true)
      return { unfinished: batch, seq: Math.max(batch.first - 1, this.#refusedSeq) };
    // The next record gets a seq behind the refused ones: then there are more missing than damaged lines.
    if (this.#refusedSeq > last) batch?.miss(this.#seq + 1);
    this.#reportBad();
    this.#closeBatch();
    return { unfinished: undefined, seq: Math.max(last, batch?.last ?? 0, this.#refusedSeq) };
  }

  #accept(item: OrderedItem): void {
    const { first, last, entry, line } = item;
    this.#suspect = undefined;
    this.#passTo(first, line.offset);
    this.#seq = last;
    if (this.#batch?.holds(first) === false) this.#closeBatch();
    if (entry?.batch !== undefined)
      this.#batch ??= new OpenBatch(entry.seq, entry.batch, line.offset, this.#missingUpTo);
    if (this.#batch === undefined) this.#serve(item);
    else this.#batch.add(item);
    if (this.#batch !== undefined && this.#seq >= this.#batch.last) this.#closeBatch();
  }

  /** `after`: the seq behind which it stands. */
  #refuse({ first, last, entry, line }: OrderedItem, after = this.#seq): void {
    if (this.#suspect?.line === line) this.#suspect = undefined;
    this.#refusedSeq = Math.max(this.#refusedSeq, entry === undefined ? last : batchEnd(entry));
    const reason: DamageReason =
      entry === undefined
        ? { code: "lost-out-of-order", first, last, after }
        : { code: "out-of-order", seq: first, after };
    this.report({ ...placeOf(line), reason });
    if (entry !== undefined) this.#visitor.refused?.(entry, line);
  }

  /** A checkpoint of an earlier version does not say where it was written: the records before it must lead to its seq. */
  #mayFollow(seq: number): boolean {
    return seq === this.#seq || seq === this.#suspect?.last || (this.#bad.length > 0 && seq > this.#seq);
  }

  /** The record `next` counts, or would: reports the bad lines before it, and the seqs that no line speaks of. */
  #passTo(next: number, offset: number): void {
    const damaged = this.#lostRecords();
    const isMissing = next - 1 - this.#seq > damaged;
    this.#reportBad(next);
    if (!isMissing) return;
    const first = this.#seq + 1;
    const reason = { code: "missing", first, last: next - 1, isBehindDamage: damaged > 0 } as const;
    this.report({ offset, bytes: 0, kind: "corrupt", reason });
    this.#missingUpTo = next - 1;
    this.#batch?.miss(first);
  }

  /** Bad lines that fill the gap before `next`, no more and no less, were the records that are missing. */
  #reportBad(next?: number): void {
    if (this.#bad.length === 0) return;
    const isKnown = next !== undefined && next - 1 - this.#seq === this.#lostRecords();
    let seq = this.#seq + 1;
    for (const { damage, records } of this.#bad) {
      this.#visitor.damage(isKnown ? { ...damage, seq } : damage);
      seq += records;
    }
    this.#bad = [];
  }

  #closeBatch(): void {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch === undefined) return;
    if (batch.isBroken) this.report(batch.damage());
    for (const item of batch.items) {
      const { entry, line } = item;
      if (batch.isBroken && entry !== undefined) this.#visitor.refused?.(entry, line);
      else this.#serve(item);
    }
  }

  #serve({ entry, first, last, line }: OrderedItem): void {
    if (entry === undefined) this.#visitor.lost?.({ first, last }, line);
    else this.#visitor.entry(entry, line);
  }

  #lostRecords(): number {
    if (this.#bad.length === 0) return 0;
    return this.#bad.reduce((sum, { records }) => sum + records, 0);
  }
}

export function placeOf({ offset, bytes }: ScannedLine): Omit<ScanDamage, "reason"> {
  return { offset, bytes, kind: "corrupt" };
}
