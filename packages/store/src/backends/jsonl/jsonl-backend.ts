/** The default backend: one JSONL file a session, committed through a journal. */

import { resolve } from "node:path";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { nodeHost } from "../../host/node-host.ts";
import type { Backend, BackendOptions } from "../../store/backend.ts";
import { withTypedErrors } from "../typed-errors.ts";
import { JsonlReader } from "./jsonl-reader.ts";
import { openJsonlWriter } from "./jsonl-writer.ts";
import { AliasTable } from "./files/alias-table.ts";
import { layoutOf, type Layout } from "./files/layout.ts";
import { scanForForeign } from "./files/scan-for-foreign.ts";
import { withAliases } from "./writing/with-aliases.ts";

export interface JsonlOptions {
  /** The world to work in. @default the real one */
  readonly host?: Host;
  /**
   * Bytes after which the journal begins anew, when the files it covers are synced. Larger means fewer pauses and a
   * longer recovery. @default 8 MiB
   */
  readonly journalBytes?: number;
  /** Bytes after which a session's file is sealed and the next one begins. @default 64 MiB */
  readonly segmentBytes?: number;
  /** Milliseconds that a write waits in line for a session that another store holds. @default 10000 */
  readonly lockWait?: number;
}

const JOURNAL_BYTES = 8 * 1024 * 1024;
const SEGMENT_BYTES = 64 * 1024 * 1024;
const LOCK_WAIT = 10_000;

export function jsonlBackend(directory: string, options: JsonlOptions = {}): Backend {
  const { host = nodeHost, journalBytes = JOURNAL_BYTES } = options;
  const { segmentBytes = SEGMENT_BYTES, lockWait = LOCK_WAIT } = options;
  return {
    name: "jsonl",
    capabilities: {
      durable: true,
      flatAppend: true,
      archive: true,
      fork: true,
      readOnly: true,
      manyWriters: true,
    },
    open: async (opened) => {
      const absolute = resolve(directory);
      const backend = opened.readOnly
        ? new JsonlReader(host, absolute, opened)
        : await openJsonlWriter(host, absolute, {
            ...opened,
            journalBytes,
            segmentBytes,
            lockWait,
          });
      const layout = layoutOf(backend.directory ?? absolute);
      const { files } = host;
      const aliases = await AliasTable.read(files, layout, !opened.readOnly).catch(async (error: unknown) => {
        // It failed to open; that closing it may fail as well is not news.
        await backend.close().catch(() => undefined);
        throw ioError(error, "opening the store", layout.aliases);
      });
      if (opened.onForeign !== undefined) await tellForeign(host, layout, opened, opened.onForeign);
      return withTypedErrors(withAliases(backend, aliases, files, layout));
    },
  };
}

/** A directory that cannot be looked at does not fail the opening: whatever is done next reports it. */
async function tellForeign(
  host: Host,
  layout: Layout,
  { readOnly, onError }: Pick<BackendOptions, "readOnly" | "onError">,
  onForeign: (paths: readonly string[]) => void,
): Promise<void> {
  try {
    const similar = await scanForForeign(host, layout, !readOnly);
    if (similar.length > 0) onForeign(similar);
  } catch (error) {
    onError(ioError(error, "looking for files of other programs", layout.directory));
  }
}
