/** What a journal holds: the records of its head's generation, block after block. Pure: takes the bytes of the file. */

import { decodeBlock, isForgedBlock, readFirstLine, type JournalRecord } from "./block.ts";
import { decodeHead, HEAD_BYTES, type JournalHead } from "./head.ts";
import { decodeFlippedBlock } from "./flipped-block.ts";

export interface JournalContents {
  readonly head: JournalHead;
  readonly records: readonly JournalRecord[];
  /** Behind the last valid block. */
  readonly end: number;
  /** Something no ordinary crash leaves; what was acknowledged may be missing. */
  readonly damage: { readonly offset: number; readonly reason: string } | undefined;
}

/** `undefined`: neither copy of the head is readable. */
export function readJournal(bytes: Buffer): JournalContents | undefined {
  const found = decodeHead(bytes);
  if (found === undefined) return undefined;
  const head = newerThanItsHead(bytes, found) ?? found;
  const { records, end, number, flipped } = readBlocks(bytes, head);
  const later = laterBlock(bytes, end, head, number);
  const reason =
    head !== found
      ? `its head is damaged (generation ${found.generation}, blocks of ${head.generation})`
      : isForgedBlock(bytes, end, head, number)
        ? `block ${number} has a right checksum, but names what is not ours`
        : later !== undefined
          ? `block ${number} is damaged, block ${later} behind it is not`
          : flipped !== undefined
            ? `one bit of block ${flipped} was turned; its checksums tell which, so nothing of it is lost`
            : undefined;
  return { head, records, end, damage: reason === undefined ? undefined : { offset: end, reason } };
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

/** The blocks of the head's generation, up to the first that is not one. */
export function readBlocks(bytes: Buffer, head: JournalHead): ReadBlocks {
  const records: JournalRecord[] = [];
  let end = HEAD_BYTES;
  let flipped: number | undefined;
  for (let number = 1; ; number++) {
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

/** One write is in flight at a time, so a crash can ruin the last block only: a valid later one proves damage. */
function laterBlock(bytes: Buffer, from: number, head: JournalHead, missing: number): number | undefined {
  const start = Buffer.from(`{"generation":${head.generation},"block":`);
  for (let at = bytes.indexOf(start, from); at !== -1; at = bytes.indexOf(start, at + 1)) {
    const first = readFirstLine(bytes, at);
    if (first === undefined || first.number <= missing) continue;
    if (decodeBlock(bytes, at, head, first.number) !== undefined) return first.number;
  }
  return undefined;
}
