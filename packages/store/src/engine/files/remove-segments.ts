import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { removeIfThere } from "../../host/small-files.ts";
import { segmentDirectory } from "../../session/segment-path.ts";
import type { Layout } from "../../format/layout.ts";
import type { Id } from "../../format/session-id.ts";

/**
 * The sealed files of a session that nobody has, or ever will have. What a fork of it shares stays with the fork. Its
 * directory stays, with nothing in it.
 */
export async function removeSegments(files: FileSystem, layout: Layout, sessionId: Id): Promise<void> {
  const directory = segmentDirectory(layout.segments, sessionId);
  try {
    for (const name of await files.readDirectory(directory))
      await removeIfThere(files, `${directory}/${name}`);
    await files.syncDirectory(directory);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
