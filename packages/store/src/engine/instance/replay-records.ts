/**
 * Puts the records of a dead instance's journal at their places again, over what is there, and syncs the files. Nothing
 * is skipped because it seems to be there already, and nothing is cut. A record that was written after other bytes than
 * those in the file is kept aside instead: another program has put an older file back, or the session has gone on without
 * it. So is a record whose session has no file. It may be done again at any time, by any process.
 *
 * Instances take turns on a session, so a record may have been written after one that only the journal of another dead
 * instance holds. Before a record is kept aside, the records of those journals are read, and the ones that it needs are
 * written too.
 */

import type { FileSystem, OpenFile } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import type { JournalRecord } from "../../wal/block.ts";
import { groupBySession, recordsOf } from "../../wal/group-by-session.ts";
import { patchedSource, type Patch } from "../../session/byte-source.ts";
import { FileWindow } from "../../session/file-window.ts";
import { fitRecords } from "../../session/fit-records.ts";
import { fileNameOf } from "../../format/key.ts";
import type { Id } from "../../format/session-id.ts";
import type { Damage } from "../../format/session-record.ts";
import { findMissingEarlier } from "../files/earlier-records.ts";
import { findSessionFile, peekHeader } from "../files/find-session-file.ts";
import { describeRecords, keepRecords, withNeighbours } from "../files/kept-record-files.ts";
import { removedPath, type Layout } from "../../format/layout.ts";

export interface ReplayDeps {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** The records of the other dead instances. Asked for only if a record does not fit by itself. */
  otherRecords(): Promise<readonly JournalRecord[]>;
  /** Told of records that have no file, or do not fit theirs, once they are kept. */
  onStrays(damage: Damage): void;
}

export async function replayRecords(deps: ReplayDeps, records: readonly JournalRecord[]): Promise<void> {
  for (const own of groupBySession(records)) await replaySession(deps, own);
}

/** It may be moved, sealed or replaced while we look: so often in a row that we miss it each time is not believable. */
const LOOKS = 50;

/** Records of one session. */
async function replaySession(deps: ReplayDeps, records: readonly JournalRecord[]): Promise<void> {
  const { files, layout } = deps;
  const [first] = records;
  if (first === undefined) return;
  const { session, name } = first;
  let others: readonly JournalRecord[] | undefined;
  for (let look = 0; look < LOOKS; look++) {
    const path = (await findSessionFile(files, layout, session, name))?.path;
    if (path === undefined) {
      await keepWithoutFile(deps, session, records);
      return;
    }
    const file = await openIfThere(files, path);
    if (file === undefined) continue;
    const replayed = await useFile(
      file,
      async () => await replayInto(deps, path, file, records, others ?? []),
    );
    if (replayed === undefined) continue;
    const { strays, missing, key } = replayed;
    if (strays.length > 0 && others === undefined) {
      // The journals before the file: what a recovery takes out of a journal is in the file by then.
      others = recordsOf(await deps.otherRecords(), { id: session, key });
      continue;
    }
    for (const [own, describe] of [
      [strays, strayDamage],
      [missing, missingDamage],
    ] as const) {
      if (own.length === 0) continue;
      const kept = await keepRecords(files, layout, withNeighbours(records, new Set(own)));
      deps.onStrays(describe(path, key, own, kept));
    }
    return;
  }
  throw new Error(`the file of session ${session} is moved about faster than it can be found`);
}

/** Unless the session was removed for good: that is noted durably before anything of it is removed. */
async function keepWithoutFile(
  deps: ReplayDeps,
  session: Id,
  records: readonly JournalRecord[],
): Promise<void> {
  const { files, layout } = deps;
  if ((await files.stat(removedPath(layout, session))) !== undefined) return;
  const kept = await keepRecords(files, layout, records);
  const reason = `a dead process has acknowledged ${describeRecords(records)} of ${records[0]?.name ?? ""}, and no file of that key has their session's id. They are kept; put the session's file back, and a repair adds those that fit`;
  deps.onStrays({ file: kept, offset: 0, bytes: 0, kind: "corrupt", reason, kept });
}

interface Replayed {
  readonly key: string;
  /** Records that do not fit the file as it is. */
  readonly strays: readonly JournalRecord[];
  /** Records of files that were sealed or rewritten since, which the session no longer has. */
  readonly missing: readonly JournalRecord[];
}

/**
 * The file that is open is the one that is written to: its living owner may have given its name to another since we
 * looked. `undefined`: it is another's, or another program has replaced or overwritten it meanwhile.
 */
async function replayInto(
  { files, layout }: ReplayDeps,
  path: string,
  file: OpenFile,
  own: readonly JournalRecord[],
  others: readonly JournalRecord[],
): Promise<Replayed | undefined> {
  const header = await peekHeader(file);
  const [first] = own;
  if (header === undefined || header.id !== first?.session || fileNameOf(header.key) !== first.name)
    return undefined;
  const present = [...own, ...others].filter((record) => record.file === header.file);
  const later = own.filter((record) => record.file > header.file);
  const fitted = await fitRecords(file, (await file.stat()).size, header.id, present);
  const isOwn = new Set(own);
  const lastOwn = fitted.fits.findLastIndex((record) => isOwn.has(record));
  // With the records of others that come before them: no hole is left, though the other journal may be gone next.
  const fits = fitted.fits.slice(0, lastOwn + 1);
  for (const { offset, bytes } of joined(fits)) await writeFully(file, bytes, offset);
  if (fits.length > 0) {
    await file.sync();
    if (!(await areIn(files, path, file, fits))) return undefined;
  }
  // What belongs in a file that was sealed or rewritten since was in it, and synced, before that.
  const missing = await findMissingEarlier(
    { files, layout },
    patchedSource(file, (await file.stat()).size, []),
    header,
    own.filter((record) => record.file < header.file),
  );
  const strays = [...fitted.strays.filter((record) => isOwn.has(record)), ...later];
  return { key: header.key, strays, missing };
}

/** Records that follow each other are written at once: the fewer writes, the less can come between them. */
function joined(records: readonly JournalRecord[]): Patch[] {
  const runs: { offset: number; end: number; pieces: Buffer[] }[] = [];
  for (const { offset, bytes } of records) {
    const last = runs.at(-1);
    if (last?.end === offset) {
      last.pieces.push(bytes);
      last.end += bytes.length;
    } else runs.push({ offset, end: offset + bytes.length, pieces: [bytes] });
  }
  return runs.map(({ offset, pieces }) => ({ offset, bytes: Buffer.concat(pieces) }));
}

/** After the sync: what another program has put back before it may have taken them out again. */
async function areIn(
  files: FileSystem,
  path: string,
  file: OpenFile,
  records: readonly JournalRecord[],
): Promise<boolean> {
  const opened = await file.stat();
  const there = new FileWindow(file, opened.size);
  for (const { offset, bytes } of records) {
    if (!(await there.read(offset, offset + bytes.length)).equals(bytes)) return false;
  }
  const now = await files.stat(path);
  // Archived, restored or sealed meanwhile, it has another name, and is the same file: only a file in its place counts.
  return now === undefined || isSameFile(now, opened);
}

function strayDamage(path: string, key: string, strays: readonly JournalRecord[], kept: string): Damage {
  const reason = `a dead process has acknowledged ${describeRecords(strays)} that do not fit this file as it is now: it was replaced or overwritten since. They are kept; a repair puts back those that still fit`;
  return { file: path, offset: strays[0]?.offset ?? 0, bytes: 0, kind: "corrupt", reason, key, kept };
}

function missingDamage(path: string, key: string, missing: readonly JournalRecord[], kept: string): Damage {
  const reason = `a dead process has acknowledged ${describeRecords(missing)} that a sealed file of this session has lost since. They are kept; a repair puts them back`;
  return { file: path, offset: missing[0]?.offset ?? 0, bytes: 0, kind: "corrupt", reason, key, kept };
}

async function openIfThere(files: FileSystem, path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, "write");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
