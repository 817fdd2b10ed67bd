/** The files that a new state is written to before it takes the place of the old one. */

import { join } from "node:path";
import type { LonghandError } from "../../errors.ts";
import type { FileStat, Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { removeIfThere } from "../../host/small-files.ts";
import { writeFully } from "../../host/write-fully.ts";
import { newId } from "../../host/new-id.ts";

const TEMPORARY = /^\.longhand-[0-9A-Z]{26}\.tmp$/;

export interface TemporaryFile {
  readonly path: string;
  readonly stat: FileStat;
}

/** Written and synced. If that fails, nothing is left. */
export async function writeTemporaryFile(
  host: Host,
  directory: string,
  bytes: Buffer,
): Promise<TemporaryFile> {
  const id = newId(host);
  const path = join(directory, `.longhand-${id}.tmp`);
  try {
    const file = await host.files.open(path, "create");
    try {
      await writeFully(file, bytes, 0);
      await file.sync();
      return { path, stat: await file.stat() };
    } finally {
      await file.close();
    }
  } catch (error) {
    await discardTemporaryFile(host, path);
    throw error;
  }
}

/** For a write that has failed already, and says why: what cannot be removed now is removed by the next opening. */
export async function discardTemporaryFile(host: Host, path: string): Promise<void> {
  try {
    await removeIfThere(host.files, path);
  } catch {
    return;
  }
}

/** What a crash has left behind of unfinished writes. */
export async function removeTemporaryFiles(
  host: Host,
  directory: string,
  onError: (error: LonghandError) => void,
): Promise<void> {
  for (const name of await host.files.readDirectory(directory)) {
    if (!TEMPORARY.test(name)) continue;
    const path = join(directory, name);
    try {
      await removeIfThere(host.files, path);
    } catch (error) {
      onError(ioError(error, "removing what an unfinished write has left", path));
    }
  }
}
