import type { FileSystem } from "../../../host/host.ts";
import { makeDirectory } from "../../../host/make-directories.ts";
import { segmentDirectory } from "../../../log/segment-path.ts";
import type { Layout } from "./layout.ts";
import type { Id } from "../../../record/session-id.ts";

interface SegmentSurroundings {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** Makes the names in a directory durable, or stops the instance. */
  syncNames(directory: string): Promise<void>;
}

/** The directory for a session's sealed files, its name durable: also where somebody was killed before he synced it. */
export async function makeSegmentDirectory(around: SegmentSurroundings, sessionId: Id): Promise<void> {
  const { files, layout } = around;
  const sync = async (parent: string): Promise<void> => await around.syncNames(parent);
  await makeDirectory(files, layout.segments, sync);
  await makeDirectory(files, segmentDirectory(layout.segments, sessionId), sync);
}
