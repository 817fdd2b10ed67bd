/** The good records of one part of a log within a range of seqs, in either direction. Damage on the way is reported. */

import type { Entry } from "../record/entry.ts";
import { decodeLine } from "../record/decode.ts";
import { LogScanner, type ScanDamage, type ScanVisitor } from "../record/scan.ts";
import type { Checkpoint } from "../record/checkpoint.ts";
import { checkpointBefore, lastCheckpoint, type FoundCheckpoint, type LineRange } from "./find-checkpoint.ts";
import { readHeaderLine } from "./header-line.ts";
import type { LogPart, OpenedPart } from "./log-part.ts";
import { readLines, readLinesBackwards } from "./read-lines.ts";

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
  const report = (damage: ScanDamage): void => onDamage(damage, opened.path);
  const entries = (reverse ? readBackwards : readForwards)(part, opened, first, last, report);
  for await (const entry of entries) if (entry.seq >= first && entry.seq <= last) yield entry;
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
  for await (const item of scanForwards(part, range, start, () => undefined)) {
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

/** Without the header line. */
async function linesOf(part: LogPart, { source }: OpenedPart): Promise<LineRange> {
  const { bytes } = await readHeaderLine(source);
  const to = Math.min(part.bytes, source.size);
  return { source, writtenBy: part.writtenBy, from: Math.min(bytes, to), to, seqBefore: part.first - 1 };
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
  for await (const item of scanForwards(part, range, start, report)) {
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
  let end = last < part.last ? await endOfBlock(range, last) : range.to;
  while (end > range.from) {
    const block = { ...range, to: end };
    const start = await lastCheckpoint(block);
    const counting = new Set<number>();
    // A block that does not end the part ends at a checkpoint.
    for await (const item of scanForwards(part, block, start, report, end < range.to)) {
      if ("entry" in item) counting.add(item.offset);
    }
    const blockStart = start?.offset ?? range.from;
    for await (const lines of readLinesBackwards(range.source, blockStart, end)) {
      for (const { offset, content } of lines) {
        if (!counting.has(offset) || content === undefined) continue;
        const whole = decodeLine(content, part.writtenBy);
        // It counts, so that only what should be its newline can be wrong.
        const decoded = whole.kind === "bad" ? decodeLine(content.subarray(0, -1), part.writtenBy) : whole;
        if (decoded.kind === "entry") yield decoded.entry;
      }
    }
    if (start !== undefined && start.checkpoint.state.seq < first) return;
    end = blockStart;
  }
}

/** Where the block ends that holds this record, or a later one. */
async function endOfBlock(range: LineRange, seq: number): Promise<number> {
  const start = await checkpointBefore(range, seq + 1);
  const from = start?.offset ?? range.from;
  for await (const item of scanForwards({ first: 1 }, range, start, () => undefined)) {
    if (!("entry" in item) && item.offset > from && item.checkpoint.state.seq >= seq) return item.offset;
  }
  return range.to;
}

type ScannedItem =
  | { readonly entry: Entry; readonly offset: number }
  | { readonly checkpoint: Checkpoint; readonly offset: number };

async function* scanForwards(
  part: Pick<LogPart, "first">,
  range: LineRange,
  start: FoundCheckpoint | undefined,
  report: (damage: ScanDamage) => void,
  isFollowed = false,
): AsyncIterable<ScannedItem> {
  let items: ScannedItem[] = [];
  const visitor: ScanVisitor = {
    entry: (entry, offset) => items.push({ entry, offset }),
    checkpoint: (checkpoint, { offset }) => items.push({ checkpoint, offset }),
    damage: report,
  };
  const offset = start?.offset ?? range.from;
  const seqBefore = start?.checkpoint.state.seq ?? part.first - 1;
  const scanner = new LogScanner(range.writtenBy, { offset, seqBefore }, visitor);
  for await (const lines of readLines(range.source, offset, range.to)) {
    for (const line of lines) scanner.line(line);
    yield* items;
    items = [];
  }
  if (isFollowed) scanner.goOn();
  const { torn } = scanner.finish();
  yield* items;
  // The range ends where a write has ended; what is torn there was whole once.
  if (torn !== undefined) report({ ...torn, kind: "corrupt" });
}
