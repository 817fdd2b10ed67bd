/**
 * Opens a directory for writing. What dead instances have left is recovered now, and then there is an instance at once; in a quiet
 * directory the first change begins it.
 */

import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import {
  findPrepared,
  prepareAgain,
  prepareDirectory,
  preparedDirectories,
} from "../../engine/files/prepare-directory.ts";
import { linklessHost } from "../../engine/files/linkless-files.ts";
import { isQuiet } from "../../engine/instance/is-quiet.ts";
import { SessionChanges } from "../../engine/reading/session-changes.ts";
import { UnheldReading } from "../../engine/reading/unheld-reading.ts";
import type { Layout } from "../../format/layout.ts";
import { OtherInstances } from "../../lease/other-instances.ts";
import { beginJsonlWriter, type JsonlWriter, type WriterOptions } from "./jsonl-writer.ts";
import { tellUnfinished } from "./tell-unfinished.ts";
import { WriterOnDemand } from "./writer-on-demand.ts";

export async function openJsonlWriter(
  outside: Host,
  directory: string,
  options: WriterOptions,
): Promise<WriterOnDemand> {
  const found = await findPrepared(outside, directory);
  const layout = found ?? (await prepareDirectory(outside, directory));
  try {
    return await openPrepared(outside, layout, found !== undefined, options);
  } catch (error) {
    throw ioError(error, "opening the store", layout.directory);
  }
}

/** `isOlder`: its directories were there before; that their names are durable is not known. */
async function openPrepared(
  outside: Host,
  layout: Layout,
  isOlder: boolean,
  options: WriterOptions,
): Promise<WriterOnDemand> {
  const host = linklessHost(outside, layout, preparedDirectories(layout));
  const { directory } = layout;
  const { onDamage, onError } = options;
  const otherInstances = new OtherInstances(host, layout);
  const opened = await host.files.stat(directory);
  const reading = new UnheldReading({ host, layout, otherInstances, opened, onDamage, onError });
  const changes = new SessionChanges(host, layout, async (key) => await reading.snapshot(key));
  const migrate = options.migrate === true;
  if (!migrate) await tellUnfinished(host.files, layout, onError);
  const begin = async (isOpening: boolean): Promise<JsonlWriter> => {
    await reading.checkPlace();
    // An instance relies on names that are on the disk.
    if (isOlder) await prepareAgain(outside, layout);
    const writer = await beginJsonlWriter(outside, layout, { ...options, migrate: migrate && isOpening });
    try {
      // From here on the instance sees it by itself if the directory is replaced.
      await reading.checkPlace();
    } catch (error) {
      await writer.close().catch(() => undefined);
      throw error;
    }
    return writer;
  };
  const isNeeded = migrate || !(await isQuiet(host, layout, otherInstances));
  const writer = isNeeded ? await begin(true) : undefined;
  return new WriterOnDemand({ directory, reading, changes, writer, begin: async () => await begin(false) });
}
