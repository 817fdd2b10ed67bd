/**
 * Other names of a session. Older programs let one session be reached by several keys; a migration keeps that: for each
 * such name there is a small file that says whose it is. A key that has a session of its own is never taken for one. A
 * damaged file is never passed over: a session begun in its place would hide the one that is meant.
 */

import { LonghandError } from "../../../errors.ts";
import type { FileSystem } from "../../../host/host.ts";
import { readSmallFile } from "../../../host/small-files.ts";
import { aliasFileName, MAX_ALIAS_BYTES, readAlias } from "../../../migrate/aliases.ts";
import type { BackendUpkeepOptions, OpenBackend } from "../../../store/backend.ts";
import type { VerifyReport } from "../../../store/types.ts";
import { aliasPath, sessionPath, type Layout } from "../files/layout.ts";
import { DAMAGED_ALIAS, findDamagedAliases } from "../upkeep/damaged-aliases.ts";

/** Costs nothing where there are none. */
export async function withAliases(
  backend: OpenBackend,
  files: FileSystem,
  layout: Layout,
): Promise<OpenBackend> {
  if ((await files.stat(layout.aliases))?.kind !== "directory") return backend;
  const meant = async (key: string): Promise<string> => {
    if ((await files.stat(sessionPath(layout, key))) !== undefined) return key;
    const path = aliasPath(layout, key);
    const text = await readSmallFile(files, path, MAX_ALIAS_BYTES);
    if (text === undefined) return key;
    const found = readAlias(text, aliasFileName(key));
    if (found === undefined) throw damagedAlias(path, key);
    return found.key;
  };
  const withDamaged = async (
    report: VerifyReport,
    keys: BackendUpkeepOptions["keys"],
  ): Promise<VerifyReport> => ({
    ...report,
    damage: [...report.damage, ...(await findDamagedAliases(files, layout, keys))],
  });
  const { putAway, fork, upkeep } = backend;
  return {
    directory: backend.directory,
    upkeep: {
      verify: async (options) => await withDamaged(await upkeep.verify(options), options.keys),
      repair: async (options) => await withDamaged(await upkeep.repair(options), options.keys),
      reclaim: async (options) => await upkeep.reclaim(options),
    },
    write: async (key, operation) => await backend.write(await meant(key), operation),
    snapshot: async (key) => await backend.snapshot(await meant(key)),
    snapshots: (onCount) => backend.snapshots(onCount),
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

function damagedAlias(path: string, key: string): LonghandError {
  return new LonghandError("SESSION_DAMAGED", `${path}: ${DAMAGED_ALIAS}`, { file: path, key });
}
