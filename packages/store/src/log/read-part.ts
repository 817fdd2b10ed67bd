/** The good records of one part of a log within a range of seqs, in either direction. Damage on the way is reported. */

import type { Entry } from "../record/entry.ts";
import { decodeLine } from "../record/decode.ts";
import { LogScanner, type ScanDamage, type ScannedLine, type ScanVisitor } from "../record/scan.ts";
import type { Checkpoint } from "../record/checkpoint.ts";
import { lineSum } from "../record/seal.ts";
import { splitGlued } from "../record/split-glued.ts";
import {
  checkpointBefore,
  lastCheckpoint,
  startOf,
  type FoundCheckpoint,
  type LineRange,
} from "./find-checkpoint.ts";
import { isInMember } from "./gzip-source.ts";
import { linesFrom, readHeaderLine, withHeaderReason, type HeaderLine } from "./header-line.ts";
import type { LogPart, OpenedPart } from "./log-part.ts";
import { readLines, readLinesBackwards } from "./read-lines.ts";
import { damageAtEnd, type SealedEnd } from "./sealed-end.ts";

export interface SeqBounds {
  readonly from: number;
  readonly to: number;
  readonly reverse: boolean;
}

export type OnPartDamage = (damage: ScanDamage, path: string) => void;

export async function* readPart(
  part: LogPart,
  opened: OpenedPart,
  { from, to, reverse }: SeqBounds,
  onDamage: OnPartDamage,
): AsyncIterable<Entry> {
  const first = Math.max(from, part.first);
  const last = Math.min(to, part.last);
  const { members = [] } = opened;
  const report = (damage: ScanDamage): void => {
    if (!isInMember(damage, members)) onDamage(damage, opened.path);
  };
  const entries = (reverse ? readBackwards : readForwards)(part, opened, first, last, report);
  let before = reverse ? Infinity : 0;
  for await (const entry of entries) {
    // Backwards, blocks are judged one by one: a run of lines that was moved from one to another must not be served out of order.
    if (entry.seq < first || entry.seq > last || (reverse ? entry.seq >= before : entry.seq <= before))
      continue;
    before = entry.seq;
    yield entry;
  }
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
  for await (const item of scanForwards(range, start, () => undefined)) {
    const itemSeq = "entry" in item ? item.entry.seq : item.checkpoint.state.seq;
    if (itemSeq > seq) break;
    if ("entry" in item) {
      entries.push(item.entry);
    } else {
      checkpoint = item.checkpoint;
      entries = [];
    }
  }
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
  part: LogPart,
  opened: OpenedPart,
  first: number,
  last: number,
  report: (damage: ScanDamage) => void,
): AsyncIterable<Entry> {
  const range = await linesOf(part, opened);
  const start = first > part.first ? await checkpointBefore(range, first) : undefined;
  for await (const item of scanForwards(range, start, report)) {
    if (!("entry" in item)) continue;
    if (item.entry.seq > last) return;
    yield item.entry;
  }
}

/**
 * Block by block, each from a checkpoint to the next. Which lines of a block count is decided forwards, as always;
 * then they are read backwards: so both directions give the same.
 */
async function* readBackwards(
  part: LogPart,
  opened: OpenedPart,
  first: number,
  last: number,
  report: (damage: ScanDamage) => void,
): AsyncIterable<Entry> {
  const range = await linesOf(part, opened);
  let next = last < part.last ? await endOfBlock(range, last) : undefined;
  do {
    const start = await lastCheckpoint({ ...range, to: next?.offset ?? range.to });
    const blockStart = start?.offset ?? range.from;
    const counting = new Set<number>();
    // The checkpoint behind the block is shown to the scanner, as it is when all is read forwards: it decides on the lines before it.
    const block = next === undefined ? range : { ...range, to: next.offset + next.bytes, sealed: undefined };
    for await (const item of scanForwards(block, start, report)) {
      if ("entry" in item) counting.add(item.offset);
    }
    for await (const lines of readLinesBackwards(range.source, blockStart, next?.offset ?? range.to)) {
      for (const line of lines) yield* countingIn(line, part.writtenBy, counting);
    }
    if (start !== undefined && start.checkpoint.state.seq < first) return;
    next = start;
  } while (next !== undefined);
}

/** Newest first. `counting`: where those lines begin that count. */
function countingIn(line: ScannedLine, writtenBy: string, counting: ReadonlySet<number>): readonly Entry[] {
  const { content } = line;
  if (content === undefined) return [];
  const pieces = splitGlued(line, content, writtenBy) ?? [line];
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
  for await (const item of scanForwards(range, start, () => undefined)) {
    if ("entry" in item || item.offset <= (start?.offset ?? range.from - 1)) continue;
    if (item.checkpoint.state.seq >= seq) return item;
  }
  return undefined;
}

type ScannedItem = { readonly entry: Entry; readonly offset: number } | FoundCheckpoint;

async function* scanForwards(
  range: PartLines,
  start: FoundCheckpoint | undefined,
  onDamage: (damage: ScanDamage) => void,
): AsyncIterable<ScannedItem> {
  let items: ScannedItem[] = [];
  let isDamaged = false;
  const report = (damage: ScanDamage): void => {
    isDamaged = true;
    onDamage(withHeaderReason(damage, range.header));
  };
  const visitor: ScanVisitor = {
    entry: (entry, { offset }) => items.push({ entry, offset }),
    checkpoint: (checkpoint, { offset, bytes }) => {
      isDamaged = false;
      items.push({ checkpoint, offset, bytes });
    },
    damage: report,
  };
  const isSealed = range.sealed !== undefined;
  const scanner = new LogScanner(range.writtenBy, { ...startOf(range, start), isSealed }, visitor);
  for await (const lines of readLines(range.source, start?.offset ?? range.from, range.to)) {
    for (const line of lines) scanner.line(line);
    yield* items;
    items = [];
  }
  const end = scanner.finish();
  yield* items;
  const sealed = range.sealed ?? { last: end.seq, bytes: range.to };
  const atEnd = damageAtEnd(end, range.source.size, sealed, isDamaged);
  if (atEnd !== undefined) report(atEnd);
}
