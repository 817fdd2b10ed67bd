/**
 * Puts the records of a dead instance's journal at their places again, over what is there, and syncs the files. Nothing
 * is skipped because it seems to be there already, and nothing is cut. It may be done again at any time, by anybody.
 */

import type { FileSystem, OpenFile } from "../../../host/host.ts";
import { errorCode } from "../../../host/io-error.ts";
import { useFile } from "../../../host/use-file.ts";
import { writeFully } from "../../../host/write-fully.ts";
import type { JournalRecord } from "../../../journal/block.ts";
import { groupBySession } from "../../../journal/group-by-session.ts";
import { patchesInReach } from "../../../log/byte-source.ts";
import { findSessionFile, peekHeader } from "../files/find-session-file.ts";
import { removedPath, type Layout } from "../files/layout.ts";
import type { Id } from "../../../record/session-id.ts";

/** Answers with a description of the records that have no place; `undefined`: all of them had one. */
export async function replayRecords(
  files: FileSystem,
  layout: Layout,
  records: readonly JournalRecord[],
): Promise<string | undefined> {
  const lost: string[] = [];
  for (const [session, own] of groupBySession(records)) {
    const missing = await replaySession(files, layout, session, own);
    if (missing > 0) lost.push(`${missing} records of session ${session} (${own[0]?.name ?? ""})`);
  }
  return lost.length === 0 ? undefined : `no file for ${lost.join(", ")}`;
}

/** It may be moved or sealed while we look: so often in a row that we miss it each time is not believable. */
const LOOKS = 50;

/** How many records have no place. */
async function replaySession(
  files: FileSystem,
  layout: Layout,
  session: Id,
  records: readonly JournalRecord[],
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
    const missing = await useFile(file, async () => await replayInto(file, session, records));
    if (missing !== undefined) return missing;
  }
  throw new Error(`the file of session ${session} is moved about faster than it can be found`);
}

/**
 * The file that is open is the one that is written to: its living owner may have given its name to another since we
 * looked. `undefined`: it is another's.
 */
async function replayInto(
  file: OpenFile,
  session: Id,
  records: readonly JournalRecord[],
): Promise<number | undefined> {
  const header = await peekHeader(file);
  if (header?.id !== session) return undefined;
  // What belongs in a file that was sealed or rewritten since was in it, and synced, before that.
  const present = records.filter((record) => record.file === header.file);
  const inReach = patchesInReach((await file.stat()).size, present);
  for (const { offset, bytes } of inReach) await writeFully(file, bytes, offset);
  if (inReach.length > 0) await file.sync();
  const later = records.filter((record) => record.file > header.file);
  return later.length + present.length - inReach.length;
}

async function openIfThere(files: FileSystem, path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, "write");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
