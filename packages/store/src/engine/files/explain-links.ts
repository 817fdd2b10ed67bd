/**
 * An active file with a second name: ours, if a seal or a creation was cut short or a fork shares it; otherwise somebody's, who could
 * change under it what is promised never to change.
 */

import type { FileStat, FileSystem } from "../../host/host.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { namesIn } from "../../host/names-in.ts";
import { temporaryDirectories, type Layout, TEMPORARY_PREFIX } from "../../format/layout.ts";

/** How many names of this file are not ours. Looks for the others only if there are any. */
export async function unexplainedLinks(files: FileSystem, layout: Layout, path: string): Promise<number> {
  for (;;) {
    const stat = await files.stat(path);
    if (stat === undefined || stat.links <= 1) return 0;
    const unexplained = stat.links - 1 - (await countOwnNames(files, layout, stat));
    // Others may remove such a name while we look for it: then we look again.
    if (unexplained <= 0 || (await files.stat(path))?.links === stat.links) return Math.max(0, unexplained);
  }
}

/** Beside the one of the active file itself; stops when no more can be missing. */
async function countOwnNames(files: FileSystem, layout: Layout, stat: FileStat): Promise<number> {
  let found = 0;
  for (const session of await namesIn(files, layout.segments)) {
    const directory = `${layout.segments}/${session}`;
    if ((await files.stat(directory))?.kind !== "directory") continue;
    for (const name of await namesIn(files, directory)) {
      if (isSameFile(await files.stat(`${directory}/${name}`), stat)) found++;
    }
    if (found >= stat.links - 1) return found;
  }
  // Whoever was killed while he created it has left it its temporary name; the next to open the store removes that.
  for (const directory of temporaryDirectories(layout)) {
    for (const name of await namesIn(files, directory)) {
      if (!name.startsWith(TEMPORARY_PREFIX)) continue;
      if (isSameFile(await files.stat(`${directory}/${name}`), stat)) found++;
    }
  }
  return found;
}
