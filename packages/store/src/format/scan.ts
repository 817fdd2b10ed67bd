/**
 * Decides which lines of one session file count. Opening, reading, verify and repair all ask this scanner, so that they come to the same
 * decision in the same words. Pure: the caller owns the file and the repair.
 *
 * Torn is not corrupt. A tail that ends in the middle of a line or of a batch is what a crash may leave ("torn": was never a whole record). A
 * line that fails its checksum was once good ("corrupt"): it is passed over, reported, and the good lines around it are served.
 *
 * A whole line may also stand where it was not written: copied, moved, glued to another, or others around it removed. Seqs rise by one, so a
 * line that does not fit is held back until the next one tells whether records are missing before it or it is out of order. What is refused
 * stays in the file, and its seq is not given again.
 */

import { assertNever } from "../errors.ts";
import type { LineReason } from "./damage-reason.ts";
import { decodeLine, decodeOrdinaryLine, type GoodLine } from "./decode.ts";
import { LineOrder, placeOf } from "./line-order.ts";
import { LineInChunk, type ScanDamage, type ScannedLine, type ScanVisitor } from "./scan-visitor.ts";
import { lineSum } from "./line-checksum.ts";
import { salvagedSeq } from "./salvage-lines.ts";
import { piecesOf, splitGlued } from "./split-glued.ts";

export type { ScanDamage, ScannedLine, ScanVisitor };

export interface ScanStart {
  readonly offset: number;
  /** The last record before the first line. */
  readonly seqBefore: number;
  /** The checksum of the line before the first one; `undefined`: unknown. */
  readonly sumBefore?: string | undefined;
  /** A sealed file was synced whole: what is missing at its end was not left out by a crash. */
  readonly isSealed?: boolean;
}

export interface ScanEnd {
  /** Where the next record goes: after the last line that is kept. */
  readonly end: number;
  /** The highest seq that was given, as far as the lines tell: of damaged lines at the end and of refused ones too. */
  readonly seq: number;
  /** What lies behind `end` and only a writer may cut. */
  readonly torn: ScanDamage | undefined;
  /** The last line is whole but its newline is missing. */
  readonly unterminated: boolean;
}

export class LogScanner {
  readonly #sessionId: string;
  readonly #visitor: ScanVisitor;
  readonly #order: LineOrder;
  readonly #isSealed: boolean;
  #end: number;
  #unterminated = false;
  /** What may be the beginning of a record: the last line, without its newline. */
  #torn: ScanDamage | undefined;
  /** The last line, if it is good: its checksum is what the next checkpoint is compared with. */
  #lineBefore: ScannedLine | undefined;
  /** Before the first line. `undefined`: unknown. */
  readonly #sumBeforeFirst: string | undefined;
  #isFirst = true;

  constructor(sessionId: string, start: ScanStart, visitor: ScanVisitor) {
    this.#sessionId = sessionId;
    this.#visitor = visitor;
    this.#order = new LineOrder(start.seqBefore, visitor);
    this.#end = start.offset;
    this.#sumBeforeFirst = start.sumBefore;
    this.#isSealed = start.isSealed ?? false;
  }

  /** Whole lines are not where they were written, or some are missing: what is before the start of this scan may be so, too. */
  get isEdited(): boolean {
    return this.#order.isEdited;
  }

  line(line: ScannedLine): void {
    const reason = this.#takeIfGood(line);
    if (reason === undefined) return;
    const { content } = line;
    if (content !== undefined && (this.#takeWithoutNewline(line) || this.#takeGlued(line))) return;
    this.#addBad(line, reason);
  }

  /** Takes the line if it is good. Otherwise takes nothing and answers with the reason why it is not. */
  #takeIfGood(line: ScannedLine): LineReason | undefined {
    if (line instanceof LineInChunk && this.#isOrdinary(line)) {
      this.#order.item(line);
    } else {
      if (line.content === undefined) return { code: "too-long" };
      const decoded = decodeLine(line.content, this.#sessionId);
      if (decoded.kind === "bad") return decoded.reason;
      this.#take(decoded, line);
    }
    this.#lineBefore = line;
    this.#isFirst = false;
    this.#end = line.offset + line.bytes;
    this.#unterminated = !line.terminated;
    return undefined;
  }

  #isOrdinary(line: LineInChunk): boolean {
    line.entry = decodeOrdinaryLine(line, this.#sessionId);
    return line.entry !== undefined;
  }

  #addBad(line: ScannedLine, reason: LineReason): void {
    const { offset, bytes, terminated } = line;
    this.#lineBefore = undefined;
    this.#isFirst = false;
    if (!terminated) {
      this.#torn = { offset: this.#end, bytes: offset + bytes - this.#end, kind: "torn", reason };
      return;
    }
    const damage: ScanDamage = { offset, bytes, kind: "corrupt", reason };
    this.#order.bad(damage, piecesOf(line).length, salvagedSeq(line, this.#sessionId));
    this.#end = offset + bytes;
    this.#unterminated = false;
  }

  /** The last newline has become another byte: the record before it is whole, and no crash leaves such a thing. */
  #takeWithoutNewline(line: ScannedLine): boolean {
    if (line.terminated || line.content === undefined) return false;
    const whole = { ...line, content: line.content.subarray(0, -1), bytes: line.bytes - 1 };
    if (this.#takeIfGood(whole) !== undefined) return false;
    const reason = { code: "no-newline-at-end" } as const;
    this.#visitor.damage({ offset: this.#end, bytes: 1, kind: "corrupt", reason });
    return true;
  }

  /** The newline between two lines is gone, or has become another byte: each counts by its own checksum. */
  #takeGlued(line: ScannedLine): boolean {
    const pieces = splitGlued(line, this.#sessionId);
    if (pieces === undefined) return false;
    this.#order.report({ ...placeOf(line), reason: { code: "glued", lines: pieces.length } });
    for (const piece of pieces) {
      const reason = this.#takeIfGood(piece);
      if (reason === undefined) continue;
      this.#addBad(piece, reason);
      // If the rest is cut, what is before it needs a newline.
      if (!piece.terminated) this.#unterminated = true;
    }
    return true;
  }

  #take(decoded: GoodLine, line: ScannedLine): void {
    switch (decoded.kind) {
      case "entry": {
        const { entry } = decoded;
        this.#order.item({ first: entry.seq, last: entry.seq, entry, line });
        break;
      }
      case "lost":
        this.#order.item({ first: decoded.first, last: decoded.last, entry: undefined, line });
        break;
      case "checkpoint":
        this.#order.checkpoint(decoded.checkpoint, line, this.#sumBefore());
        break;
      case "header":
        this.#order.report({ ...placeOf(line), reason: { code: "stray-header" } });
        this.#visitor.header?.(decoded.header, line);
        break;
      case "aside":
        this.#visitor.aside?.(line);
        break;
      default:
        assertNever(decoded);
    }
  }

  /** `undefined`: the line before is damaged or unknown, and proves nothing. */
  #sumBefore(): string | undefined {
    if (this.#isFirst) return this.#sumBeforeFirst;
    const content = this.#lineBefore?.content;
    return content === undefined ? undefined : lineSum(content);
  }

  finish(): ScanEnd {
    const torn = this.#torn;
    const { unfinished, seq } = this.#order.finish(torn !== undefined, this.#isSealed);
    if (unfinished === undefined) return { end: this.#end, seq, torn, unterminated: this.#unterminated };
    // Whole or not at all: bad lines behind an unfinished batch are part of its remains.
    const { offset } = unfinished;
    const end = torn === undefined ? this.#end : torn.offset + torn.bytes;
    const reason = { code: "unfinished-batch" } as const;
    const rest: ScanDamage = { offset, bytes: end - offset, kind: "torn", reason };
    return { end: offset, seq, torn: rest, unterminated: false };
  }
}
