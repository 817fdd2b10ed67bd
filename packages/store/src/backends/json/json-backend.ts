/**
 * The legacy backend: one JSON file a session, written anew by each write, so that programs that know the old format
 * read what is stored here. Every session of the directory is in memory from the opening on, and an append costs as
 * much as its session is long: for a few short conversations. The JSONL backend has neither limit.
 *
 * A store opened with `readOnly` shows the files as they were when it was opened. `durability` makes no difference: a
 * rename before the sync could leave an empty file, which is more than "the last moments".
 */

import { resolve } from "node:path";
import type { Host } from "../../host/host.ts";
import { nodeHost } from "../../host/node-host.ts";
import type { Backend } from "../../contract/backend.ts";
import { JsonSessions } from "./json-sessions.ts";
import { openSessionFiles } from "./open-session-files.ts";

export interface JsonOptions {
  /** The world to work in. @default the real one */
  readonly host?: Host;
  /** Leave sessions of PicoClaw alone, too; a key whose file name such a file has is SESSION_EXISTS. @default false */
  readonly ownFilesOnly?: boolean;
}

export function jsonBackend(
  directory: string,
  { host = nodeHost, ownFilesOnly = false }: JsonOptions = {},
): Backend {
  return {
    name: "json",
    capabilities: {
      durable: true,
      flatAppend: false,
      archive: false,
      fork: true,
      manyWriters: false,
      readOnly: true,
    },
    open: async (options) => {
      const loaded = await openSessionFiles(directory, host, { ...options, ownFilesOnly });
      const whenWritten = options.readOnly ? "never" : "with-each-write";
      return new JsonSessions(resolve(directory), host, Promise.resolve(loaded), whenWritten);
    },
  };
}
