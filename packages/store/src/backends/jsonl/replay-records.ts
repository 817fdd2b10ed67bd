/**
 * Puts the records of a dead instance's journal at their places again, over what is there, and syncs the files. Nothing
 * is skipped because it seems to be there already, and nothing is cut. It may be done again at any time, by anybody.
 */

import type { FileSystem } from "../../host/host.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import type { JournalRecord } from "../../journal/block.ts";
import { groupBySession } from "../../journal/group-by-session.ts";
import { findSessionFile } from "./find-session-file.ts";
import { removedPath, type Layout } from "./layout.ts";

/** Answers with a description of the records that have no place; `undefined`: all of them had one. */
export async function replayRecords(
  files: FileSystem,
  layout: Layout,
  records: readonly JournalRecord[],
): Promise<string | undefined> {
  const lost: string[] = [];
  for (const [session, own] of groupBySession(records)) {
    const name = own[0]?.name ?? "";
    const found = await findSessionFile(files, layout, session, name);
    if (found === undefined) {
      // Whoever removes a session for good says so first, durably.
      const isRemoved = (await files.stat(removedPath(layout, session))) !== undefined;
      if (!isRemoved) lost.push(`${own.length} records of session ${session} (${name})`);
      continue;
    }
    // What belongs in a file that was sealed or rewritten since was in it, and synced, before that.
    const present = own.filter(({ file }) => file === found.header.file);
    if (present.length > 0) await replayInto(files, found.path, present);
    const later = own.filter(({ file }) => file > found.header.file);
    if (later.length > 0)
      lost.push(`${later.length} records of session ${session} for a later file of it (${name})`);
  }
  return lost.length === 0 ? undefined : `no file for ${lost.join(", ")}`;
}

async function replayInto(files: FileSystem, path: string, records: readonly JournalRecord[]): Promise<void> {
  await useFile(await files.open(path, "write"), async (file) => {
    for (const { offset, bytes } of records) await writeFully(file, bytes, offset);
    await file.sync();
  });
}
