import type { FileSystem } from "../../host/host.ts";
import { makeDirectory } from "../../host/make-directories.ts";
import { segmentDirectory } from "../../session/segment-path.ts";
import type { Layout } from "../../format/layout.ts";
import type { Id } from "../../format/session-id.ts";

interface SegmentDeps {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** Makes the names in a directory durable, or stops the instance. */
  syncNames(directory: string): Promise<void>;
}

/** The directory for a session's sealed files, its name durable: also where somebody was killed before he synced it. */
export async function makeSegmentDirectory(deps: SegmentDeps, sessionId: Id): Promise<void> {
  const { files, layout } = deps;
  const sync = async (parent: string): Promise<void> => await deps.syncNames(parent);
  await makeDirectory(files, layout.segments, sync);
  await makeDirectory(files, segmentDirectory(layout.segments, sessionId), sync);
}
