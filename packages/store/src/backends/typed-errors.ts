/**
 * The last line: whatever the system says that nobody below has put into words becomes a typed error here, so that a
 * caller meets nothing else. Errors that are not the system's are mistakes of ours and pass as they are.
 */

import { errorCode, ioError, pathOf } from "../host/io-error.ts";
import type { OpenBackend, Snapshot } from "../contract/backend.ts";

export function withTypedErrors(backend: OpenBackend): OpenBackend {
  const where = backend.directory ?? "the store";
  const typed =
    (doing: string) =>
    (error: unknown): never => {
      throw isSystemError(error) ? ioError(error, doing, pathOf(error) ?? where) : error;
    };
  const typedWriting = typed("writing");
  const iterable = async function* <T>(items: AsyncIterable<T>): AsyncIterable<T> {
    try {
      yield* items;
    } catch (error) {
      typed("reading")(error);
    }
  };
  const withTypedEntries = (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    entries: (range) => iterable(snapshot.entries(range)),
    stateAfter: async (seq) => await snapshot.stateAfter(seq).catch(typed("reading")),
  });
  const snapshots: OpenBackend["snapshots"] = async function* (onCount, wanted) {
    for await (const snapshot of iterable(backend.snapshots(onCount, wanted)))
      yield withTypedEntries(snapshot);
  };
  const { putAway, fork, upkeep, infos } = backend;
  return {
    directory: backend.directory,
    write: (key, operation) => backend.write(key, operation).catch(typedWriting),
    snapshot: async (key) => {
      const snapshot = await backend.snapshot(key).catch(typed("reading"));
      return snapshot === undefined ? undefined : withTypedEntries(snapshot);
    },
    snapshots,
    infos: infos && (async (onProgress) => await infos.call(backend, onProgress).catch(typed("listing"))),
    putAway: putAway && {
      archive: async (key) => await putAway.archive(key).catch(typed("archiving")),
      restore: async (key, id) => await putAway.restore(key, id).catch(typed("restoring")),
      delete: async (key, forever) => await putAway.delete(key, forever).catch(typed("deleting")),
      purge: async (before, dryRun) => await putAway.purge(before, dryRun).catch(typed("emptying the trash")),
    },
    fork:
      fork && (async (key, newKey, at) => await fork.call(backend, key, newKey, at).catch(typed("forking"))),
    lock: async (key, options) => {
      const release = await backend.lock(key, options).catch(typed("locking"));
      return async () => await release().catch(typed("giving up the lock"));
    },
    changed: async (key, seen, signal) => await backend.changed(key, seen, signal).catch(typed("watching")),
    upkeep: {
      verify: async (options) => await upkeep.verify(options).catch(typed("verifying")),
      repair: async (options) => await upkeep.repair(options).catch(typed("repairing")),
      reclaim: async (options) => await upkeep.reclaim(options).catch(typed("reclaiming space")),
    },
    close: async () => await backend.close().catch(typed("closing")),
  };
}

function isSystemError(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errorCode(error) ?? "");
}
