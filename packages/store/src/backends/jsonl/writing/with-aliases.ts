/**
 * Other names of a session. Older programs let one session be reached by several keys; a migration keeps that: for each
 * such name there is a small file that says whose it is. A key that has a session of its own is never taken for one.
 */

import type { FileSystem } from "../../../host/host.ts";
import { readSmallFile } from "../../../host/small-files.ts";
import { MAX_ALIAS_BYTES, readAlias } from "../../../migrate/aliases.ts";
import type { OpenBackend } from "../../../store/backend.ts";
import { aliasPath, sessionPath, type Layout } from "../files/layout.ts";

/** Costs nothing where there are none. */
export async function withAliases(
  backend: OpenBackend,
  files: FileSystem,
  layout: Layout,
): Promise<OpenBackend> {
  if ((await files.stat(layout.aliases))?.kind !== "directory") return backend;
  const meant = async (key: string): Promise<string> => {
    if ((await files.stat(sessionPath(layout, key))) !== undefined) return key;
    const text = await readSmallFile(files, aliasPath(layout, key), MAX_ALIAS_BYTES);
    return text === undefined ? key : (readAlias(text, key) ?? key);
  };
  const { putAway, fork } = backend;
  return {
    directory: backend.directory,
    upkeep: backend.upkeep,
    write: async (key, operation) => await backend.write(await meant(key), operation),
    snapshot: async (key) => await backend.snapshot(await meant(key)),
    snapshots: () => backend.snapshots(),
    putAway: putAway && {
      archive: async (key) => await putAway.archive(await meant(key)),
      restore: async (key, id) => await putAway.restore(await meant(key), id),
      delete: async (key, forever) => await putAway.delete(await meant(key), forever),
      purge: async (before, dryRun) => await putAway.purge(before, dryRun),
    },
    fork: fork && (async (key, newKey, at) => await fork.call(backend, await meant(key), newKey, at)),
    lock: async (key, options) => await backend.lock(await meant(key), options),
    changed: async (key, seen, signal) => await backend.changed(await meant(key), seen, signal),
    close: async () => await backend.close(),
  };
}
