/**
 * Which records of a journal belong into a session file as it is now. A record belongs behind the line it was written
 * after, and over nothing but itself. If another program has put an older file back, or another writer has gone on from
 * there, the file holds another history: writing the record would mix the two, so it is a stray.
 *
 * Only a whole line proves another history, also one that is glued to others. Damaged bytes before a record, or where it
 * goes, are damage: the record is written as if they were right. Whole lines that the journal itself writes again, at their
 * own positions, prove nothing either: another program has moved them, and the run of records puts them back. Which claim is
 * the stronger one says format/claim.ts.
 *
 * A file that ends before a record is an older one, unless the journal itself has lost what was in between: then the
 * record goes to its position, and the hole before it is read as the damaged line that it is.
 */

import { outranks, type Claim } from "../format/claim.ts";
import type { OpenFile } from "../host/host.ts";
import { lineSum } from "../format/line-checksum.ts";
import { endsWithSum, LINE_END_BYTES } from "../format/last-sum.ts";
import { NEWLINE } from "../format/format.ts";
import { patchesInReach, type Patch } from "./byte-source.ts";
import { FileWindow } from "./file-window.ts";
import { otherLinesUnder, wholeLineAt } from "./lines-under.ts";
import { RewrittenRuns } from "./rewritten-run.ts";

export interface FittedRecords<P extends Patch> {
  /** In the order of their offsets; before one that is behind a hole, the newline that ends the hole. */
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
  const runs = new RewrittenRuns(there, sessionId, records);
  const fits = new Set<P>();
  const strays = new Set<P>();
  const take = (record: P): void => {
    taken.add(record);
    fits.add(record);
  };
  const strayEnds = new Set<number>();
  const endBefore = ({ offset }: P): number => Math.max(size, taken.endBefore(offset));
  const isBehindHole = (record: P): boolean => endBefore(record) < record.offset;
  const leave = (record: P): void => {
    strays.add(record);
    strayEnds.add(endOf(record));
  };
  const claimOf = async (record: P): Promise<Claim> => {
    const same = taken.firstWithin(record.offset, endOf(record));
    const isOther = same !== undefined && !isSame(same, record);
    const mayFollow = isBehindHole(record)
      ? mayFollowHole(record, endBefore(record), strayEnds)
      : await isBehind(there, taken, record, sessionId);
    if (isOther || !mayFollow) return "stray";
    if (record.after !== undefined) return "continuing";
    // It does not say what it was written after: it goes where the record before it goes.
    return strayEnds.has(record.offset) ? "stray" : "positioned";
  };
  const standingAt = async (record: P): Promise<Claim> => {
    const isTaken = taken.firstWithin(record.offset, endOf(record)) !== undefined;
    const others = isTaken ? [] : await otherLinesUnder(there, record, sessionId);
    return others.length === 0 ? "vacant" : "standing";
  };
  for (const record of records) {
    if (fits.has(record)) continue;
    const claim = await claimOf(record);
    if (!outranks(claim, "vacant")) leave(record);
    else if (outranks(claim, await standingAt(record))) take(record);
    else {
      // Lines that are written again elsewhere leave their places vacant.
      const run = await runs.from(record, [...fits]);
      if (run === undefined) leave(record);
      for (const each of run ?? []) take(each);
    }
  }
  const inReach = new Set(patchesInReach(size, [...fits]));
  return {
    fits: records
      .filter((record) => fits.has(record) && inReach.has(record))
      .flatMap((record) => (isBehindHole(record) ? [endOfHole(record), record] : [record])),
    strays: records.filter((record) => strays.has(record) || !inReach.has(record)),
  };
}

async function isBehind(
  there: FileWindow,
  taken: TakenRanges,
  { offset, after }: Patch,
  sessionId: string,
): Promise<boolean> {
  if (after === undefined) return true;
  const before = taken.at(offset - 1);
  if (before !== undefined) return endOf(before) === offset && endsWithSum(before.bytes, after);
  const lineEnd = await there.read(offset - LINE_END_BYTES, offset);
  if (endsWithSum(lineEnd, after)) return true;
  const line = await there.lineAt(offset - 1);
  const whole = line === undefined ? undefined : wholeLineAt(line, offset - 1, sessionId);
  if (whole === undefined) return true;
  // What the newline behind it has become is damage.
  return whole.offset + whole.content.length === offset - 1 && lineSum(whole.content) === after;
}

/** `end`: of what is in the file by then. */
function mayFollowHole(
  { offset, after, lostBefore }: Patch,
  end: number,
  strayEnds: ReadonlySet<number>,
): boolean {
  if (lostBefore === undefined) return after === undefined;
  const { bytes, from } = lostBefore;
  return offset - end <= bytes && (from === undefined || (from <= end && !strayEnds.has(from)));
}

/** Without it the record would be one line with the NULs of the hole. */
function endOfHole<P extends Patch>(record: P): P {
  return { ...record, offset: record.offset - 1, bytes: Buffer.of(NEWLINE), after: undefined };
}

function isSame(one: Patch, other: Patch): boolean {
  return one.offset === other.offset && one.bytes.equals(other.bytes);
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

  /** Of the last one that begins before this position. */
  endBefore(position: number): number {
    const last = this.#sorted[this.#indexAfter(position - 1) - 1];
    return last === undefined ? 0 : endOf(last);
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
