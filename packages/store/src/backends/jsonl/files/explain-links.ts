/**
 * An active file with a second name: ours, if a seal or a creation was cut short or a fork shares it; otherwise somebody's, who could
 * change under it what is promised never to change.
 */

import type { FileSystem } from "../../../host/host.ts";
import { isSameFile } from "../../../host/is-same-file.ts";
import { namesIn } from "../../../host/names-in.ts";
import { TEMPORARY_PREFIX } from "../../../log/create-session.ts";
import { segmentDirectory } from "../../../log/segment-path.ts";
import type { Layout } from "./layout.ts";

/** How many names of this file are not ours. Looks for the others only if there are any. */
export async function unexplainedLinks(files: FileSystem, layout: Layout, path: string): Promise<number> {
  const stat = await files.stat(path);
  if (stat === undefined || stat.links <= 1) return 0;
  let unexplained = stat.links - 1;
  for (const session of await namesIn(files, layout.segments)) {
    const directory = segmentDirectory(layout.segments, session);
    for (const name of await namesIn(files, directory)) {
      if (isSameFile(await files.stat(`${directory}/${name}`), stat)) unexplained--;
    }
    if (unexplained === 0) return 0;
  }
  // Whoever was killed while he created it has left it its temporary name; the next to open the store removes that.
  for (const name of await namesIn(files, layout.directory)) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    if (isSameFile(await files.stat(`${layout.directory}/${name}`), stat)) unexplained--;
  }
  return unexplained;
}
