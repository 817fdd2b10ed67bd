/** The good records of one part of a log within a range of seqs, in either direction. Damage on the way is reported. */

import type { Entry } from "../format/entry.ts";
import { decodeLine } from "../format/decode.ts";
import { LogScanner, type ScanDamage, type ScannedLine } from "../format/scan.ts";
import type { Checkpoint } from "../format/checkpoint.ts";
import { lineSum, type EncodedText } from "../format/line-checksum.ts";
import { entryOf } from "../format/records-in-order.ts";
import { splitGlued } from "../format/split-glued.ts";
import {
  checkpointBefore,
  lastCheckpoint,
  startOf,
  type FoundCheckpoint,
  type LineRange,
} from "./find-checkpoint.ts";
import { isInMember, memberDamage } from "./gzip-damage.ts";
import { linesFrom, readHeaderLine, withHeaderReason, type HeaderLine } from "./header-line.ts";
import type { LogPart, OpenedPart } from "./log-part.ts";
import { ordinaryBlock } from "./ordinary-block.ts";
import { readLines, readLinesBackwards } from "./read-lines.ts";
import { damageAtEnd, type SealedEnd } from "./sealed-end.ts";
import { TailBytes } from "./tail-bytes.ts";

export interface SeqBounds {
  readonly from: number;
  readonly to: number;
  readonly reverse: boolean;
}

export type OnPartDamage = (damage: ScanDamage, path: string) => void;

/** In blocks: arrays of entries, none of them empty. */
export async function* readPart(
  part: LogPart,
  opened: OpenedPart,
  { from, to, reverse }: SeqBounds,
  onDamage: OnPartDamage,
): AsyncIterable<readonly Entry[]> {
  const first = Math.max(from, part.first);
  const last = Math.min(to, part.last);
  const { members = [] } = opened;
  let told = members.length;
  // A member is unpacked when it is read: only then it is known to be damaged.
  const tellMembers = (): void => {
    for (; told < members.length; told++) {
      const member = members[told];
      if (member !== undefined) onDamage(memberDamage(member), opened.path);
    }
  };
  const report = (damage: ScanDamage): void => {
    tellMembers();
    if (!isInMember(damage, members)) onDamage(damage, opened.path);
  };
  const range = await linesOf(part, opened);
  if (reverse) yield* readBackwards(range, part, first, last, report);
  else yield* readForwards(range, part, first, last, report);
  tellMembers();
}

/** What a scan of the part leads to, from the checkpoint before `seq` up to that record. */
export interface PartState {
  readonly checkpoint: Checkpoint | undefined;
  /** The entries behind that checkpoint, up to `seq`. */
  readonly entries: readonly Entry[];
}

export async function readPartState(part: LogPart, opened: OpenedPart, seq: number): Promise<PartState> {
  const range = await linesOf(part, opened);
  const start = await checkpointBefore(range, seq + 1);
  let checkpoint = start?.checkpoint;
  let entries: Entry[] = [];
  let isBeyond = false;
  const scan = new ForwardScan(range, start, {
    entry: (entry) => {
      isBeyond ||= entry.seq > seq;
      if (!isBeyond) entries.push(entry);
    },
    checkpoint: (found) => {
      isBeyond ||= found.checkpoint.state.seq > seq;
      if (isBeyond) return;
      checkpoint = found.checkpoint;
      entries = [];
    },
  });
  await scan.run(() => isBeyond);
  return { checkpoint, entries };
}

interface PartLines extends LineRange {
  readonly header: HeaderLine;
  /** Of a sealed file: where it ends. */
  readonly sealed: SealedEnd | undefined;
}

/** Without the header line. */
async function linesOf(part: LogPart, { source }: OpenedPart): Promise<PartLines> {
  const header = await readHeaderLine(source);
  const to = Math.min(part.bytes, source.size);
  const from = Math.min(linesFrom(header), to);
  const sumBefore = from === 0 ? undefined : lineSum(header.content);
  const sealed = part.sum === undefined ? undefined : { last: part.last, bytes: part.bytes };
  const { writtenBy, first } = part;
  return { source, writtenBy, from, to, seqBefore: first - 1, sumBefore, header, sealed };
}

async function* readForwards(
  range: PartLines,
  part: LogPart,
  first: number,
  last: number,
  report: (damage: ScanDamage) => void,
): AsyncIterable<readonly Entry[]> {
  const start = first > part.first ? await checkpointBefore(range, first) : undefined;
  let entries: Entry[] = [];
  let before = first - 1;
  const reached = { isBeyond: false };
  const entry = (next: Entry): void => {
    reached.isBeyond ||= next.seq > last;
    if (reached.isBeyond || next.seq <= before) return;
    before = next.seq;
    entries.push(next);
  };
  const scan = new ForwardScan(range, start, { entry, damage: report });
  for (let isMore = true; isMore && !reached.isBeyond;) {
    isMore = await scan.next();
    if (entries.length > 0) yield entries;
    entries = [];
  }
}

/** A longer block is read a second time, backwards, instead of being held in memory. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;

/**
 * Block by block, each from a checkpoint to the next. Which lines of a block count is decided forwards, as always;
 * then they are given backwards: so both directions give the same.
 */
async function* readBackwards(
  range: PartLines,
  part: LogPart,
  first: number,
  last: number,
  damage: (damage: ScanDamage) => void,
): AsyncIterable<readonly Entry[]> {
  let next = last < part.last ? await endOfBlock(range, last) : undefined;
  let before = last + 1;
  /** Blocks are judged one by one: a run of lines that was moved from one to another must not be served out of order. */
  const inOrder = ({ seq }: Entry): boolean => {
    if (seq < first || seq >= before) return false;
    before = seq;
    return true;
  };
  do {
    const to = next?.offset ?? range.to;
    const tail = new TailBytes(range.source, to, MAX_HELD_BYTES);
    const start = await lastCheckpoint({ ...range, source: tail, to });
    const from = start?.offset ?? range.from;
    const ordinary = await ordinaryBlock(range, tail, start, (seq) => isBlockEnd(range, next, seq));
    // The checkpoint behind the block is shown to the scanner, as it is when all is read forwards: it decides on the lines before it.
    const block = next === undefined ? range : { ...range, to: next.offset + next.bytes, sealed: undefined };
    const blocks = to - from <= MAX_HELD_BYTES ? reversedBlock : reversedLines;
    for await (const entries of ordinary === undefined
      ? blocks(block, start, { from, to }, damage)
      : backwards(ordinary)) {
      const given = entries.filter(inOrder);
      if (given.length > 0) yield given;
    }
    if (start !== undefined && start.checkpoint.state.seq < first) return;
    next = start;
  } while (next !== undefined);
}

/** No record is missing behind this one, which is the last before the checkpoint, or in the part. */
function isBlockEnd({ sealed, source }: PartLines, next: FoundCheckpoint | undefined, seq: number): boolean {
  if (next !== undefined) return seq === next.checkpoint.state.seq;
  return sealed === undefined || (seq >= sealed.last && source.size >= sealed.bytes);
}

/** So many become entries at a time: who reads backwards mostly wants few. */
const BLOCK_ENTRIES = 64;

function* backwards(records: readonly EncodedText[]): Iterable<readonly Entry[]> {
  for (let end = records.length; end > 0; end -= BLOCK_ENTRIES)
    yield records
      .slice(Math.max(0, end - BLOCK_ENTRIES), end)
      .map(entryOf)
      .reverse();
}

async function* reversedBlock(
  block: PartLines,
  start: FoundCheckpoint | undefined,
  _: unknown,
  damage: (damage: ScanDamage) => void,
): AsyncIterable<readonly Entry[]> {
  const entries: Entry[] = [];
  await new ForwardScan(block, start, { entry: (entry) => entries.push(entry), damage }).run();
  yield entries.reverse();
}

/** The same for a block of any length. */
async function* reversedLines(
  block: PartLines,
  start: FoundCheckpoint | undefined,
  { from, to }: { readonly from: number; readonly to: number },
  damage: (damage: ScanDamage) => void,
): AsyncIterable<readonly Entry[]> {
  const counting = new Set<number>();
  const entry = (_: Entry, { offset }: ScannedLine): unknown => counting.add(offset);
  await new ForwardScan(block, start, { entry, damage }).run();
  for await (const lines of readLinesBackwards(block.source, from, to))
    yield lines.flatMap((line) => countingIn(line, block.writtenBy, counting));
}

/** Newest first. `counting`: where those lines begin that count. */
function countingIn(line: ScannedLine, writtenBy: string, counting: ReadonlySet<number>): readonly Entry[] {
  const { content } = line;
  if (content === undefined) return [];
  const pieces = splitGlued(line, writtenBy) ?? [line];
  return pieces.toReversed().flatMap(({ offset, content: piece = content }) => {
    if (!counting.has(offset)) return [];
    const whole = decodeLine(piece, writtenBy);
    // It counts, so that only what should be its newline can be wrong.
    const decoded = whole.kind === "bad" ? decodeLine(piece.subarray(0, -1), writtenBy) : whole;
    return decoded.kind === "entry" ? [decoded.entry] : [];
  });
}

/** The checkpoint behind the block that holds this record, or a later one; `undefined`: the part ends with that block. */
async function endOfBlock(range: PartLines, seq: number): Promise<FoundCheckpoint | undefined> {
  const start = await checkpointBefore(range, seq + 1);
  const behind = start?.offset ?? range.from - 1;
  let end: FoundCheckpoint | undefined;
  const checkpoint = (found: FoundCheckpoint): void => {
    if (found.offset > behind && found.checkpoint.state.seq >= seq) end ??= found;
  };
  await new ForwardScan(range, start, { checkpoint }).run(() => end !== undefined);
  return end;
}

/** Who is told what counts, in its order. */
interface PartVisitor {
  readonly entry?: (entry: Entry, line: ScannedLine) => unknown;
  readonly checkpoint?: (found: FoundCheckpoint) => void;
  readonly damage?: (damage: ScanDamage) => void;
}

/** A scan of a range, a chunk's worth of lines at a time: what counts is told to the visitor. */
class ForwardScan {
  readonly #range: PartLines;
  readonly #visitor: PartVisitor;
  readonly #scanner: LogScanner;
  readonly #chunks: AsyncIterator<readonly ScannedLine[]>;
  #isDamaged = false;

  constructor(range: PartLines, start: FoundCheckpoint | undefined, visitor: PartVisitor) {
    this.#range = range;
    this.#visitor = visitor;
    const isSealed = range.sealed !== undefined;
    this.#scanner = new LogScanner(
      range.writtenBy,
      { ...startOf(range, start), isSealed },
      {
        entry: visitor.entry ?? ((): void => undefined),
        checkpoint: (checkpoint, { offset, bytes }) => {
          this.#isDamaged = false;
          visitor.checkpoint?.({ checkpoint, offset, bytes });
        },
        damage: (damage) => this.#report(damage),
      },
    );
    const from = start?.offset ?? range.from;
    this.#chunks = readLines(range.source, from, range.to)[Symbol.asyncIterator]();
  }

  /** False: the visitor knows all. It may have been told of more in this last call. */
  async next(): Promise<boolean> {
    const chunk = await this.#chunks.next();
    if (chunk.done === true) {
      this.#finish();
      return false;
    }
    for (const line of chunk.value) this.#scanner.line(line);
    return true;
  }

  /** To the end of the range, or until it is enough. */
  async run(isEnough: () => boolean = () => false): Promise<void> {
    while (!isEnough() && (await this.next()));
  }

  #finish(): void {
    const { sealed, to, source } = this.#range;
    const end = this.#scanner.finish();
    const atEnd = damageAtEnd(end, source.size, sealed ?? { last: end.seq, bytes: to }, this.#isDamaged);
    if (atEnd !== undefined) this.#report(atEnd);
  }

  #report(damage: ScanDamage): void {
    this.#isDamaged = true;
    this.#visitor.damage?.(withHeaderReason(damage, this.#range.header));
  }
}
