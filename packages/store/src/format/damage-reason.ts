/**
 * Why bytes of a session's files are damage. Opening, reading, verify and repair name a reason by its code, and one function gives the
 * words, so that the same damage is reported in the same words by all of them. docs/format.md lists them. Pure.
 */

import { assertNever } from "../errors.ts";

export type DamageReason = LineReason | OrderReason | HeaderReason | SealedReason;

/** A line that is no record, judged by itself. */
export type LineReason =
  | { readonly code: "empty-line" }
  | { readonly code: "nul-bytes" }
  | { readonly code: "checksum-mismatch" }
  | { readonly code: "not-whole" }
  | { readonly code: "too-long" }
  | { readonly code: "no-newline-at-end" }
  | { readonly code: "glued"; readonly lines: number };

/** Whole lines that are not where they were written, or not there. */
export type OrderReason =
  | { readonly code: "out-of-order"; readonly seq: number; readonly after: number }
  | {
      readonly code: "lost-out-of-order";
      readonly first: number;
      readonly last: number;
      readonly after: number;
    }
  | { readonly code: "misplaced-checkpoint"; readonly seq: number }
  | { readonly code: "stray-header" }
  /** `isBehindDamage`: damaged lines stand before the gap, and were some of these records; they have reasons of their own. */
  | {
      readonly code: "missing";
      readonly first: number;
      readonly last: number;
      readonly isBehindDamage: boolean;
    }
  | { readonly code: "broken-batch"; readonly first: number; readonly last: number }
  | { readonly code: "unfinished-batch" }
  | { readonly code: "sum-mismatch" }
  /** `isReplaced`: the record that belongs there is known, and a repair puts it in its place. */
  | { readonly code: "other-history"; readonly seq: number; readonly isReplaced: boolean }
  | { readonly code: "stray-records"; readonly seqs: readonly number[] }
  | { readonly code: "lost-from-sealed"; readonly seqs: readonly number[] };

/** The first line of a file. */
export type HeaderReason =
  | { readonly code: "empty-file" }
  | { readonly code: "no-header" }
  | { readonly code: "header-checksum" }
  | { readonly code: "header-fields" }
  | { readonly code: "header-version" }
  | { readonly code: "second-header" }
  | { readonly code: "gzip-name" };

/** A sealed file, which the chain knows. */
export type SealedReason =
  | { readonly code: "segment-missing"; readonly first: number; readonly last: number }
  | { readonly code: "segment-unreadable"; readonly why: NotOpened }
  | { readonly code: "not-compressed" }
  | { readonly code: "ends-early"; readonly at: number; readonly of: number }
  | { readonly code: "gzip-cut"; readonly at: number }
  | { readonly code: "gzip-damaged"; readonly at: number }
  | { readonly code: "gzip-ends-early"; readonly at: number }
  | { readonly code: "gzip-gap"; readonly from: number; readonly to: number }
  | { readonly code: "gzip-header" };

/** Why a file that is there is not opened. */
export type NotOpened =
  | { readonly code: "not-regular" }
  | { readonly code: "not-permitted"; readonly errno: string }
  | { readonly code: "behind-link"; readonly message: string };

export function reasonText(reason: DamageReason): string {
  switch (reason.code) {
    case "empty-line":
      return "an empty line";
    case "nul-bytes":
      return "filled with NUL bytes";
    case "checksum-mismatch":
      return "checksum mismatch";
    case "not-whole":
      return "not a whole record";
    case "too-long":
      return "longer than any record";
    case "no-newline-at-end":
      return "not a newline, where the last record ends";
    case "glued":
      return `${reason.lines} lines in one: a newline is missing`;
    case "out-of-order":
    case "lost-out-of-order":
    case "misplaced-checkpoint":
    case "stray-header":
    case "missing":
    case "broken-batch":
    case "unfinished-batch":
    case "sum-mismatch":
    case "other-history":
    case "stray-records":
    case "lost-from-sealed":
      return orderText(reason);
    case "empty-file":
    case "no-header":
    case "header-checksum":
    case "header-fields":
    case "header-version":
    case "second-header":
    case "gzip-name":
      return HEADER_TEXTS[reason.code];
    case "segment-missing":
    case "segment-unreadable":
    case "not-compressed":
    case "ends-early":
    case "gzip-cut":
    case "gzip-damaged":
    case "gzip-ends-early":
    case "gzip-gap":
    case "gzip-header":
      return sealedText(reason);
    default:
      return assertNever(reason);
  }
}

function orderText(reason: OrderReason): string {
  switch (reason.code) {
    case "out-of-order":
      return `seq ${reason.seq} after seq ${reason.after}: a copy, or out of order`;
    case "lost-out-of-order":
      return `lost records ${reason.first} to ${reason.last} after seq ${reason.after}: a copy, or out of order`;
    case "misplaced-checkpoint":
      return `a checkpoint of seq ${reason.seq} that is not where it was written`;
    case "stray-header":
      return "a header that is not the first line";
    case "missing":
      return missingText(reason.first, reason.last, reason.isBehindDamage);
    case "broken-batch": {
      const { first, last } = reason;
      return `a batch of ${last - first + 1} records, seq ${first} to ${last}, of which some are missing`;
    }
    case "unfinished-batch":
      return "an unfinished batch";
    case "sum-mismatch":
      return "each line is whole, but together they are not what was written";
    case "other-history":
      return reason.isReplaced
        ? `seq ${reason.seq} of another history: an acknowledged record, which is kept, belongs in its place`
        : `seq ${reason.seq} of another history: the acknowledged record behind it was written after another one, which is gone`;
    case "stray-records":
      return `${countSeqs(reason.seqs)} that a dead process has acknowledged in its journal do not fit this file, which was replaced or overwritten since. Opening the store for writing keeps them in .longhand/damaged`;
    case "lost-from-sealed":
      return `${countSeqs(reason.seqs)} that a dead process has acknowledged in its journal are no longer in the sealed file that had them. Opening the store for writing keeps them in .longhand/damaged`;
    default:
      return assertNever(reason);
  }
}

/** "Here": the records may stand elsewhere in the file, out of order, and then have a reason of their own. */
function missingText(first: number, last: number, isBehindDamage: boolean): string {
  const what = first === last ? `seq ${first} is missing here` : `seq ${first} to ${last} are missing here`;
  if (!isBehindDamage) return what;
  return `${what}, or ${first === last ? "was" : "were"} in the damaged bytes before`;
}

const HEADER_TEXTS: Readonly<Record<HeaderReason["code"], string>> = {
  "empty-file": "an empty file",
  "no-header": "no header line",
  "header-checksum": "the header's checksum does not match",
  "header-fields": "the header lacks a valid key, id, time or chain",
  "header-version": "the number of the format in its header is damaged",
  "second-header": "another header follows the first",
  "gzip-name": "gzip bytes under this name",
};

function sealedText(reason: SealedReason): string {
  switch (reason.code) {
    case "segment-missing":
      return `this segment, records ${reason.first} to ${reason.last}, is not there`;
    case "segment-unreadable":
      return notOpenedText(reason.why);
    case "not-compressed":
      return "not a compressed segment";
    case "ends-early":
      return `the file ends too early, at byte ${reason.at} of ${reason.of}`;
    case "gzip-cut":
      return `the file ends in this gzip member (byte ${reason.at} of the compressed file)`;
    case "gzip-damaged":
      return `a damaged gzip member (byte ${reason.at} of the compressed file)`;
    case "gzip-ends-early":
      return `the compressed file ends too early, at byte ${reason.at}`;
    case "gzip-gap":
      return `no gzip member of ours from byte ${reason.from} of the compressed file; it goes on at byte ${reason.to}`;
    case "gzip-header":
      return "a damaged gzip header; what it holds is whole";
    default:
      return assertNever(reason);
  }
}

export function notOpenedText(why: NotOpened): string {
  switch (why.code) {
    case "not-regular":
      return "it is not a regular file";
    case "not-permitted":
      return `it may not be read by this user (${why.errno})`;
    case "behind-link":
      return why.message;
    default:
      return assertNever(why);
  }
}

/** "3 records (seq 4 to 6)", "2 records (seq 4, 7)". */
export function countSeqs(seqs: readonly number[]): string {
  const sorted = [...new Set(seqs)].sort((one, other) => one - other);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return "no whole record";
  const count = sorted.length === 1 ? "1 record" : `${sorted.length} records`;
  return `${count} (seq ${runsOf(sorted).join(", ")})`;
}

/** "4 to 6", "9". */
function runsOf(sorted: readonly number[]): string[] {
  const runs: { first: number; last: number }[] = [];
  for (const seq of sorted) {
    const run = runs.at(-1);
    if (run?.last === seq - 1) run.last = seq;
    else runs.push({ first: seq, last: seq });
  }
  return runs.map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`));
}
