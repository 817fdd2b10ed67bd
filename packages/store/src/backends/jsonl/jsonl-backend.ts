/** The default backend: one JSONL file a session, committed through a journal. */

import { resolve } from "node:path";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { nodeHost } from "../../host/node-host.ts";
import type { Backend } from "../../contract/backend.ts";
import { TypedErrors } from "../typed-errors.ts";
import { AliasedBackend } from "./aliased-backend.ts";
import { reportForeign } from "./foreign-report.ts";
import { JsonlReader } from "./jsonl-reader.ts";
import { openJsonlWriter } from "./open-jsonl-writer.ts";
import { AliasTable } from "../../engine/files/alias-table.ts";
import { linklessHost } from "../../engine/files/linkless-files.ts";
import { layoutOf } from "../../format/layout.ts";

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
  /** Session files that are held open at a time, as long as no more are in use. @default 1024 */
  readonly maxOpenSessions?: number;
}

const JOURNAL_BYTES = 8 * 1024 * 1024;
const SEGMENT_BYTES = 64 * 1024 * 1024;
const LOCK_WAIT = 10_000;
const MAX_OPEN_SESSIONS = 1024;

export function jsonlBackend(directory: string, options: JsonlOptions = {}): Backend {
  const { host = nodeHost, journalBytes = JOURNAL_BYTES } = options;
  const { segmentBytes = SEGMENT_BYTES, lockWait = LOCK_WAIT, maxOpenSessions = MAX_OPEN_SESSIONS } = options;
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
      const writer = opened.readOnly
        ? undefined
        : await openJsonlWriter(host, absolute, {
            ...opened,
            journalBytes,
            segmentBytes,
            lockWait,
            maxOpenSessions,
          });
      const backend = writer ?? new JsonlReader(host, absolute, opened);
      const layout = layoutOf(backend.directory);
      const inside = linklessHost(host, layout);
      const { files } = inside;
      const table = await AliasTable.read(files, layout, !opened.readOnly).catch(async (error: unknown) => {
        // It failed to open; that closing it may fail as well is not news.
        await backend.close().catch(() => undefined);
        throw ioError(error, "opening the store", layout.aliases);
      });
      const looking = reportForeign({
        ...opened,
        host: inside,
        layout,
        onNames: async (names) => await writer?.removeLeftBeside(names),
      });
      return new TypedErrors(new AliasedBackend({ backend, table, files, layout, looking }));
    },
  };
}
