import type { FileSystem } from "../../host/host.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { segmentDirectory, segmentPath } from "../../session/segment-path.ts";
import type { Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";

/**
 * A seal that was cut short has left the active file its sealed name as well, which nothing relies on yet. It goes,
 * durably: were the active file replaced before, it would be a file that no chain names. The caller holds the lease.
 */
export async function undoSeal(
  files: FileSystem,
  layout: Layout,
  path: string,
  { id, file }: Pick<Header, "id" | "file">,
): Promise<void> {
  const active = await files.stat(path);
  if (active === undefined || active.links === 1) return;
  const sealed = segmentPath(layout.segments, id, file);
  if (!isSameFile(await files.stat(sealed), active)) return;
  await files.unlink(sealed);
  await files.syncDirectory(segmentDirectory(layout.segments, id));
}
