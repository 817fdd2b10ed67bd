/**
 * Records of dead processes' journals that do not fit their session's file, as those who only read tell of them: what the
 * next recovery and a repair will make of them is found out in memory. Records that the session has elsewhere in its file
 * are no damage.
 */

import type { OpenFile } from "../../host/host.ts";
import type { JournalRecord } from "../../wal/block.ts";
import type { ByteSource, FilePatch, PatchesOf } from "../../session/byte-source.ts";
import { fitRecords } from "../../session/fit-records.ts";
import { reasonText, type OrderReason } from "../../format/damage-reason.ts";
import type { Header } from "../../format/header.ts";
import { fileNameOf } from "../../format/key.ts";
import type { Damage } from "../../format/session-record.ts";
import { findMissingEarlier } from "./earlier-records.ts";
import { withNeighbours } from "./kept-record-files.ts";
import {
  fitKeptRecords,
  keptFilesOf,
  type FittedKept,
  type KeptFile,
  type KeptPlace,
} from "./fit-kept-records.ts";

/** Why a repair leaves records that were kept aside in `kept`, and what to do. `path`: their session's file. */
export function keptLeft(path: string, kept: string): string {
  return `${whyLeft(path)}; put the right file back and repair again, or take what you need from ${kept} and move that out of the store`;
}

/** A kept file with damaged lines is never done with: a person must look at it. */
export function damagedKeptLeft(kept: string): string {
  return `a repair puts back no more than its whole records; take what you need from ${kept} and move that out of the store`;
}

/** The same as `keptLeft` while they are in a journal only: then the session's file is the one that the damage names. */
export function strayLeft(path: string): string {
  return `${whyLeft(path)}; put the right file back before the session goes on, or take what you need from the copy that the next writer makes of them`;
}

function whyLeft(path: string): string {
  return `${path} has gone on without them, or lacks records before them`;
}

/** What journals of dead processes have for a session, and what of it does not go into its files. */
export interface JournalStrays {
  /** All of them, in the order of the journals. */
  readonly records: readonly FilePatch[];
  /** They do not fit the active file. */
  readonly strays: readonly FilePatch[];
  /** They were in a file that was sealed or rewritten since, and are not in the session any more. */
  readonly missing: readonly FilePatch[];
}

/** What a recovery will write into the session's file, and what it will keep. `source`: the file without that; `present`: what is for it. */
export async function judgeJournals(
  place: KeptPlace & { readonly patchesOf: PatchesOf },
  opened: OpenFile,
  source: ByteSource,
  header: Header,
  present: readonly FilePatch[] = place.patchesOf(header),
): Promise<{ readonly fits: readonly FilePatch[]; readonly journaled: JournalStrays }> {
  const { fits, strays } = await fitRecords(opened, (await opened.stat()).size, header.id, present);
  const earlier = place.patchesOf({ ...header, isBefore: true });
  const missing = await findMissingEarlier(place, source, header, earlier);
  return { fits, journaled: { records: [...earlier, ...present], strays, missing } };
}

/** What is kept of a session, together with the records of journals that its recovery will keep. */
export interface FittedJournals {
  readonly groups: readonly StrayGroup[];
  readonly fitted: FittedKept;
}

/** `source`: the session's file with the records that fit laid over it. */
export async function fitJournals(
  place: KeptPlace,
  source: ByteSource,
  header: Header,
  { records, strays, missing }: JournalStrays,
  kept: readonly KeptFile[],
): Promise<FittedJournals> {
  const groups = [
    ...groupByJournal(header, records, strays, "stray-records"),
    ...groupByJournal(header, records, missing, "lost-from-sealed"),
  ];
  return { groups, fitted: await fitKeptRecords(place, source, header, [...kept, ...groups]) };
}

/** Of those that the recovery will keep: what the session lacks. `path`: of its file. */
export function groupDamage(path: string, { key }: Header, { groups, fitted }: FittedJournals): Damage[] {
  return groups
    .filter((group) => !fitted.there.has(group.path))
    .map((group) => {
      const { offset, code } = group;
      const reason = reasonText({ code, seqs: (fitted.absent.get(group.path) ?? []).map(({ seq }) => seq) });
      const left = fitted.fits.has(group.path) ? {} : { left: strayLeft(path) };
      return { file: path, offset, bytes: 0, kind: "corrupt", reason, key, ...left };
    });
}

/** For those who only read: what is kept aside already is in other reports. */
export async function strayDamage(
  place: KeptPlace,
  source: ByteSource,
  path: string,
  header: Header,
  journaled: JournalStrays,
): Promise<readonly Damage[]> {
  if (journaled.strays.length + journaled.missing.length === 0) return [];
  const found = await fitJournals(place, source, header, journaled, await keptFilesOf(place, header.id));
  return groupDamage(path, header, found);
}

type StrayCode = Extract<OrderReason, { readonly seqs: readonly number[] }>["code"];

/** As a recovery will keep them. */
interface StrayGroup extends KeptFile {
  readonly offset: number;
  readonly code: StrayCode;
}

/** Each journal's records are kept in a file of their own. */
function groupByJournal(
  { id, key }: Header,
  records: readonly FilePatch[],
  strays: readonly FilePatch[],
  code: StrayCode,
): StrayGroup[] {
  const name = fileNameOf(key);
  const isStray = new Set(strays);
  return [...new Set(strays.map(({ journal }) => journal))].map((journal) => {
    const own = records.filter((record) => record.journal === journal);
    const kept = withNeighbours(own, isStray).map(({ file, offset, bytes, after }): JournalRecord => ({
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
