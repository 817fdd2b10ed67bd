/**
 * Which records of a journal belong into a session file as it is now. A record belongs behind the line it was written
 * after, and over nothing but itself. If another program has put an older file back, or another writer has gone on from
 * there, the file holds another history: writing the record would mix the two, so it is a stray.
 *
 * Only a whole line proves another history. Damaged bytes before a record, or where it goes, are damage: the record is
 * written as if they were right.
 */

import type { OpenFile } from "../host/host.ts";
import { endsWithSum, LINE_END_BYTES } from "../format/last-sum.ts";
import { checkLine } from "../format/line-checksum.ts";
import { patchesInReach, type Patch } from "./byte-source.ts";
import { FileWindow } from "./file-window.ts";

export interface FittedRecords<P extends Patch> {
  /** In the order of their offsets. */
  readonly fits: readonly P[];
  /** Of another history, or for a position behind the end of the file; in the order of their offsets. */
  readonly strays: readonly P[];
}

/**
 * `records`: of any number of journals, each in its own order. They are judged in the order of their offsets: what one
 * writes is what the next one is written after, whichever journal holds it.
 */
export async function fitRecords<P extends Patch>(
  file: OpenFile,
  size: number,
  sessionId: string,
  given: readonly P[],
): Promise<FittedRecords<P>> {
  const records = given.toSorted((one, other) => one.offset - other.offset);
  const there = new FileWindow(file, size);
  const taken = new TakenRanges();
  const fits: P[] = [];
  const strays = new Set<P>();
  for (const record of records) {
    const isFitting =
      record.after === undefined ||
      ((await isBehind(there, taken, record, record.after, sessionId)) &&
        (await isOverNothingElse(there, taken, record, sessionId)));
    if (isFitting) {
      taken.add(record);
      fits.push(record);
    } else strays.add(record);
  }
  const inReach = new Set(patchesInReach(size, fits));
  return {
    fits: fits.filter((record) => inReach.has(record)),
    strays: records.filter((record) => strays.has(record) || !inReach.has(record)),
  };
}

async function isBehind(
  there: FileWindow,
  taken: TakenRanges,
  { offset }: Patch,
  after: string,
  sessionId: string,
): Promise<boolean> {
  const before = taken.at(offset - 1);
  if (before !== undefined) return endOf(before) === offset && endsWithSum(before.bytes, after);
  const lineEnd = await there.read(offset - LINE_END_BYTES, offset);
  // The file ends before it.
  if (lineEnd.length < Math.min(LINE_END_BYTES, offset)) return false;
  if (endsWithSum(lineEnd, after)) return true;
  const line = await there.lineAt(offset - 1);
  return line === undefined || !isWhole(line.content, line.offset, sessionId);
}

async function isOverNothingElse(
  there: FileWindow,
  taken: TakenRanges,
  record: Patch,
  sessionId: string,
): Promise<boolean> {
  const { offset, bytes } = record;
  const end = endOf(record);
  const other = taken.firstWithin(offset, end);
  if (other !== undefined) return other.offset === offset && other.bytes.equals(bytes);
  const present = await there.read(offset, end);
  if (present.equals(bytes.subarray(0, present.length))) return true;
  for (let at = offset; at < Math.min(end, there.size);) {
    const line = await there.lineAt(at);
    if (line === undefined) return true;
    const own = bytes.subarray(at - offset, at - offset + line.bytes);
    const isOwn = own.length === line.bytes && own.subarray(0, line.content.length).equals(line.content);
    if (!isOwn && isWhole(line.content, line.offset, sessionId)) return false;
    at = line.offset + line.bytes;
  }
  return true;
}

/** The header is the one line that is not salted with the session's id. */
function isWhole(content: Buffer, offset: number, sessionId: string): boolean {
  return checkLine(content, offset === 0 ? "" : sessionId) !== undefined;
}

function endOf({ offset, bytes }: Patch): number {
  return offset + bytes.length;
}

/** Records that were found to fit, by their positions. They mostly come in order. */
class TakenRanges {
  readonly #sorted: Patch[] = [];

  add(record: Patch): void {
    this.#sorted.splice(this.#indexAfter(record.offset), 0, record);
  }

  /** The record that has the byte at this position. */
  at(position: number): Patch | undefined {
    const found = this.#sorted[this.#indexAfter(position) - 1];
    return found !== undefined && endOf(found) > position ? found : undefined;
  }

  firstWithin(from: number, to: number): Patch | undefined {
    const before = this.at(from);
    if (before !== undefined) return before;
    const next = this.#sorted[this.#indexAfter(from)];
    return next !== undefined && next.offset < to ? next : undefined;
  }

  /** How many begin at this position or before it. */
  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#sorted.length;
    if ((this.#sorted.at(-1)?.offset ?? -1) <= position) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle]?.offset ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
