/**
 * Walks the lines of one session file after its header and says what each is worth. Pure: the caller owns the file
 * and the repair.
 *
 * Torn is not corrupt. A tail that ends in the middle of a line or of a batch is what a crash may leave ("torn": was
 * never a whole record). A whole line that fails its checksum was once good ("corrupt"): it is passed over, reported,
 * and the good lines around it are served.
 */

import { assertNever } from "../errors.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { decodeLine, type DecodedLine } from "./decode.ts";
import type { Entry } from "./entry.ts";

export interface ScannedLine {
  readonly offset: number;
  /** Without the newline. `undefined`: longer than any line of ours, so nobody kept it in memory. */
  readonly content: Buffer | undefined;
  /** With the newline, if there is one. */
  readonly bytes: number;
  readonly terminated: boolean;
}

export interface ScanDamage {
  readonly offset: number;
  readonly bytes: number;
  readonly kind: "torn" | "corrupt";
  readonly reason: string;
  /** The first record that was there, where the good ones around the place tell. */
  readonly seq?: number;
}

export interface ScanVisitor {
  entry(entry: Entry, offset: number): void;
  /** The state that all records before it have led to, damaged ones too. */
  checkpoint(checkpoint: Checkpoint, line: ScannedLine): void;
  damage(damage: ScanDamage): void;
}

export interface ScanEnd {
  /** Where the next record goes: after the last line that is kept. */
  readonly end: number;
  /** The seq of the last record, counting a damaged line at the end as one. */
  readonly seq: number;
  /** What lies behind `end` and only a writer may cut. */
  readonly torn: ScanDamage | undefined;
  /** The last line is whole but its newline is missing. */
  readonly unterminated: boolean;
}

interface BadLine {
  readonly damage: ScanDamage;
  /** How many records it seems to have been: two, if it was the newline between them that was hit. */
  readonly records: number;
}

interface HeldLine {
  readonly entry: Entry;
  readonly offset: number;
}

export class LogScanner {
  readonly #sessionId: string;
  readonly #visitor: ScanVisitor;
  #seq: number;
  #end: number;
  #unterminated = false;
  /** The lines of a batch whose last line has not come yet. */
  #batch: HeldLine[] = [];
  /** Bad lines since the last good one. Only the last can be torn. */
  #bad: BadLine[] = [];

  /** `seqBefore`: the last record before the first line. */
  constructor(sessionId: string, start: { offset: number; seqBefore: number }, visitor: ScanVisitor) {
    this.#sessionId = sessionId;
    this.#visitor = visitor;
    this.#end = start.offset;
    this.#seq = start.seqBefore;
  }

  line(line: ScannedLine): void {
    const { offset, bytes, content } = line;
    const decoded =
      content === undefined
        ? ({ kind: "bad", reason: "longer than any record" } as const)
        : decodeLine(content, this.#sessionId);
    if (decoded.kind === "bad") {
      if (this.#takeWithoutNewline(line)) return;
      const kind = line.terminated ? "corrupt" : "torn";
      this.#bad.push({
        damage: { offset, bytes, kind, reason: decoded.reason },
        records: recordsIn(content),
      });
      return;
    }
    this.#take(decoded, line);
    this.#end = offset + bytes;
    this.#unterminated = !line.terminated;
  }

  /** The last newline has become another byte: the record before it is whole, and no crash leaves such a thing. */
  #takeWithoutNewline(line: ScannedLine): boolean {
    if (line.terminated || line.content === undefined) return false;
    const content = line.content.subarray(0, -1);
    const decoded = decodeLine(content, this.#sessionId);
    if (decoded.kind === "bad") return false;
    const bytes = line.bytes - 1;
    this.#take(decoded, { ...line, content, bytes });
    this.#end = line.offset + bytes;
    this.#unterminated = true;
    const reason = "not a newline, where the last record ends";
    this.#visitor.damage({ offset: this.#end, bytes: 1, kind: "corrupt", reason });
    return true;
  }

  #take(decoded: Exclude<DecodedLine, { kind: "bad" }>, line: ScannedLine): void {
    switch (decoded.kind) {
      case "entry":
        this.#place(decoded.entry, line);
        return;
      case "checkpoint": {
        const { seq } = decoded.checkpoint.state;
        const gapIsExplained = this.#bad.length > 0;
        this.#settle(seq + 1);
        // One from before a record that is here already says less than we know.
        if (seq < this.#seq) return;
        if (seq > this.#seq && !gapIsExplained) this.#reportGap(seq + 1, line.offset);
        this.#seq = seq;
        this.#visitor.checkpoint(decoded.checkpoint, line);
        return;
      }
      case "lost":
        this.#settle(decoded.first);
        if (decoded.first <= this.#seq + 1) this.#seq = Math.max(this.#seq, decoded.last);
        return;
      case "aside":
        this.#settle();
        return;
      default:
        assertNever(decoded);
    }
  }

  /** There is a good line behind the last one that was shown, though not for this scan: nothing here is torn. */
  goOn(): void {
    this.#settle();
  }

  finish(): ScanEnd {
    const unfinished = this.#batch[0];
    const last = this.#bad.at(-1)?.damage;
    if (unfinished !== undefined && !this.#isWholeButDamaged()) {
      // Whole or not at all: bad lines behind an unfinished batch are part of its remains.
      const end = last === undefined ? this.#end : last.offset + last.bytes;
      const torn: ScanDamage = {
        offset: unfinished.offset,
        bytes: end - unfinished.offset,
        kind: "torn",
        reason: "an unfinished batch",
      };
      return { end: unfinished.offset, seq: unfinished.entry.seq - 1, torn, unterminated: false };
    }
    const torn = last?.kind === "torn" ? this.#bad.pop()?.damage : undefined;
    const lost = this.#lostRecords();
    const lastLost = this.#bad.at(-1)?.damage;
    this.#settle();
    if (lastLost === undefined)
      return { end: this.#end, seq: this.#seq, torn, unterminated: this.#unterminated };
    const lostEnd = lastLost.offset + lastLost.bytes;
    return {
      end: Math.max(this.#end, lostEnd),
      seq: this.#seq + lost,
      torn,
      // Behind the bad ones may be one whose seq was there before: what comes next must not be glued to it.
      unterminated: this.#unterminated && this.#end > lostEnd,
    };
  }

  /** All lines of the last batch are there, to the newline, some of them bad: it was whole once. */
  #isWholeButDamaged(): boolean {
    const size = this.#batch[0]?.entry.batch?.size ?? 0;
    return this.#batch.length + this.#lostRecords() >= size && this.#bad.at(-1)?.damage.kind === "corrupt";
  }

  #lostRecords(): number {
    return this.#bad.reduce((sum, { records }) => sum + records, 0);
  }

  #place(entry: Entry, { offset, bytes }: ScannedLine): void {
    if (entry.seq <= this.#seq) {
      const reason = `seq ${entry.seq} again, after seq ${this.#seq}`;
      this.#visitor.damage({ offset, bytes, kind: "corrupt", reason });
      return;
    }
    const gapIsExplained = this.#bad.length > 0;
    const continuesBatch = entry.batch?.index === this.#batch.length + 1 && this.#batch.length > 0;
    if (!continuesBatch || gapIsExplained) this.#settle(entry.seq);
    if (entry.seq > this.#seq + 1 && !gapIsExplained) this.#reportGap(entry.seq, offset);
    this.#seq = entry.seq;
    const heldBack = entry.batch !== undefined && (continuesBatch || entry.batch.index === 1);
    if (!heldBack) {
      this.#visitor.entry(entry, offset);
      return;
    }
    this.#batch.push({ entry, offset });
    if (entry.batch.index === entry.batch.size) this.#settle();
  }

  /**
   * Serves what was held back and reports the bad lines that now have good ones behind them. `next`: the seq of the next
   * good record. Bad lines that fill the gap before it, no more and no less, were the records that are missing.
   */
  #settle(next?: number): void {
    for (const { entry, offset } of this.#batch) this.#visitor.entry(entry, offset);
    this.#batch = [];
    const isKnown = next !== undefined && next - 1 - this.#seq === this.#lostRecords();
    let seq = this.#seq + 1;
    for (const { damage, records } of this.#bad) {
      this.#visitor.damage(isKnown ? { ...damage, seq } : damage);
      seq += records;
    }
    this.#bad = [];
  }

  #reportGap(seq: number, offset: number): void {
    const first = this.#seq + 1;
    const reason = first === seq - 1 ? `seq ${first} is missing` : `seq ${first} to ${seq - 1} are missing`;
    this.#visitor.damage({ offset, bytes: 0, kind: "corrupt", reason });
  }
}

/** Where one record ends and, behind whatever the newline has become, the next begins. */
const SEAM = /"crc":"[0-9a-f]{8}"\}[^]\{"seq":/g;

function recordsIn(content: Buffer | undefined): number {
  return 1 + (content?.toString("latin1").match(SEAM)?.length ?? 0);
}
