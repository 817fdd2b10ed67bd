/**
 * A store that is open for writing. Until the first call that may change something it only reads: it has neither a journal nor a
 * socket, and whoever opens a store to look at it pays for neither. That first call begins an instance, and from then on the
 * writer of that instance does everything. Calls that come meanwhile share the beginning and go on in their order; if it
 * fails, they fail with its error, and the next call tries again, as opening the store again would.
 */

import { LonghandError } from "../../errors.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import { TEMPORARY_PREFIX } from "../../format/layout.ts";
import type {
  BackendLockOptions,
  OpenBackend,
  Operation,
  PutAway,
  SeenSession,
  Snapshot,
  Upkeep,
  WantedSessions,
} from "../../contract/backend.ts";
import type { OnProgress, Written } from "../../contract/types.ts";
import type { SessionChanges } from "../../engine/reading/session-changes.ts";
import type { UnheldReading } from "../../engine/reading/unheld-reading.ts";
import type { JsonlWriter } from "./jsonl-writer.ts";

export interface WriterOnDemandDeps {
  readonly directory: string;
  readonly reading: UnheldReading;
  readonly changes: SessionChanges;
  /** Of an instance that has begun with the opening. */
  readonly writer: JsonlWriter | undefined;
  /** Begins an instance; rejects as opening the store would. */
  begin(): Promise<JsonlWriter>;
}

export class WriterOnDemand implements OpenBackend {
  readonly directory: string;
  readonly #deps: WriterOnDemandDeps;
  #writer: JsonlWriter | undefined;
  #beginning: Promise<JsonlWriter> | undefined;
  /** Aborted when there is a writer: it is told of its own changes, the reader is not. */
  readonly #begun = new AbortController();
  #isClosing = false;

  constructor(deps: WriterOnDemandDeps) {
    this.directory = deps.directory;
    this.#deps = deps;
    this.#writer = deps.writer;
  }

  async write(key: string, operation: Operation): Promise<Written> {
    const writer = this.#writer ?? (await this.begin());
    return await writer.write(key, operation);
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    return await (this.#writer ?? this.#deps.reading).snapshot(key);
  }

  async *snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    yield* (this.#writer ?? this.#deps.reading).snapshots(onCount, wanted);
  }

  /** A catalog is written by an instance; a listing that needs no new one begins none. */
  async infos(onProgress: OnProgress): Promise<readonly SessionInfo[]> {
    if (this.#writer !== undefined) return await this.#writer.infos(onProgress);
    const temporaryPath = async (): Promise<string> => (await this.begin()).temporaryPath();
    return await this.#deps.reading.infos(onProgress, temporaryPath);
  }

  readonly putAway: PutAway = {
    archive: async (key) => await (this.#writer ?? (await this.begin())).putAway.archive(key),
    restore: async (key, id) => await (this.#writer ?? (await this.begin())).putAway.restore(key, id),
    delete: async (key, forever) => await (this.#writer ?? (await this.begin())).putAway.delete(key, forever),
    purge: async (before, dryRun) =>
      await (this.#writer ?? (await this.begin())).putAway.purge(before, dryRun),
  };

  readonly upkeep: Upkeep = {
    verify: async (options) => await (this.#writer ?? (await this.begin())).upkeep.verify(options),
    repair: async (options) => await (this.#writer ?? (await this.begin())).upkeep.repair(options),
    reclaim: async (options) => await (this.#writer ?? (await this.begin())).upkeep.reclaim(options),
  };

  async fork(key: string, newKey: string, at: number | undefined): Promise<void> {
    await (this.#writer ?? (await this.begin())).fork(key, newKey, at);
  }

  async lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    return await (this.#writer ?? (await this.begin())).lock(key, options);
  }

  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    if (this.#writer === undefined) {
      await this.#deps.changes.next(key, seen, AbortSignal.any([signal, this.#begun.signal]));
      if (signal.aborted || !this.#begun.signal.aborted) return;
    }
    await this.#writer?.changed(key, seen, signal);
  }

  /** Temporary files that an earlier version has left beside the sessions; `names`: all that are there. */
  async removeLeftBeside(names: readonly string[]): Promise<void> {
    if (!names.some((name) => name.startsWith(TEMPORARY_PREFIX))) return;
    await (this.#writer ?? (await this.begin())).removeLeftBeside(names);
  }

  /** A store that has changed nothing has nothing to close. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // Whoever waits for it is told why it failed.
    await this.#beginning?.catch(() => undefined);
    await this.#writer?.close();
  }

  /**
   * The same promise for all who wait, and no function between them and it: what they do next is done in the order of their
   * calls, and before anything that is called later.
   */
  begin(): Promise<JsonlWriter> {
    if (this.#beginning !== undefined) return this.#beginning;
    if (this.#isClosing) return Promise.reject(storeClosed(this.directory));
    const beginning = this.#deps.begin();
    beginning.then(
      (writer) => {
        this.#writer = writer;
        this.#begun.abort();
      },
      () => {
        this.#beginning = undefined;
      },
    );
    this.#beginning = beginning;
    return beginning;
  }
}

function storeClosed(directory: string): LonghandError {
  return new LonghandError("STORE_CLOSED", "the store is closed; open it again with openStore", {
    directory,
  });
}
