/**
 * A new session file: written and synced under a temporary name, then linked to its own. It never appears half
 * written, and never over another: unlike a rename, a link fails where something is.
 */

import type { FileSystem, OpenFile } from "../host/host.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeHeader, type Header } from "../record/encode.ts";
import { EMPTY_STATE } from "../record/fold.ts";
import { SeqMarks } from "./seq-marks.ts";
import { SessionLog } from "./session-log.ts";

export const TEMPORARY_PREFIX = ".new-";

/** The caller knows that `path` is free, on the disk too, and syncs the directory afterwards. */
export async function createSession(
  files: FileSystem,
  directory: string,
  path: string,
  header: Header,
): Promise<SessionLog> {
  const temporary = `${directory}/${TEMPORARY_PREFIX}${header.id}`;
  const line = encodeHeader(header);
  const file = await files.open(temporary, "create");
  try {
    await writeFully(file, line, 0);
    await file.sync();
    await files.link(temporary, path);
    await files.unlink(temporary);
  } catch (error) {
    await discard(files, file, temporary);
    throw error;
  }
  return new SessionLog(path, file, {
    header,
    headerBytes: line.length,
    state: EMPTY_STATE,
    end: line.length,
    torn: undefined,
    unterminated: false,
    damage: [],
    marks: new SeqMarks(),
  });
}

/** The failure that led here is the one to tell; what is left over is removed by the next who opens the store. */
async function discard(files: FileSystem, file: OpenFile, temporary: string): Promise<void> {
  await file.close().catch(() => undefined);
  await files.unlink(temporary).catch(() => undefined);
}
