/**
 * A store in which a session may be reached by other keys than its own (files/alias-table.ts). What is done by such a key is
 * done to the session that is meant, which goes on calling itself by its own.
 */

import { isLonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import type { BackendUpkeepOptions, OpenBackend } from "../../contract/backend.ts";
import { OR_ANOTHER_KEY, sessionExists } from "../../contract/session-exists.ts";
import type { VerifyReport, Written } from "../../contract/types.ts";
import type { AliasTable } from "../../engine/files/alias-table.ts";
import type { Layout } from "../../format/layout.ts";
import { findDamagedAliases } from "../../upkeep/damaged-aliases.ts";

export function withAliases(
  backend: OpenBackend,
  table: AliasTable,
  files: FileSystem,
  layout: Layout,
): OpenBackend {
  /** One look for all who ask meanwhile: they go on in the order in which they came. */
  const learning = new Map<string, Promise<void>>();
  const learn = async (key: string): Promise<void> => {
    let learned = learning.get(key);
    if (learned === undefined) {
      learned = table.learn(key).finally(() => learning.delete(key));
      learning.set(key, learned);
    }
    await learned;
  };
  /** Calls at once, so that what is queued has the order of the calls; only a damaged name is looked at again first. */
  const by = <T>(key: string, task: (meant: string) => Promise<T>): Promise<T> =>
    table.isDamaged(key) ? learn(key).then(async () => await task(table.meant(key))) : task(table.meant(key));
  const meantKeys = <O extends BackendUpkeepOptions>(options: O): O => {
    const { keys } = options;
    // A damaged name means no session that could be looked at; that it is damaged is told by itself.
    const meant = keys && [...keys].map((key) => (table.isDamaged(key) ? key : table.meant(key)));
    return { ...options, keys: meant && new Set(meant) };
  };
  const withDamaged = async (
    report: VerifyReport,
    { keys }: BackendUpkeepOptions,
  ): Promise<VerifyReport> => ({
    ...report,
    damage: [...report.damage, ...(await findDamagedAliases(files, layout, keys))],
  });
  const { putAway, fork, upkeep, infos } = backend;
  return {
    directory: backend.directory,
    upkeep: {
      verify: async (options) => await withDamaged(await upkeep.verify(meantKeys(options)), options),
      repair: async (options) => await withDamaged(await upkeep.repair(meantKeys(options)), options),
      reclaim: async (options) => await upkeep.reclaim(meantKeys(options)),
    },
    write: (key, operation) => {
      const write = (meant: string): Promise<Written> => backend.write(meant, operation);
      return by(key, write).catch(async (error: unknown) => {
        // Refused so, a write has met a name that has come since the store was opened.
        if (!isLonghandError(error, "SESSION_EXISTS")) throw error;
        await learn(key);
        return await by(key, write);
      });
    },
    snapshot: async (key) => {
      const found = await by(key, async (meant) => await backend.snapshot(meant));
      if (found !== undefined) return found;
      await learn(key);
      const meant = table.meant(key);
      return meant === key ? undefined : await backend.snapshot(meant);
    },
    snapshots: (onCount, wanted) => backend.snapshots(onCount, wanted),
    infos: infos && (async (onProgress) => await infos.call(backend, onProgress)),
    putAway: putAway && {
      archive: async (key) => await by(key, async (meant) => await putAway.archive(meant)),
      restore: async (key, id) => await by(key, async (meant) => await putAway.restore(meant, id)),
      delete: async (key, forever) => await by(key, async (meant) => await putAway.delete(meant, forever)),
      purge: async (before, dryRun) => await putAway.purge(before, dryRun),
    },
    fork:
      fork &&
      (async (key, newKey, at) =>
        await by(
          key,
          async (parent) =>
            await by(newKey, async (child) => {
              // Another name of the session itself: nobody can be alone with the same key twice.
              if (child === parent) throw sessionExists(newKey, OR_ANOTHER_KEY);
              await fork.call(backend, parent, child, at);
            }),
        )),
    lock: async (key, options) => {
      await learn(key);
      return await backend.lock(table.meant(key), options);
    },
    changed: async (key, seen, signal) =>
      await by(key, async (meant) => await backend.changed(meant, seen, signal)),
    close: async () => {
      await Promise.allSettled(learning.values());
      await backend.close();
    },
  };
}
