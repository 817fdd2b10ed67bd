/** What a journal holds: the records of its head's generation, block after block. Pure: takes the bytes of the file. */

import { decodeBlock, isForgedBlock, readFirstLine, type JournalRecord } from "./block.ts";
import { decodeHead, HEAD_BYTES, type JournalHead } from "./head.ts";
import { decodeFlippedBlock } from "./flipped-block.ts";
import { withLosses, type RecordRun } from "./lost-blocks.ts";
import { nextBlock, SearchBudget } from "./next-block.ts";

export interface JournalContents {
  readonly head: JournalHead;
  readonly records: readonly JournalRecord[];
  /** Behind the last valid block. */
  readonly end: number;
  /** Something no ordinary crash leaves; what was acknowledged may be missing. `offset`: of the first place. */
  readonly damage: { readonly offset: number; readonly reason: string } | undefined;
}

/** `undefined`: neither copy of the head is readable. */
export function readJournal(bytes: Buffer): JournalContents | undefined {
  const found = decodeHead(bytes);
  if (found === undefined) return undefined;
  const head = newerThanItsHead(bytes, found) ?? found;
  const { records, end, flipped, places } = readAllBlocks(bytes, head);
  const reason =
    head !== found
      ? `its head is damaged (generation ${found.generation}, blocks of ${head.generation})`
      : places.length > 0
        ? places.map(({ reason }) => reason).join("; ")
        : flipped !== undefined
          ? `one bit of block ${flipped} was turned; its checksums tell which, so nothing of it is lost`
          : undefined;
  const offset = places[0]?.offset ?? end;
  return { head, records, end, damage: reason === undefined ? undefined : { offset, reason } };
}

interface DamagedPlace {
  readonly offset: number;
  readonly reason: string;
}

interface AllBlocks {
  readonly records: readonly JournalRecord[];
  readonly end: number;
  readonly flipped: number | undefined;
  readonly places: readonly DamagedPlace[];
}

/**
 * One write is in flight at a time, so a crash can ruin the last block only: a valid one behind a damaged one proves that
 * the damaged one was whole once, and was acknowledged itself.
 */
function readAllBlocks(bytes: Buffer, head: JournalHead): AllBlocks {
  const runs: RecordRun[] = [];
  let lost = 0;
  const places: DamagedPlace[] = [];
  const budget = new SearchBudget(bytes.length);
  let flipped: number | undefined;
  for (let run = readBlocks(bytes, head); ;) {
    runs.push({ records: run.records, lost });
    flipped ??= run.flipped;
    const { end, number } = run;
    const next = nextBlock(bytes, end, head, number, budget);
    const reason = isForgedBlock(bytes, end, head, number)
      ? `block ${number} has a right checksum, but names what is not ours`
      : next !== undefined
        ? damagedText(number, next.number)
        : budget.isSpent
          ? `block ${number} is damaged, and what lies behind it is too much to look through`
          : undefined;
    if (reason !== undefined) places.push({ offset: end, reason });
    if (next === undefined) return { records: withLosses(runs), end, flipped, places };
    lost += next.offset - end;
    run = readBlocks(bytes, head, next.offset, next.number);
  }
}

function damagedText(first: number, next: number): string {
  if (next === first) return `something that is no block stands before block ${first}`;
  return next === first + 1
    ? `block ${first} is damaged, block ${next} behind it is not`
    : `blocks ${first} to ${next - 1} are damaged, block ${next} behind them is not`;
}

export interface ReadBlocks {
  readonly records: readonly JournalRecord[];
  /** Behind the last valid block. */
  readonly end: number;
  /** That of the block which would come next. */
  readonly number: number;
  /** The first one of which a bit had to be turned back. */
  readonly flipped: number | undefined;
}

/** The blocks of the head's generation from this one on, up to the first that is not one. */
export function readBlocks(
  bytes: Buffer,
  head: JournalHead,
  start: number = HEAD_BYTES,
  first: number = 1,
): ReadBlocks {
  const records: JournalRecord[] = [];
  let end = start;
  let flipped: number | undefined;
  for (let number = first; ; number++) {
    const whole = decodeBlock(bytes, end, head, number);
    const block = whole ?? decodeFlippedBlock(bytes, end, head, number);
    if (block === undefined) return { records, end, number, flipped };
    if (whole === undefined) flipped ??= number;
    for (const record of block.records) records.push(record);
    end += block.bytes;
  }
}

/**
 * A generation's first block is written only after its head is durable. A valid one of a later generation than the
 * head names means that the newer copy of the head was ruined since.
 */
function newerThanItsHead(bytes: Buffer, head: JournalHead): JournalHead | undefined {
  const first = readFirstLine(bytes, HEAD_BYTES);
  if (first === undefined || first.generation <= head.generation) return undefined;
  const newer = { ...head, generation: first.generation };
  return decodeBlock(bytes, HEAD_BYTES, newer, 1) === undefined ? undefined : newer;
}
