/** The default backend: one JSONL file a session, committed through a journal. */

import { resolve } from "node:path";
import type { Host } from "../../host/host.ts";
import { nodeHost } from "../../host/node-host.ts";
import type { Backend } from "../../store/backend.ts";
import { withTypedErrors } from "../typed-errors.ts";
import { JsonlReader } from "./jsonl-reader.ts";
import { openJsonlWriter } from "./jsonl-writer.ts";

export interface JsonlOptions {
  /** The world to work in. @default the real one */
  readonly host?: Host;
  /**
   * Bytes after which the journal begins anew, when the files it covers are synced. Larger means fewer pauses and a
   * longer recovery. @default 8 MiB
   */
  readonly journalBytes?: number;
}

const JOURNAL_BYTES = 8 * 1024 * 1024;

export function jsonlBackend(directory: string, options: JsonlOptions = {}): Backend {
  const { host = nodeHost, journalBytes = JOURNAL_BYTES } = options;
  return {
    name: "jsonl",
    capabilities: { durable: true, flatAppend: true, archive: true, readOnly: true },
    open: async (opened) => {
      const absolute = resolve(directory);
      const backend = opened.readOnly
        ? new JsonlReader(host, absolute, opened)
        : await openJsonlWriter(host, absolute, { ...opened, journalBytes });
      return withTypedErrors(backend);
    },
  };
}
