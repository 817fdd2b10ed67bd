/**
 * Which records that were kept aside belong into their session: behind its last record, or where one is missing. Records of
 * one session may be kept in several files, since instances take turns on it. A record belongs to the history that the
 * files hold if a chain of records, each written after the one before it, leads from it to a line that they have.
 */

import type { FileSystem, OpenFile } from "../../host/host.ts";
import { useFile } from "../../host/use-file.ts";
import type { JournalRecord } from "../../wal/block.ts";
import { patchedSource, type ByteSource } from "../../session/byte-source.ts";
import type { Header } from "../../format/header.ts";
import { lastSum } from "../../format/last-sum.ts";
import type { Layout } from "../../format/layout.ts";
import type { Id } from "../../format/session-id.ts";
import { areWhole, keptRecordFiles, linesOf, readKeptRecords, type KeptLine } from "./kept-record-files.ts";
import { readWholeLines, type WholeLines } from "./whole-lines.ts";

/** One file of kept records. */
export interface KeptFile {
  readonly path: string;
  readonly records: readonly JournalRecord[];
}

export interface FittedKept {
  /** The lines to put behind the end of the session's active file, in order, each with its newline. */
  readonly add: readonly Buffer[];
  /** Records that are missing between others: a repair writes the file that lacks them anew. By their seqs. */
  readonly insert: readonly Buffer[];
  /** Of each kept file: the records that the session does not have. */
  readonly absent: ReadonlyMap<string, readonly KeptLine[]>;
  /** Kept files of which the session has every record. */
  readonly there: ReadonlySet<string>;
  /** Kept files of which it has every record once `add` and `insert` are written. */
  readonly fits: ReadonlySet<string>;
}

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
  const candidates = [...linesByPath.values()].flat();
  const lines = await readWholeLines(place, active, header, new Set(candidates.map(({ seq }) => seq)));
  const isThere = ({ seq, line }: KeptLine): boolean => has(lines.recordSums, seq, lastSum(line));
  const { behind, before } = connect(lines, candidates, isThere);
  const add: KeptLine[] = [];
  for (let next = behind.get(lines.lastSeq + 1); next !== undefined; next = behind.get(next.seq + 1))
    add.push(next);
  const insert = [...before.values()];
  const placed = new Set([...add, ...insert].map(({ line }) => line.toString("latin1")));
  const absent = new Map<string, readonly KeptLine[]>();
  const there = new Set<string>();
  const fits = new Set<string>();
  const whole = new Set(kept.filter(({ records }) => areWhole(records)).map(({ path }) => path));
  for (const [path, own] of linesByPath) {
    absent.set(
      path,
      own.filter((line) => !isThere(line)),
    );
    if (!whole.has(path)) continue;
    if (own.every(isThere)) there.add(path);
    else if (own.every((line) => isThere(line) || placed.has(line.line.toString("latin1")))) fits.add(path);
  }
  return { add: add.map(({ line }) => line), insert: insert.map(({ line }) => line), absent, there, fits };
}

interface Connected {
  /** By seq: records behind the last one of the session that were written after a line of it, or after one of these. */
  readonly behind: ReadonlyMap<number, KeptLine>;
  /**
   * By seq, in their order: records that are missing, after which one that the session has was written, or one of these.
   * Only they belong there for sure: the session may have gone on without one that is merely behind a line of it.
   */
  readonly before: ReadonlyMap<number, KeptLine>;
}

function connect(
  lines: WholeLines,
  candidates: readonly KeptLine[],
  isThere: (line: KeptLine) => boolean,
): Connected {
  const sorted = candidates.toSorted((one, other) => one.seq - other.seq);
  const behind = new Map<number, KeptLine>();
  // The same record may be kept twice, each with what its own file knows of its neighbours.
  const sums = new Map<number, Set<string>>();
  for (const line of sorted) {
    const follows = (known: ReadonlyMap<number, ReadonlySet<string>>): boolean =>
      line.follows.some((sum) => has(known, line.seq - 1, sum));
    const isBehind = follows(lines.recordSums) || follows(lines.otherSums) || follows(sums);
    const isNext = line.seq > lines.lastSeq && isBehind && take(behind, line);
    if (!isThere(line) && !isNext) continue;
    for (const sum of sumsOf(line)) addTo(sums, line.seq, sum);
  }
  const before = new Map<number, KeptLine>();
  const followed = new Map<number, Set<string>>();
  for (const line of sorted.toReversed()) {
    const isBefore = sumsOf(line).some((sum) => has(followed, line.seq + 1, sum));
    const isMissing = line.seq <= lines.lastSeq && !lines.recordSums.has(line.seq);
    const isWanted = isMissing && isBefore && take(before, line);
    if (!isThere(line) && !isWanted) continue;
    for (const sum of line.follows) addTo(followed, line.seq, sum);
  }
  return { behind, before: new Map([...before].reverse()) };
}

/** Whether it is the only record with its seq. */
function take(taken: Map<number, KeptLine>, line: KeptLine): boolean {
  const known = taken.get(line.seq);
  if (known === undefined) taken.set(line.seq, line);
  return known === undefined || known.line.equals(line.line);
}

function has(sums: ReadonlyMap<number, ReadonlySet<string>>, seq: number, sum: string | undefined): boolean {
  return sum !== undefined && sums.get(seq)?.has(sum) === true;
}

function addTo(sums: Map<number, Set<string>>, seq: number, sum: string): void {
  const known = sums.get(seq);
  if (known === undefined) sums.set(seq, new Set([sum]));
  else known.add(sum);
}

/** What a record may name that was written after this one: its own line, or a checkpoint behind it. */
function sumsOf({ line, lastSumOfRecord }: KeptLine): readonly string[] {
  return [lastSum(line), lastSumOfRecord].filter((sum) => sum !== undefined);
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
