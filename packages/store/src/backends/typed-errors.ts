/**
 * The last line: whatever the system says that nobody below has put into words becomes a typed error here, so that a
 * caller meets nothing else. Errors that are not the system's are mistakes of ours and pass as they are.
 */

import { errorCode, ioError, pathOf } from "../host/io-error.ts";
import type { SessionInfo } from "../format/session-record.ts";
import type {
  BackendLockOptions,
  OpenBackend,
  Operation,
  PutAway,
  SeenSession,
  Snapshot,
  Upkeep,
  WantedSessions,
} from "../contract/backend.ts";
import type { OnProgress, Written } from "../contract/types.ts";

/** A backend that can do everything. */
export interface WholeBackend extends OpenBackend {
  readonly putAway: PutAway;
  infos(onProgress: OnProgress): Promise<readonly SessionInfo[]>;
  fork(key: string, newKey: string, at: number | undefined): Promise<void>;
}

/** A class, whose methods are compiled by their first call: opening a store calls none. */
export class TypedErrors implements WholeBackend {
  readonly directory: string | undefined;
  readonly #backend: WholeBackend;
  readonly #typed: Typed;
  readonly #typedWriting: (error: unknown) => never;

  constructor(backend: WholeBackend) {
    this.directory = backend.directory;
    this.#backend = backend;
    this.#typed = typedFor(backend.directory ?? "the store");
    this.#typedWriting = this.#typed("writing");
  }

  write(key: string, operation: Operation): Promise<Written> {
    return this.#backend.write(key, operation).catch(this.#typedWriting);
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const snapshot = await this.#backend.snapshot(key).catch(this.#typed("reading"));
    return snapshot === undefined ? undefined : this.#withTypedEntries(snapshot);
  }

  async *snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    for await (const snapshot of this.#iterable(this.#backend.snapshots(onCount, wanted)))
      yield this.#withTypedEntries(snapshot);
  }

  async infos(onProgress: OnProgress): Promise<readonly SessionInfo[]> {
    return await this.#backend.infos(onProgress).catch(this.#typed("listing"));
  }

  get putAway(): PutAway {
    const { putAway } = this.#backend;
    const typed = this.#typed;
    return {
      archive: async (key) => await putAway.archive(key).catch(typed("archiving")),
      restore: async (key, id) => await putAway.restore(key, id).catch(typed("restoring")),
      delete: async (key, forever) => await putAway.delete(key, forever).catch(typed("deleting")),
      purge: async (before, dryRun) => await putAway.purge(before, dryRun).catch(typed("emptying the trash")),
    };
  }

  async fork(key: string, newKey: string, at: number | undefined): Promise<void> {
    await this.#backend.fork(key, newKey, at).catch(this.#typed("forking"));
  }

  async lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    const release = await this.#backend.lock(key, options).catch(this.#typed("locking"));
    return async () => await release().catch(this.#typed("giving up the lock"));
  }

  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    await this.#backend.changed(key, seen, signal).catch(this.#typed("watching"));
  }

  get upkeep(): Upkeep {
    const { upkeep } = this.#backend;
    const typed = this.#typed;
    return {
      verify: async (options) => await upkeep.verify(options).catch(typed("verifying")),
      repair: async (options) => await upkeep.repair(options).catch(typed("repairing")),
      reclaim: async (options) => await upkeep.reclaim(options).catch(typed("reclaiming space")),
    };
  }

  async close(): Promise<void> {
    await this.#backend.close().catch(this.#typed("closing"));
  }

  #withTypedEntries(snapshot: Snapshot): Snapshot {
    return {
      ...snapshot,
      entries: (range) => this.#iterable(snapshot.entries(range)),
      stateAfter: async (seq) => await snapshot.stateAfter(seq).catch(this.#typed("reading")),
    };
  }

  async *#iterable<T>(items: AsyncIterable<T>): AsyncIterable<T> {
    try {
      yield* items;
    } catch (error) {
      this.#typed("reading")(error);
    }
  }
}

type Typed = (doing: string) => (error: unknown) => never;

function typedFor(where: string): Typed {
  return (doing) => (error) => {
    throw isSystemError(error) ? ioError(error, doing, pathOf(error) ?? where) : error;
  };
}

function isSystemError(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(errorCode(error) ?? "");
}
