/** Files among the sealed ones that no chain names. They are never read; a repair moves them out of the way. */

import type { FileStat, FileSystem } from "../../../host/host.ts";
import { isSameFile } from "../../../host/is-same-file.ts";
import { namesIn } from "../../../host/names-in.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../../../log/segment-path.ts";
import type { Header } from "../../../record/header.ts";
import type { Layout } from "../files/layout.ts";

/** Paths in the session's directory. `active`: its active file, which a seal that was cut short may have named there. */
export async function findOrphans(
  files: FileSystem,
  layout: Layout,
  header: Header,
  active: FileStat | undefined,
): Promise<string[]> {
  const directory = segmentDirectory(layout.segments, header.id);
  const named = new Set<string>();
  // Also what was dropped and is still there: the next reclaim goes on with it.
  for (const { file } of header.chain) {
    for (const path of segmentCandidates(segmentPath(layout.segments, header.id, file))) named.add(path);
  }
  const orphans: string[] = [];
  for (const name of await visibleNamesIn(files, directory)) {
    const path = `${directory}/${name}`;
    if (named.has(path)) continue;
    const stat = await files.stat(path);
    if (stat !== undefined && !isSameFile(stat, active)) orphans.push(path);
  }
  return orphans;
}

/** What lies beside the directories of these sessions. */
export async function findStrangers(
  files: FileSystem,
  { segments }: Layout,
  sessions: ReadonlySet<string>,
): Promise<string[]> {
  const strangers: string[] = [];
  for (const name of await visibleNamesIn(files, segments)) {
    const path = `${segments}/${name}`;
    if (sessions.has(name)) continue;
    // The directory of a session that was removed for good stays, with nothing in it.
    const isEmpty =
      (await files.stat(path))?.kind === "directory" && (await files.readDirectory(path)).length === 0;
    if (!isEmpty) strangers.push(path);
  }
  return strangers;
}

/** Without what somebody is writing under a temporary name. */
async function visibleNamesIn(files: FileSystem, directory: string): Promise<string[]> {
  return (await namesIn(files, directory)).filter((name) => !name.startsWith(".")).sort();
}
