/**
 * Records of dead processes' journals that do not fit their session's file, as those who only read tell of them: what the
 * next recovery and a repair will make of them is found out in memory. Records that the session has elsewhere in its file
 * are no damage.
 */

import type { JournalRecord } from "../../wal/block.ts";
import type { ByteSource, Patch } from "../../session/byte-source.ts";
import { reasonText, type OrderReason } from "../../format/damage-reason.ts";
import type { Header } from "../../format/header.ts";
import { fileNameOf } from "../../format/key.ts";
import type { Damage } from "../../format/session-record.ts";
import { withNeighbours } from "./kept-record-files.ts";
import { fitKeptRecords, keptFilesOf, type KeptFile, type KeptPlace } from "./fit-kept-records.ts";

/** Why a repair leaves records that were kept aside in `kept`, and what to do. `path`: their session's file. */
export function keptLeft(path: string, kept: string): string {
  return `${whyLeft(path)}; put the right file back and repair again, or take what you need from ${kept} and move that out of the store`;
}

/** A kept file with damaged lines is never done with: a person must look at it. */
export function damagedKeptLeft(kept: string): string {
  return `a repair puts back no more than its whole records; take what you need from ${kept} and move that out of the store`;
}

/** The same as `keptLeft` while they are in a journal only: then the session's file is the one that the damage names. */
function strayLeft(path: string): string {
  return `${whyLeft(path)}; put the right file back before the session goes on, or take what you need from the copy that the next writer makes of them`;
}

function whyLeft(path: string): string {
  return `${path} has gone on without them, or lacks records before them`;
}

/** What journals of dead processes have for a session, and what of it does not go into its files. */
export interface JournalStrays {
  /** All of them, in the order of the journals. */
  readonly records: readonly Patch[];
  /** They do not fit the active file. */
  readonly strays: readonly Patch[];
  /** They were in a file that was sealed or rewritten since, and are not in the session any more. */
  readonly missing: readonly Patch[];
}

/** `source`: the session's file with the records that fit laid over it. */
export async function strayDamage(
  place: KeptPlace,
  source: ByteSource,
  path: string,
  header: Header,
  { records, strays, missing }: JournalStrays,
): Promise<Damage[]> {
  if (strays.length + missing.length === 0) return [];
  const groups = [
    ...groupByJournal(header, records, strays, "stray-records"),
    ...groupByJournal(header, records, missing, "lost-from-sealed"),
  ];
  const kept = await keptFilesOf(place, header.id);
  const { absent, there, fits } = await fitKeptRecords(place, source, header, [...kept, ...groups]);
  return groups
    .filter((group) => !there.has(group.path))
    .map((group) => {
      const { offset, code } = group;
      const reason = reasonText({ code, seqs: (absent.get(group.path) ?? []).map(({ seq }) => seq) });
      const left = fits.has(group.path) ? {} : { left: strayLeft(path) };
      return { file: path, offset, bytes: 0, kind: "corrupt", reason, key: header.key, ...left };
    });
}

type StrayCode = Extract<OrderReason, { readonly seqs: readonly number[] }>["code"];

/** As a recovery will keep them. */
interface StrayGroup extends KeptFile {
  readonly offset: number;
  readonly code: StrayCode;
}

/** Each journal's records are kept in a file of their own. */
function groupByJournal(
  { id, key, file }: Header,
  records: readonly Patch[],
  strays: readonly Patch[],
  code: StrayCode,
): StrayGroup[] {
  const name = fileNameOf(key);
  const isStray = new Set(strays);
  return [...new Set(strays.map(({ journal }) => journal))].map((journal) => {
    const own = records.filter((record) => record.journal === journal);
    const kept = withNeighbours(own, isStray).map(({ offset, bytes, after }): JournalRecord => ({
      session: id,
      file,
      name,
      offset,
      bytes,
      after,
    }));
    const first = own.find((record) => isStray.has(record));
    return { path: `${journal ?? ""} ${code}`, records: kept, offset: first?.offset ?? 0, code };
  });
}
