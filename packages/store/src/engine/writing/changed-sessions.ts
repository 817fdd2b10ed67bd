/**
 * Sessions whose file another program has removed, replaced, shortened or overwritten while this instance had it open.
 * What was acknowledged and is not in the file as it is now is kept aside, durably; then nothing is written to the key
 * until the session's file has those records again, or a repair has looked at it.
 */

import { LonghandError, isLonghandError } from "../../errors.ts";
import type { FileStat, FileSystem, OpenFile } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { useFile } from "../../host/use-file.ts";
import type { JournalRecord } from "../../wal/block.ts";
import { recordsOf } from "../../wal/group-by-session.ts";
import { patchedSource, type ByteSource } from "../../session/byte-source.ts";
import { FileWindow } from "../../session/file-window.ts";
import { openFile } from "../../session/open-session.ts";
import { recordsKeptAside, sessionChanged } from "../../session/session-changed.ts";
import type { SessionLog } from "../../session/session-log.ts";
import { NEWLINE } from "../../format/format.ts";
import { fileNameOf } from "../../format/key.ts";
import { lastSum, LINE_END_BYTES } from "../../format/last-sum.ts";
import type { Damage } from "../../format/session-record.ts";
import { fitKeptRecordsOf } from "../files/fit-kept-records.ts";
import { describeRecords, keepRecords, linesOf } from "../files/kept-record-files.ts";
import type { Layout } from "../../format/layout.ts";
import type { Instance } from "../instance/begin-instance.ts";

export interface ChangedSessionsDeps {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly instance: Pick<Instance, "journal" | "whyLost">;
  onDamage(damage: Damage): void;
}

interface Expected {
  readonly key: string;
  readonly error: LonghandError;
  /** Where the last acknowledged record ends, and how. */
  readonly end: number;
  readonly sum: string | undefined;
}

const CHUNK_BYTES = 1024 * 1024;

export class ChangedSessions {
  readonly #deps: ChangedSessionsDeps;
  readonly #expected = new Map<string, Expected>();
  readonly #keeping = new Map<SessionLog, Promise<LonghandError>>();

  constructor(deps: ChangedSessionsDeps) {
    this.#deps = deps;
  }

  /** Keeps what the file lacks, and gives the log up. Answers with what to tell. Rejects if it could not be kept. */
  async keep(log: SessionLog): Promise<LonghandError> {
    const underWay = this.#keeping.get(log);
    if (underWay !== undefined) return await underWay;
    const keeping = this.#keep(log).finally(() => this.#keeping.delete(log));
    this.#keeping.set(log, keeping);
    return await keeping;
  }

  /**
   * A session that was opened: rejects while its file still lacks what this instance has kept aside, or what any
   * instance has kept and a repair would put back: the next record would get the seq of an acknowledged one.
   */
  async check(log: SessionLog): Promise<void> {
    const place = placeOf(log);
    const expected = this.#expected.get(place);
    if (expected !== undefined && !(await log.isBehind(expected.end, expected.sum))) throw expected.error;
    this.#expected.delete(place);
    await this.#checkKept(log);
  }

  /** A key without an active session: rejects while the session that this instance has written to is missing. */
  checkMissing(key: string, archivedId: string | undefined): void {
    for (const [place, expected] of this.#expected) {
      if (expected.key === key && place.split("/")[0] !== archivedId) throw expected.error;
    }
  }

  /** A repair has put back what fits. */
  forget(key: string): void {
    for (const [place, expected] of this.#expected) if (expected.key === key) this.#expected.delete(place);
  }

  /** A repair has found no file of this session. */
  forgetSession(id: string): void {
    for (const place of this.#expected.keys()) if (place.startsWith(`${id}/`)) this.#expected.delete(place);
  }

  async #checkKept({ path, header, state }: SessionLog): Promise<void> {
    const { files, layout } = this.#deps;
    const found = await fitKeptRecordsOf({ files, layout }, path, header);
    if (found === undefined) return;
    const { key } = header;
    const { absent, settled, lastSeq, there } = found.fitted;
    for (const { path: kept, records } of found.kept) {
      if (there.has(kept)) continue;
      // A repair puts them behind the last record that counts, also where damaged lines stand there now.
      const isToCome =
        absent.get(kept)?.some(({ seq, sum }) => seq > lastSeq && settled.get(seq) === sum) === true;
      if (!isToCome && linesOf(records).every(({ seq }) => seq <= state.seq)) continue;
      const reason = `${describeRecords(records)} of it, acknowledged before, are kept aside and not in it`;
      this.#deps.onDamage({ file: path, offset: 0, bytes: 0, kind: "corrupt", reason, key, kept });
      if (isToCome) throw recordsKeptAside(path, key, kept);
    }
  }

  async #keep(log: SessionLog): Promise<LonghandError> {
    try {
      for (;;) {
        const { end, lastSum: sum } = log;
        const error = await this.#keepUpTo(log, end, sum);
        // What was acknowledged while the others were kept is kept next.
        if (await log.giveUp(error, end)) return error;
      }
    } catch (error) {
      throw ioError(error, "keeping records of a changed session", log.path);
    }
  }

  async #keepUpTo(log: SessionLog, end: number, sum: string | undefined): Promise<LonghandError> {
    const { layout, files } = this.#deps;
    const { key } = log.header;
    await this.#checkDirectory();
    const missing = await this.#missing(log);
    if (missing.length === 0) return log.changed ?? sessionChanged(log.path, key);
    const kept = await keepRecords(files, layout, missing);
    const error = sessionChanged(log.path, key, kept);
    this.#expected.set(placeOf(log), { key, error, end, sum });
    const { offset = 0 } = missing[0] ?? {};
    const reason = `another program has replaced, shortened or overwritten it: ${describeRecords(missing)} of it, acknowledged before, are kept aside`;
    this.#deps.onDamage({ file: log.path, offset, bytes: 0, kind: "corrupt", reason, key, kept });
    return error;
  }

  /** In a directory that was put in the place of ours nothing is kept. */
  async #checkDirectory(): Promise<void> {
    const { directory } = this.#deps.layout;
    const lost = await this.#deps.instance.whyLost();
    if (lost === undefined) return;
    throw new LonghandError("STORE_FAILED", `${directory}: ${lost}; reopen the store`, { directory });
  }

  /** Acknowledged, and not in the file that is at the session's path now. */
  async #missing(log: SessionLog): Promise<readonly JournalRecord[]> {
    const { files, instance } = this.#deps;
    const present = await openFile({ files, path: log.path }, "read").catch((error: unknown) => {
      // A directory or a link in its place has none of them.
      if (isLonghandError(error, "IO_FAILED")) return undefined;
      throw error;
    });
    const find = async (stat: FileStat | undefined): Promise<readonly JournalRecord[]> => {
      const { file } = log.header;
      // If another file is in its place, the one that is open has everything; otherwise only the journal does.
      if (!(await log.isOpened(stat))) return await missingIn(present, stat?.size ?? 0, log);
      const own = recordsOf(await instance.journal.readBack(), log.header);
      const there = new FileWindow(present ?? NOTHING, stat?.size ?? 0);
      const missing: JournalRecord[] = [];
      for (const record of own) {
        if (record.file !== file) continue;
        const { offset, bytes } = record;
        // Behind one that is missing none counts as there: nobody could read it as what comes next.
        const isThere =
          missing.length === 0 && (await there.read(offset, offset + bytes.length)).equals(bytes);
        if (!isThere) missing.push(record);
      }
      return missing;
    };
    return present === undefined
      ? await find(undefined)
      : await useFile(present, async () => await find(await present.stat()));
  }
}

const NOTHING: Pick<OpenFile, "read"> = { read: async () => await Promise.resolve(0) };

function placeOf({ header: { id, file, key } }: SessionLog): string {
  return `${id}/${file}/${fileNameOf(key)}`;
}

/** From the first line on in which the file at the path differs from the one that is open. */
async function missingIn(
  present: OpenFile | undefined,
  size: number,
  log: SessionLog,
): Promise<readonly JournalRecord[]> {
  const { header, end } = log;
  const source = log.source();
  const same = present === undefined ? 0 : await samePrefix(source, patchedSource(present, size, []), end);
  if (same >= end) return [];
  const offset = await lineStart(source, same);
  const bytes = Buffer.alloc(end - offset);
  await source.read(bytes, offset);
  const before = Buffer.alloc(Math.min(LINE_END_BYTES, offset));
  await source.read(before, offset - before.length);
  const { id: session, file, key } = header;
  return [{ session, file, name: fileNameOf(key), offset, bytes, after: lastSum(before) }];
}

async function samePrefix(one: ByteSource, other: ByteSource, limit: number): Promise<number> {
  const [ofOne, ofOther] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
  for (let position = 0; position < limit; position += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, limit - position);
    const found = await other.read(ofOther.subarray(0, length), position);
    await one.read(ofOne.subarray(0, length), position);
    const differs = ofOne.subarray(0, found).findIndex((byte, index) => byte !== ofOther[index]);
    if (differs !== -1) return position + differs;
    if (found < length) return position + found;
  }
  return limit;
}

async function lineStart(source: ByteSource, position: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = position; end > 0; end -= CHUNK_BYTES) {
    const from = Math.max(0, end - CHUNK_BYTES);
    const count = await source.read(chunk.subarray(0, end - from), from);
    const newline = chunk.subarray(0, count).lastIndexOf(NEWLINE);
    if (newline !== -1) return from + newline + 1;
  }
  return 0;
}
