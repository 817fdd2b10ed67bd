/**
 * Files among the sealed ones that no chain names, and compressed ones that hold something else than the plain file beside them. They
 * are never read; a repair moves them out of the way.
 */

import type { FileStat, FileSystem } from "../../host/host.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { namesIn } from "../../host/names-in.ts";
import { tryOpen } from "../../host/try-open.ts";
import { useFile } from "../../host/use-file.ts";
import { holdsCompressed } from "../../session/compress-segment.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../../session/segment-path.ts";
import type { ChainLink, Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";

/** The directory of the session's sealed files is a link: nothing in it is the session's, and nobody may change it. */
export async function isLinkedAway(files: FileSystem, layout: Layout, { id }: Header): Promise<boolean> {
  return (await files.stat(segmentDirectory(layout.segments, id)))?.kind === "other";
}

/** Paths in the session's directory. `active`: its active file, which a seal that was cut short may have named there. */
export async function findOrphans(
  files: FileSystem,
  layout: Layout,
  header: Header,
  active: FileStat | undefined,
): Promise<string[]> {
  const directory = segmentDirectory(layout.segments, header.id);
  if (await isLinkedAway(files, layout, header)) return [directory];
  const named = new Set<string>();
  // Also what was dropped and is still there: the next reclaim goes on with it.
  for (const link of header.chain) {
    const [plain, compressed] = segmentCandidates(segmentPath(layout.segments, header.id, link.file));
    named.add(plain);
    if (!(await isHidden(files, plain, compressed, link))) named.add(compressed);
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

/** Whether the compressed file is one that no reader looks at, since the plain one is there, and that holds something else. */
async function isHidden(
  files: FileSystem,
  plain: string,
  compressed: string,
  { bytes, sum, dropped }: ChainLink,
): Promise<boolean> {
  if (dropped !== undefined || (await files.stat(plain)) === undefined) return false;
  const opened = await tryOpen(files, compressed);
  if (opened === undefined) return false;
  if (opened.kind === "not-opened") return true;
  return !(await useFile(opened.file, async (file) => await holdsCompressed(file, bytes, sum)));
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
