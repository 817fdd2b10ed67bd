/**
 * Reads one file of a session from its first byte to its last and names everything that is not as it was written.
 * Changes nothing; memory is bounded by the longest line and batch.
 */

import { EMPTY_SUM } from "../record/checksum.ts";
import { decodeHeader, type DecodedHeader } from "../record/header.ts";
import { missing } from "../record/line-order.ts";
import { LogScanner, type ScanDamage } from "../record/scan.ts";
import { lineSum } from "../record/seal.ts";
import type { ByteSource } from "./byte-source.ts";
import type { GzipDamage } from "./gzip-source.ts";
import { readHeaderLine } from "./header-line.ts";
import { readLines } from "./read-lines.ts";
import { sumBytes } from "./sum-bytes.ts";

export interface PartToVerify {
  readonly source: ByteSource;
  readonly writtenBy: string;
  /** The seq of its first record. */
  readonly first: number;
  /** What the chain says of a sealed file; `undefined` for the active one. */
  readonly sealed: { readonly last: number; readonly bytes: number; readonly sum: string } | undefined;
}

export interface VerifiedPart {
  readonly records: number;
  readonly damage: readonly ScanDamage[];
  /** Of an active file: what lies behind its end. Torn, or still being written. */
  readonly torn: ScanDamage | undefined;
}

export async function verifyPart(part: PartToVerify): Promise<VerifiedPart> {
  const { source, sealed } = part;
  const to = Math.min(source.size, sealed?.bytes ?? source.size);
  const header = await readHeaderLine(source);
  const outcome = decodeHeader(header.content);
  const damage: ScanDamage[] = [];
  const checkpoints: { offset: number; sum: string; isExplained: boolean }[] = [];
  /** Since the last checkpoint. */
  const since = { isDamaged: false };
  let records = 0;
  // A bad header is scanned like a line: what is glued to it explains the gap behind it.
  const from = outcome.kind === "header" ? Math.min(to, header.bytes) : 0;
  const scanner = new LogScanner(
    part.writtenBy,
    { offset: from, seqBefore: part.first - 1, sumBefore: from === 0 ? undefined : lineSum(header.content) },
    {
      entry: ({ seq }) => {
        if (seq <= (sealed?.last ?? Infinity)) records += 1;
      },
      checkpoint: ({ sum }, { offset }) => {
        checkpoints.push({ offset, sum, isExplained: since.isDamaged });
        since.isDamaged = false;
      },
      damage: (place) => {
        const isHeader = place.offset === 0 && outcome.kind !== "header";
        const { offset, bytes, kind } = place;
        damage.push(isHeader ? { offset, bytes, kind, reason: reasonOf(outcome) } : place);
        since.isDamaged = true;
      },
    },
  );
  /** The sum of everything before `offset`, as it was when that was written. */
  let summed = { offset: 0, sum: EMPTY_SUM };
  for await (const lines of readLines(source, from, to)) {
    for (const line of lines) scanner.line(line);
    for (const { offset, sum, isExplained } of checkpoints.splice(0)) {
      const found = await sumBytes(source, summed.sum, summed.offset, offset);
      if (found !== sum && !isExplained) damage.push(unexplained(summed.offset, offset));
      summed = { offset, sum };
    }
  }
  const end = scanner.finish();
  if (sealed === undefined) return { records, damage, torn: end.torn };
  if (end.torn !== undefined) damage.push({ ...end.torn, kind: "corrupt" });
  const isExplained = since.isDamaged || end.torn !== undefined;
  if (source.size < sealed.bytes) endsTooEarly(damage, source.size, sealed.bytes);
  else if (end.seq < sealed.last && !isExplained) damage.push(missingAtEnd(end.seq + 1, sealed.last, to));
  else if (!isExplained && (await sumBytes(source, summed.sum, summed.offset, to)) !== sealed.sum)
    damage.push(unexplained(summed.offset, to));
  return { records, damage, torn: undefined };
}

/** Whose file it is was proven before, in a format that we know: its number is not what was written. */
function reasonOf(outcome: Exclude<DecodedHeader, { kind: "header" }>): string {
  return outcome.kind === "bad" ? outcome.reason : "the number of the format in its header is damaged";
}

/** Lines in a member that cannot be read are reported as that member, once. */
export function withMembers(damage: readonly ScanDamage[], members: readonly GzipDamage[]): ScanDamage[] {
  const lost = members.map(({ offset, bytes, reason }): ScanDamage => ({
    offset,
    bytes,
    kind: "corrupt",
    reason,
  }));
  // Records that are missing are told right behind the member they were in.
  const isInMember = (place: ScanDamage): boolean =>
    lost.some(({ offset, bytes }) => {
      const end = offset + bytes + (place.bytes === 0 ? 1 : 0);
      return bytes > 0 && place.offset < end && place.offset + Math.max(1, place.bytes) > offset;
    });
  return [...damage.filter((place) => !isInMember(place)), ...lost].sort(
    (one, other) => one.offset - other.offset,
  );
}

function unexplained(from: number, to: number): ScanDamage {
  const reason = "each line is whole, but together they are not what was written";
  return { offset: from, bytes: to - from, kind: "corrupt", reason };
}

function missingAtEnd(first: number, last: number, offset: number): ScanDamage {
  return { offset, bytes: 0, kind: "corrupt", reason: missing(first, last) };
}

/** One place, with what is left of the line in which it ends. */
function endsTooEarly(damage: ScanDamage[], size: number, expected: number): void {
  const last = damage.at(-1);
  const isTorn = last !== undefined && last.offset + last.bytes === size && last.bytes > 0;
  if (isTorn) damage.pop();
  const offset = isTorn ? last.offset : size;
  const reason = `the file ends too early, at byte ${size} of ${expected}`;
  damage.push({ offset, bytes: expected - offset, kind: "corrupt", reason });
}
