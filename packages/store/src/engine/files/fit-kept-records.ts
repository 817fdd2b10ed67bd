/**
 * Which records that were kept aside fit behind the end of their session's file. Records of one session may be kept in
 * several files, since instances take turns on it: they are put in the order of their seqs, and each must have been
 * written after the one before it. A checksum says so, or their order in the file they were kept in.
 */

import type { FileSystem, OpenFile } from "../../host/host.ts";
import { useFile } from "../../host/use-file.ts";
import type { JournalRecord } from "../../wal/block.ts";
import { patchedSource } from "../../session/byte-source.ts";
import { firstSeqOf } from "../../session/log-part.ts";
import { readLines } from "../../session/read-lines.ts";
import { decodeLine } from "../../format/decode.ts";
import type { Header } from "../../format/header.ts";
import { lastSum } from "../../format/last-sum.ts";
import { checkLine } from "../../format/line-checksum.ts";
import type { Layout } from "../../format/layout.ts";
import type { Id } from "../../format/session-id.ts";
import { keptRecordFiles, linesOf, readKeptRecords, type KeptLine } from "./kept-records.ts";

/** One file of kept records. */
export interface KeptFile {
  readonly path: string;
  readonly records: readonly JournalRecord[];
}

export interface FittedKept {
  /** The lines to put behind the end of the session's file, in order, each with its newline. */
  readonly add: readonly Buffer[];
  /** Kept files of which the session's file has every record. */
  readonly there: ReadonlySet<string>;
  /** Kept files of which it has every record once `add` is written. */
  readonly fits: ReadonlySet<string>;
}

/** `kept`: all of one session. */
export async function fitKeptRecords(
  file: OpenFile,
  header: Header,
  kept: readonly KeptFile[],
): Promise<FittedKept> {
  const linesByPath = new Map(kept.map(({ path, records }) => [path, linesOf(records)]));
  const candidates = [...linesByPath.values()].flat();
  const end = await readEnd(file, header, new Set(candidates.map(({ seq }) => seq)));
  const present = new Set(candidates.filter(({ seq, line }) => end.sums.get(seq) === lastSum(line)));
  const add: Buffer[] = [];
  const bySeq = new Map<number, KeptLine[]>();
  for (const line of candidates) bySeq.set(line.seq, [...(bySeq.get(line.seq) ?? []), line]);
  let { lastSeq } = end;
  let tail = new Set<string | undefined>([end.lastSum]);
  for (const line of bySeq.get(lastSeq) ?? []) if (present.has(line)) tail = union(tail, sumsOf(line));
  for (;;) {
    const next = bySeq.get(lastSeq + 1) ?? [];
    const first = next.find((line) => line.follows.some((sum) => tail.has(sum)));
    if (first === undefined) break;
    add.push(first.line);
    lastSeq += 1;
    tail = new Set();
    // The same record may be kept twice: both are there then.
    for (const line of next.filter((each) => each.line.equals(first.line))) {
      present.add(line);
      tail = union(tail, sumsOf(line));
    }
  }
  const there = new Set<string>();
  const fits = new Set<string>();
  for (const [path, lines] of linesByPath) {
    const isThere = lines.every(({ seq, line }) => end.sums.get(seq) === lastSum(line));
    if (isThere) there.add(path);
    else if (lines.every((line) => present.has(line))) fits.add(path);
  }
  return { add, there, fits };
}

/** The same for the session's file at a path, with what is kept of it. `undefined`: nothing is. */
export async function fitKeptRecordsOf(
  files: FileSystem,
  layout: Layout,
  path: string,
  header: Header,
): Promise<{ readonly kept: readonly KeptFile[]; readonly fitted: FittedKept } | undefined> {
  const kept = await keptFilesOf(files, layout, header.id);
  if (kept.length === 0) return undefined;
  const fitted = await useFile(
    await files.open(path, "read"),
    async (file) => await fitKeptRecords(file, header, kept),
  );
  return { kept, fitted };
}

async function keptFilesOf(files: FileSystem, layout: Layout, id: Id): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  for (const path of await keptRecordFiles(files, layout, id)) {
    const records = await readKeptRecords(files, path);
    if (records !== undefined) found.push({ path, records });
  }
  return found;
}

interface FileEnd {
  readonly lastSeq: number;
  /** The checksum of the last whole line, whatever it is. */
  readonly lastSum: string | undefined;
  /** Of the records that were asked for. */
  readonly sums: ReadonlyMap<number, string | undefined>;
}

async function readEnd(file: OpenFile, header: Header, wanted: ReadonlySet<number>): Promise<FileEnd> {
  const source = patchedSource(file, (await file.stat()).size, []);
  const sums = new Map<number, string | undefined>();
  let lastSeq = firstSeqOf(header) - 1;
  let sum: string | undefined;
  for await (const chunk of readLines(source, 0, source.size)) {
    for (const { content, offset } of chunk) {
      if (content === undefined || checkLine(content, offset === 0 ? "" : header.id) === undefined) continue;
      sum = lastSum(Buffer.concat([content, Buffer.from("\n")]));
      const decoded = decodeLine(content, header.id);
      if (decoded.kind === "lost") lastSeq = Math.max(lastSeq, decoded.last);
      if (decoded.kind !== "entry") continue;
      lastSeq = Math.max(lastSeq, decoded.entry.seq);
      if (wanted.has(decoded.entry.seq)) sums.set(decoded.entry.seq, sum);
    }
  }
  return { lastSeq, lastSum: sum, sums };
}

/** What a record may name that was written after this one: its own line, or a checkpoint behind it. */
function sumsOf({ line, lastSumOfRecord }: KeptLine): Set<string | undefined> {
  const own = lastSum(line);
  return new Set(lastSumOfRecord === undefined ? [own] : [own, lastSumOfRecord]);
}

function union<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): Set<T> {
  return new Set([...one, ...other]);
}
