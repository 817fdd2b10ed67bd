/**
 * Records of dead processes' journals that do not fit their session's file, as those who only read tell of them: what the
 * next recovery and a repair will make of them is found out in memory. Records that the session has elsewhere in its file
 * are no damage.
 */

import type { ByteSource, Patch } from "../../session/byte-source.ts";
import type { Header } from "../../format/header.ts";
import { fileNameOf } from "../../format/key.ts";
import type { Damage } from "../../format/session-record.ts";
import { fitKeptRecords, keptFilesOf, type KeptFile, type KeptPlace } from "./fit-kept-records.ts";

/** Why a repair leaves records that were kept aside, and what to do. */
export function keptLeft(path: string): string {
  return `${path} has gone on without them, or lacks records before them; take what you need from here and move this file out of the store`;
}

/** `source`: the session's file with the records that fit laid over it. */
export async function strayDamage(
  place: KeptPlace,
  source: ByteSource,
  path: string,
  header: Header,
  strays: readonly Patch[],
): Promise<Damage[]> {
  if (strays.length === 0) return [];
  const journals = groupByJournal(header, strays);
  const kept = await keptFilesOf(place, header.id);
  const { there, fits } = await fitKeptRecords(place, source, header, [...kept, ...journals]);
  return journals
    .filter((journal) => !there.has(journal.path))
    .map(({ path: journal, records }) => {
      const reason = `a dead process's journal has ${records.length} acknowledged records that do not fit this file as it is now: it was replaced or overwritten since. They are kept when the store is next opened for writing`;
      const left = fits.has(journal) ? {} : { left: keptLeft(path) };
      const { offset = 0 } = records[0] ?? {};
      return { file: path, offset, bytes: 0, kind: "corrupt", reason, key: header.key, ...left };
    });
}

/** Each journal's records are kept in a file of their own. */
function groupByJournal({ id, key, file }: Header, strays: readonly Patch[]): KeptFile[] {
  const journals = new Map<string, Patch[]>();
  for (const stray of strays) {
    const journal = stray.journal ?? "";
    const own = journals.get(journal);
    if (own === undefined) journals.set(journal, [stray]);
    else own.push(stray);
  }
  const name = fileNameOf(key);
  return [...journals].map(([path, own]) => ({
    path,
    records: own.map(({ offset, bytes, after }) => ({ session: id, file, name, offset, bytes, after })),
  }));
}
