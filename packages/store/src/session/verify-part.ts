/**
 * Reads one file of a session from its first byte to its last and names everything that is not as it was written.
 * Changes nothing; memory is bounded by the longest line and batch.
 */

import { EMPTY_SUM } from "../format/checksum.ts";
import { LogScanner, type ScanDamage } from "../format/scan.ts";
import { lineSum } from "../format/line-checksum.ts";
import type { ByteSource } from "./byte-source.ts";
import { isInMember, memberDamage, type GzipDamage } from "./gzip-damage.ts";
import { linesFrom, readHeaderLine, withHeaderReason } from "./header-line.ts";
import { readLines } from "./read-lines.ts";
import { damageAtEnd } from "./sealed-end.ts";
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
  const damage: ScanDamage[] = [];
  const checkpoints: { offset: number; sum: string; isExplained: boolean }[] = [];
  /** Since the last checkpoint. */
  const since = { isDamaged: false };
  let records = 0;
  const from = Math.min(to, linesFrom(header));
  const scanner = new LogScanner(
    part.writtenBy,
    {
      offset: from,
      seqBefore: part.first - 1,
      sumBefore: from === 0 ? undefined : lineSum(header.content),
      isSealed: sealed !== undefined,
    },
    {
      entry: ({ seq }) => {
        if (seq <= (sealed?.last ?? Infinity)) records += 1;
      },
      checkpoint: ({ sum }, { offset }) => {
        checkpoints.push({ offset, sum, isExplained: since.isDamaged });
        since.isDamaged = false;
      },
      damage: (place) => {
        damage.push(withHeaderReason(place, header));
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
  const atEnd = damageAtEnd(end, source.size, sealed, since.isDamaged);
  if (atEnd !== undefined) damage.push(atEnd);
  else if (!since.isDamaged && (await sumBytes(source, summed.sum, summed.offset, to)) !== sealed.sum)
    damage.push(unexplained(summed.offset, to));
  return { records, damage, torn: undefined };
}

/** Lines in a member that cannot be read are reported as that member, once. */
export function withMembers(damage: readonly ScanDamage[], members: readonly GzipDamage[]): ScanDamage[] {
  const inMembers = members.map(memberDamage);
  return [...damage.filter((place) => !isInMember(place, members)), ...inMembers].sort(
    (one, other) => one.offset - other.offset,
  );
}

function unexplained(from: number, to: number): ScanDamage {
  return { offset: from, bytes: to - from, kind: "corrupt", reason: { code: "sum-mismatch" } };
}
