/** Empties the trash, or says what would go. Each session goes under the lease of its key, like any other change. */

import type { SessionInfo } from "../format/session-record.ts";
import { putAwayFiles, type SessionFile } from "../engine/files/find-session-file.ts";
import { checkOnlyFilesAnywhere } from "../engine/files/only-file.ts";
import { listReadableSessions } from "../engine/reading/list-sessions.ts";
import type { ReadPlace } from "../engine/reading/read-session.ts";

export interface PurgeRequest {
  /** Milliseconds; `undefined`: everything. */
  readonly before: number | undefined;
  readonly dryRun: boolean;
}

/** `remove` takes one away for good. Nothing goes if another file of the store has the id of one that would. A file in the trash that cannot be read as a session is reported, and stays. */
export async function purgeTrash(
  place: ReadPlace,
  { before, dryRun }: PurgeRequest,
  remove: (info: SessionInfo, file: SessionFile) => Promise<void>,
): Promise<readonly SessionInfo[]> {
  const { files, layout } = place;
  const found: { readonly info: SessionInfo; readonly file: SessionFile }[] = [];
  for (const file of await putAwayFiles(files, layout)) {
    if (file.status !== "trashed" || !(await wasTrashedBefore(place, file, before))) continue;
    for await (const { info } of listReadableSessions(place, [{ file, isAgain: false }]))
      found.push({ info, file });
  }
  const own = found.map(({ info: { key, id }, file: { path } }) => ({ key, id, path }));
  await checkOnlyFilesAnywhere(files, layout, own);
  if (!dryRun) for (const { info, file } of found) await remove(info, file);
  return found.map(({ info }) => info);
}

/** Moving a file into the trash is the last change of its name. */
async function wasTrashedBefore(
  { files }: ReadPlace,
  { path }: SessionFile,
  before: number | undefined,
): Promise<boolean> {
  const stat = await files.stat(path);
  return stat !== undefined && (before === undefined || stat.changed < before);
}
