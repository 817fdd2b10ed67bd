/**
 * The last line: whatever the system says that nobody below has put into words becomes a typed error here, so that a
 * caller meets nothing else. Errors that are not the system's are mistakes of ours and pass as they are.
 */

import { errorCode, ioError, pathOf } from "../host/io-error.ts";
import type { OpenBackend, Snapshot } from "../store/backend.ts";

export function withTypedErrors(backend: OpenBackend): OpenBackend {
  const where = backend.directory ?? "the store";
  const typed = (doing: string) => (error: unknown) => {
    throw isSystemError(error) ? ioError(error, doing, pathOf(error) ?? where) : error;
  };
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
  });
  const snapshots = async function* (): AsyncIterable<Snapshot> {
    for await (const snapshot of iterable(backend.snapshots())) yield withTypedEntries(snapshot);
  };
  const { putAway } = backend;
  return {
    directory: backend.directory,
    write: async (key, operation) => await backend.write(key, operation).catch(typed("writing")),
    snapshot: async (key) => {
      const snapshot = await backend.snapshot(key).catch(typed("reading"));
      return snapshot === undefined ? undefined : withTypedEntries(snapshot);
    },
    snapshots,
    putAway: putAway && {
      archive: async (key) => await putAway.archive(key).catch(typed("archiving")),
      restore: async (key, id) => await putAway.restore(key, id).catch(typed("restoring")),
      delete: async (key, forever) => await putAway.delete(key, forever).catch(typed("deleting")),
    },
    close: async () => await backend.close().catch(typed("closing")),
  };
}

function isSystemError(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errorCode(error) ?? "");
}
