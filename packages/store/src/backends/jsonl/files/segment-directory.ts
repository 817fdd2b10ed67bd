import { errorCode } from "../../../host/io-error.ts";
import { segmentDirectory } from "../../../log/segment-path.ts";
import type { FileSystem } from "../../../host/host.ts";
import type { Layout } from "./layout.ts";

interface SegmentSurroundings {
  readonly files: FileSystem;
  readonly layout: Layout;
  /** Makes the names in a directory durable, or stops the instance. */
  syncNames(directory: string): Promise<void>;
}

/** The directory for a session's sealed files, its name durable. */
export async function makeSegmentDirectory(around: SegmentSurroundings, sessionId: string): Promise<void> {
  const { files, layout } = around;
  for (const [path, parent] of [
    [layout.segments, layout.directory],
    [segmentDirectory(layout.segments, sessionId), layout.segments],
  ] as const) {
    // Also where somebody has made it and was killed before the name was synced.
    await files.makeDirectory(path).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
    await around.syncNames(parent);
  }
}
