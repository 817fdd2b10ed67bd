/**
 * Puts the records of a dead instance's journal at their places again, over what is there, and syncs the files. Nothing
 * is skipped because it seems to be there already, and nothing is cut. A record that was written after other bytes than
 * those in the file is kept aside instead: another program has put an older file back, or the session has gone on without
 * it. It may be done again at any time, by anybody.
 */

import type { FileSystem, OpenFile } from "../../../host/host.ts";
import { errorCode } from "../../../host/io-error.ts";
import { isSameFile } from "../../../host/is-same-file.ts";
import { useFile } from "../../../host/use-file.ts";
import { writeFully } from "../../../host/write-fully.ts";
import type { JournalRecord } from "../../../journal/block.ts";
import { groupBySession } from "../../../journal/group-by-session.ts";
import type { Patch } from "../../../log/byte-source.ts";
import { FileWindow } from "../../../log/file-window.ts";
import { fitRecords } from "../../../log/fit-records.ts";
import type { Damage } from "../../../record/session-record.ts";
import { findSessionFile, peekHeader } from "../files/find-session-file.ts";
import { describeRecords, keepRecords } from "../files/kept-records.ts";
import { removedPath, type Layout } from "../files/layout.ts";
import type { Id } from "../../../record/session-id.ts";

/**
 * Answers with a description of the records that have no file; `undefined`: all of them had one. `onStrays` is told of
 * those that do not fit theirs, once they are kept.
 */
export async function replayRecords(
  files: FileSystem,
  layout: Layout,
  records: readonly JournalRecord[],
  onStrays: (damage: Damage) => void,
): Promise<string | undefined> {
  const lost: string[] = [];
  for (const [session, own] of groupBySession(records)) {
    const missing = await replaySession(files, layout, session, own, onStrays);
    if (missing > 0) lost.push(`${missing} records of session ${session} (${own[0]?.name ?? ""})`);
  }
  return lost.length === 0 ? undefined : `no file for ${lost.join(", ")}`;
}

/** It may be moved, sealed or replaced while we look: so often in a row that we miss it each time is not believable. */
const LOOKS = 50;

/** How many records have no file. */
async function replaySession(
  files: FileSystem,
  layout: Layout,
  session: Id,
  records: readonly JournalRecord[],
  onStrays: (damage: Damage) => void,
): Promise<number> {
  const name = records[0]?.name;
  if (name === undefined) return 0;
  for (let look = 0; look < LOOKS; look++) {
    const path = (await findSessionFile(files, layout, session, name))?.path;
    if (path === undefined) {
      // Whoever removes a session for good says so first, durably.
      const isRemoved = (await files.stat(removedPath(layout, session))) !== undefined;
      return isRemoved ? 0 : records.length;
    }
    const file = await openIfThere(files, path);
    if (file === undefined) continue;
    const replayed = await useFile(file, async () => await replayInto(files, path, file, session, records));
    if (replayed === undefined) continue;
    const { strays, key } = replayed;
    if (strays.length > 0) onStrays(strayDamage(path, key, strays, await keepRecords(files, layout, strays)));
    return 0;
  }
  throw new Error(`the file of session ${session} is moved about faster than it can be found`);
}

interface Replayed {
  readonly key: string;
  /** Records that do not fit the file as it is. */
  readonly strays: readonly JournalRecord[];
}

/**
 * The file that is open is the one that is written to: its living owner may have given its name to another since we
 * looked. `undefined`: it is another's, or another program has replaced or overwritten it meanwhile.
 */
async function replayInto(
  files: FileSystem,
  path: string,
  file: OpenFile,
  session: Id,
  records: readonly JournalRecord[],
): Promise<Replayed | undefined> {
  const header = await peekHeader(file);
  if (header?.id !== session) return undefined;
  // What belongs in a file that was sealed or rewritten since was in it, and synced, before that.
  const present = records.filter((record) => record.file === header.file);
  const later = records.filter((record) => record.file > header.file);
  const { fits, strays } = await fitRecords(file, (await file.stat()).size, session, present);
  for (const { offset, bytes } of joined(fits)) await writeFully(file, bytes, offset);
  if (fits.length > 0) {
    await file.sync();
    if (!(await areIn(files, path, file, fits))) return undefined;
  }
  return { key: header.key, strays: [...strays, ...later] };
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

async function openIfThere(files: FileSystem, path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, "write");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
