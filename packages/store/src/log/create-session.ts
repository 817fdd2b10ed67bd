/** A new session file: written and synced under a temporary name, then renamed. It never appears half written. */

import type { FileSystem } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeHeader, type Header } from "../record/encode.ts";

export const TEMPORARY_PREFIX = ".new-";

/** The caller has synced the directory, so that `path` is free on the disk too, and syncs it again afterwards. */
export async function createSessionFile(
  files: FileSystem,
  directory: string,
  path: string,
  header: Header,
): Promise<void> {
  const temporary = `${directory}/${TEMPORARY_PREFIX}${header.id}`;
  await useFile(await files.open(temporary, "create"), async (file) => {
    await writeFully(file, encodeHeader(header), 0);
    await file.sync();
  });
  await files.rename(temporary, path);
}
