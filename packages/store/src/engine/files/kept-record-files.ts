/**
 * Acknowledged records that do not fit the session file as it is now, kept in `damaged/` with their positions, as a
 * journal holds them. A repair puts back what still fits. Named `ID.FILE.OFFSET.records`, so that the names alone say
 * whose they are; a number before the ending tells several of one position apart.
 */

import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { namesIn } from "../../host/names-in.ts";
import { readWholeFile } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import { decodeRecords, encodeRecords, type JournalRecord } from "../../wal/block.ts";
import { countSeqs } from "../../format/damage-reason.ts";
import { decodeLine } from "../../format/decode.ts";
import { NEWLINE } from "../../format/format.ts";
import { lastSum } from "../../format/last-sum.ts";
import { lineSum } from "../../format/line-checksum.ts";
import type { JournaledRecord } from "../../session/settle-records.ts";
import { isId, type Id } from "../../format/session-id.ts";
import type { Layout } from "../../format/layout.ts";
import { promised } from "../../host/promised.ts";

const ENDING = ".records";
const RESTORED_ENDING = ".restored";
/** More than a journal and a batch hold: a longer file is none of ours. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** Of one session. Durable when it resolves; kept once, however often it is asked for. Answers with the path. */
export async function keepRecords(
  files: FileSystem,
  layout: Layout,
  records: readonly JournalRecord[],
): Promise<string> {
  const bytes = encodeRecords(records);
  const path = await writeNumbered(files, `${layout.damaged}/${firstPart(records)}`, bytes);
  await files.syncDirectory(layout.damaged);
  return path;
}

function firstPart(records: readonly JournalRecord[]): string {
  const { session = "", file = 0, offset = 0 } = records[0] ?? {};
  return `${isId(session) ? session : "unknown"}.${file}.${offset}`;
}

async function writeNumbered(files: FileSystem, first: string, bytes: Buffer): Promise<string> {
  for (let number = 1; ; number++) {
    const path = `${first}${number === 1 ? "" : `.${number}`}${ENDING}`;
    const file = await promised(() => files.open(path, "create")).catch((error: unknown) => {
      if (errorCode(error) === "EEXIST") return undefined;
      throw error;
    });
    if (file !== undefined) {
      await useFile(file, async () => {
        await writeFully(file, bytes, 0);
        await file.sync();
      });
      return path;
    }
    // Whoever was killed here may have written all of it: written again, it is durable.
    if ((await readWholeFile(files, path, MAX_BYTES))?.equals(bytes) !== true) continue;
    await useFile(await files.open(path, "write"), async (same) => {
      await writeFully(same, bytes, 0);
      await same.sync();
    });
    return path;
  }
}

/**
 * Records that are to be kept, and their neighbours in the journal, in its order: those tell which history they belong to,
 * though the file has them. `records`: of one journal and session.
 */
export function withNeighbours<R>(records: readonly R[], strays: ReadonlySet<R>): R[] {
  const isStray = (record: R | undefined): boolean => record !== undefined && strays.has(record);
  return records.filter(
    (record, index) => isStray(record) || isStray(records[index - 1]) || isStray(records[index + 1]),
  );
}

/** Paths of what is kept and was not put back yet, sorted; `of`: only of this session. */
export async function keptRecordFiles(files: FileSystem, { damaged }: Layout, of?: Id): Promise<string[]> {
  const names = await namesIn(files, damaged);
  const isKept = (name: string): boolean => {
    const id = idIn(name);
    return name.endsWith(ENDING) && isId(id) && (of === undefined || id === of);
  };
  return names
    .filter(isKept)
    .sort()
    .map((name) => `${damaged}/${name}`);
}

/** Whose records such a path is of, as its name says. */
export function keptSessionOf({ damaged }: Layout, path: string): Id {
  const id = idIn(path.slice(damaged.length + 1));
  if (!isId(id)) throw new Error(`${path} is no file of kept records`);
  return id;
}

function idIn(name: string): string {
  return name.split(".")[0] ?? "";
}

/** `undefined`: these are no records of one session. */
export async function readKeptRecords(
  files: FileSystem,
  path: string,
): Promise<readonly JournalRecord[] | undefined> {
  const bytes = await readWholeFile(files, path, MAX_BYTES);
  const records = bytes === undefined ? undefined : decodeRecords(bytes);
  const session = records?.[0]?.session;
  return session !== undefined && records?.every((record) => record.session === session) === true
    ? records
    : undefined;
}

/** They are in their session again: the copy stays, and is not looked at any more. */
export async function markRestored(files: FileSystem, { damaged }: Layout, path: string): Promise<string> {
  const restored = `${path.slice(0, -ENDING.length)}${RESTORED_ENDING}`;
  await files.rename(path, restored);
  await files.syncDirectory(damaged);
  return restored;
}

/** A record of a journal, with its line. */
export interface KeptLine extends JournaledRecord {
  /** With its newline. */
  readonly line: Buffer;
}

/**
 * The records themselves, without the checkpoints between them. One was written after the line that its record in the journal
 * names, and after the record before it in the same file, between which there may have been a checkpoint.
 */
export function linesOf(
  records: readonly Pick<JournalRecord, "session" | "file" | "offset" | "bytes" | "after">[],
): KeptLine[] {
  const found: KeptLine[] = [];
  for (const { session, file, offset, bytes, after } of records) {
    const own: KeptLine[] = [];
    for (let start = 0; start < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      const content = bytes.subarray(start, end);
      const decoded = decodeLine(content, session);
      if (decoded.kind === "entry") {
        const { seq } = decoded.entry;
        const sum = lineSum(content);
        const before = own.at(-1) ?? found.at(-1);
        const previous = before?.seq === seq - 1 ? before.sum : undefined;
        const follows = [own.length === 0 ? after : undefined, previous].filter((each) => each !== undefined);
        const line = Buffer.concat([content, Buffer.from("\n")]);
        own.push({ seq, sum, follows, names: [sum], file, offset: offset + start, line });
      }
      start = end + 1;
    }
    const last = own.pop();
    const sumOfRecord = lastSum(bytes);
    if (last !== undefined)
      own.push({ ...last, names: sumOfRecord === undefined ? last.names : [last.sum, sumOfRecord] });
    found.push(...own);
  }
  return found;
}

/** No line of them has been damaged since they were kept. Which record a damaged one was, nothing tells. */
export function areWhole(records: readonly Pick<JournalRecord, "session" | "bytes">[]): boolean {
  return records.every(({ session, bytes }) => {
    for (let start = 0; start < bytes.length;) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      if (decodeLine(bytes.subarray(start, end), session).kind === "bad") return false;
      start = end + 1;
    }
    return true;
  });
}

/** "3 records (seq 4 to 6)": what people are told. */
export function describeRecords(records: readonly JournalRecord[]): string {
  return describeLines(linesOf(records));
}

export function describeLines(lines: readonly KeptLine[]): string {
  return countSeqs(lines.map(({ seq }) => seq));
}
