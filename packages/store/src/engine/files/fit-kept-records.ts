/**
 * Which records that were kept aside belong into their session: behind its last record, or where one is missing. Records of
 * one session may be kept in several files, since instances take turns on it.
 */

import type { FileSystem, OpenFile } from "../../host/host.ts";
import { useFile } from "../../host/use-file.ts";
import type { JournalRecord } from "../../wal/block.ts";
import { patchedSource, type ByteSource } from "../../session/byte-source.ts";
import type { Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";
import type { ScanDamage } from "../../format/scan.ts";
import { settleRecords, type FoundRecords, type SettledRecords } from "../../session/settle-records.ts";
import type { Id } from "../../format/session-id.ts";
import { areWhole, keptRecordFiles, linesOf, readKeptRecords, type KeptLine } from "./kept-record-files.ts";
import { hasRecord, readWholeLines } from "./whole-lines.ts";

/** One file of kept records. */
export interface KeptFile {
  readonly path: string;
  readonly records: readonly JournalRecord[];
}

export interface FittedKept {
  /** The last seq of the session that counts, as a record or as one that is lost. */
  readonly lastSeq: number;
  /** The lines to put behind the end of the session's active file, in order, each with its newline. */
  readonly add: readonly Buffer[];
  /** The other records to put in: a repair writes the file that lacks them anew. By their seqs. */
  readonly insert: readonly Buffer[];
  /** Of each kept file: the records that the session does not have. */
  readonly absent: ReadonlyMap<string, readonly KeptLine[]>;
  /** Kept files of which the session has every record. */
  readonly there: ReadonlySet<string>;
  /** Kept files of which it has every record once `add` and `insert` are written. */
  readonly fits: ReadonlySet<string>;
  /** Which record each seq gets that the kept files speak of. */
  readonly settled: SettledRecords;
  /** Records of the active file that count where they stand, and do not get their seq. */
  readonly displaced: readonly ScanDamage[];
}

const NOTHING_KEPT = {
  lastSeq: 0,
  add: [],
  insert: [],
  absent: new Map(),
  fits: new Set<string>(),
  settled: new Map(),
  displaced: [],
} as const;

export interface KeptPlace {
  readonly files: FileSystem;
  readonly layout: Layout;
}

/** `active`: the session's active file. `kept`: all of one session. */
export async function fitKeptRecords(
  place: KeptPlace,
  active: ByteSource,
  header: Header,
  kept: readonly KeptFile[],
): Promise<FittedKept> {
  const linesByPath = new Map(kept.map(({ path, records }) => [path, linesOf(records)]));
  const lines = [...linesByPath.values()].flat();
  const whole = new Set(kept.filter(({ records }) => areWhole(records)).map(({ path }) => path));
  if (lines.length === 0) return { ...NOTHING_KEPT, there: whole };
  const seqs = new Set(lines.flatMap(({ seq }) => [seq - 1, seq, seq + 1]));
  const found = await readWholeLines(place, active, header, seqs);
  const settled = settleRecords(found, lines);
  const isSettled = ({ seq, sum }: KeptLine): boolean => settled.get(seq) === sum;
  const isThere = (line: KeptLine): boolean => isSettled(line) && hasRecord(found, line.seq, line.sum);
  const missing = new Map<number, KeptLine>();
  for (const line of lines.toSorted((one, other) => one.seq - other.seq))
    if (isSettled(line) && !isThere(line) && !missing.has(line.seq)) missing.set(line.seq, line);
  const add: Buffer[] = [];
  for (let seq = found.lastSeq + 1, next = missing.get(seq); next !== undefined; next = missing.get(++seq)) {
    add.push(next.line);
    missing.delete(seq);
  }
  const paths = [...linesByPath];
  const wholePaths = paths.filter(([path]) => whole.has(path));
  return {
    lastSeq: found.lastSeq,
    add,
    insert: [...missing.values()].map(({ line }) => line),
    absent: new Map(paths.map(([path, own]) => [path, own.filter((line) => !isThere(line))])),
    there: new Set(wholePaths.flatMap(([path, own]) => (own.every(isThere) ? [path] : []))),
    fits: new Set(
      wholePaths.flatMap(([path, own]) => (own.every(isSettled) && !own.every(isThere) ? [path] : [])),
    ),
    settled,
    displaced: displacedIn(header.file, found, settled),
  };
}

function displacedIn(file: number, { standing }: FoundRecords, settled: SettledRecords): ScanDamage[] {
  const found: ScanDamage[] = [];
  for (const [seq, sum] of settled) {
    const { offset, bytes, ...other } = standing.get(seq) ?? { offset: 0, bytes: 0, file: -1, sum };
    if (other.file !== file || other.sum === sum) continue;
    const reason = { code: "other-history", seq, isReplaced: sum !== undefined } as const;
    found.push({ offset, bytes, kind: "corrupt", reason });
  }
  return found;
}

/** The same for a file that is open. */
export async function fitKeptInto(
  place: KeptPlace,
  file: OpenFile,
  header: Header,
  kept: readonly KeptFile[],
): Promise<FittedKept> {
  return await fitKeptRecords(place, patchedSource(file, (await file.stat()).size, []), header, kept);
}

/** The same for the session's file at a path, with what is kept of it. `undefined`: nothing is. */
export async function fitKeptRecordsOf(
  place: KeptPlace,
  path: string,
  header: Header,
): Promise<{ readonly kept: readonly KeptFile[]; readonly fitted: FittedKept } | undefined> {
  const kept = await keptFilesOf(place, header.id);
  if (kept.length === 0) return undefined;
  const fitted = await useFile(
    await place.files.open(path, "read"),
    async (file) => await fitKeptInto(place, file, header, kept),
  );
  return { kept, fitted };
}

export async function keptFilesOf({ files, layout }: KeptPlace, id: Id): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  for (const path of await keptRecordFiles(files, layout, id)) {
    const records = await readKeptRecords(files, path);
    if (records !== undefined) found.push({ path, records });
  }
  return found;
}
