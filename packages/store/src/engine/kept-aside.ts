/** Which sessions have records kept aside in `damaged/`, told by the names of the files alone: for listings, which read no session. */

import { resolve } from "node:path";
import type { Host } from "../host/host.ts";
import { ioError } from "../host/io-error.ts";
import { nodeHost } from "../host/node-host.ts";
import { layoutOf, removedPath } from "../format/layout.ts";
import type { Id } from "../format/session-id.ts";
import { linklessHost } from "./files/linkless-files.ts";
import { keptRecordFiles, keptSessionOf } from "./files/kept-record-files.ts";

export interface KeptAside {
  readonly sessionId: string;
  /** Paths, sorted. Whether the session has their records by now, only `verify` can tell. */
  readonly files: readonly string[];
}

/** Acknowledged records that did not fit their session's file, of sessions that were not removed for good. */
export async function findKeptAside(
  directory: string,
  outside: Host = nodeHost,
): Promise<readonly KeptAside[]> {
  const layout = layoutOf(resolve(directory));
  const { files } = linklessHost(outside, layout);
  try {
    const bySession = new Map<Id, string[]>();
    for (const path of await keptRecordFiles(files, layout)) {
      const id = keptSessionOf(layout, path);
      bySession.set(id, [...(bySession.get(id) ?? []), path]);
    }
    const found: KeptAside[] = [];
    for (const [sessionId, paths] of bySession) {
      if ((await files.stat(removedPath(layout, sessionId))) === undefined)
        found.push({ sessionId, files: paths });
    }
    return found;
  } catch (error) {
    throw ioError(error, "looking for records that are kept aside", layout.damaged);
  }
}
