/**
 * The directory for writing. What it promises is the commit protocol's (docs/durability.md): no caller is answered before
 * the journal is durable, the files follow, and after a failure of unknown outcome nothing more is written. Any number of
 * instances have the same directory open; each key is written to by one of them at a time.
 */

import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { lazy } from "../../lazy.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import type {
  BackendLockOptions,
  BackendOptions,
  OpenBackend,
  Operation,
  PutAway,
  SeenSession,
  Snapshot,
  Upkeep,
  WantedSessions,
} from "../../contract/backend.ts";
import type { OnProgress, Written } from "../../contract/types.ts";
import { beginInstance, type Instance } from "../../engine/instance/begin-instance.ts";
import { removeTemporaryFiles } from "../../engine/instance/remove-leftovers.ts";
import { gatedHost } from "../../engine/instance/gated-files.ts";
import { CommitPipeline } from "../../engine/writing/commit-pipeline.ts";
import { SessionForks } from "../../engine/writing/fork-key.ts";
import { upkeepOnDemand } from "../../upkeep/on-demand.ts";
import { idInName, type Layout } from "../../format/layout.ts";
import { checkOnlyFile } from "../../engine/files/only-file.ts";
import { OpenSessions } from "../../engine/writing/open-sessions.ts";
import { Deadline } from "../../lease/deadline.ts";
import { linklessHost } from "../../engine/files/linkless-files.ts";
import { preparedDirectories } from "../../engine/files/prepare-directory.ts";
import { purgeTrash } from "../../upkeep/purge-trash.ts";
import {
  archiveSession,
  deleteSession,
  restoreSession,
  type PutAwayDeps,
} from "../../engine/writing/archive-and-delete.ts";
import { SessionChanges } from "../../engine/reading/session-changes.ts";
import { StoreHealth } from "../../engine/writing/store-health.ts";
import { SessionWriter } from "../../engine/writing/session-writer.ts";
import { StorePlace } from "../../engine/writing/store-place.ts";
import { SessionQueues } from "../../engine/writing/session-queues.ts";
import { StoreReading } from "../../engine/writing/store-reading.ts";
import { HeldSessions } from "../../engine/writing/held-sessions.ts";

export interface WriterOptions extends BackendOptions {
  readonly journalBytes: number;
  /** A longer file is sealed before the next write. */
  readonly segmentBytes: number;
  /** Milliseconds to wait in line for a session. */
  readonly lockWait: number;
  readonly maxOpenSessions: number;
}

const loadMigration = lazy(async () => await import("./migrate-on-opening.ts"));

/** Begins an instance in a directory that was prepared. Rejects as opening the store does. */
export async function beginJsonlWriter(
  outside: Host,
  layout: Layout,
  options: WriterOptions,
): Promise<JsonlWriter> {
  const prepared = preparedDirectories(layout);
  const host = linklessHost(outside, layout, prepared);
  const instance = await beginInstance(host, layout, options);
  const gated = linklessHost(gatedHost(outside, layout, instance.self.instance), layout, prepared);
  try {
    if (options.migrate === true) {
      const { migrateOnOpening } = await loadMigration();
      const deadline = new Deadline(host, { milliseconds: options.lockWait });
      await migrateOnOpening(gated, layout, instance.leases, deadline, options);
    }
  } catch (error) {
    // It has written nothing of its own; that it failed to migrate is what to tell.
    await instance.end().catch(async () => await instance.giveUp().catch(() => undefined));
    throw ioError(error, "migrating the directory", layout.directory);
  }
  return new JsonlWriter(gated, layout, options, instance);
}

export class JsonlWriter implements OpenBackend {
  readonly directory: string;
  readonly upkeep: Upkeep;
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #instance: Instance;
  readonly #health: StoreHealth;
  readonly #pipeline: CommitPipeline;
  readonly #place: StorePlace;
  readonly #sessions: OpenSessions;
  readonly #heldSessions: HeldSessions;
  readonly #reading: StoreReading;
  readonly #changes: SessionChanges;
  readonly #queues: SessionQueues;
  readonly #forks: SessionForks;

  /** Each part knows only those before it. */
  constructor(host: Host, layout: Layout, options: WriterOptions, instance: Instance) {
    const { files } = host;
    const { onDamage, onError } = options;
    this.directory = layout.directory;
    this.#host = host;
    this.#layout = layout;
    this.#instance = instance;
    const health = (this.#health = new StoreHealth(layout.directory));
    const base = { host, files, layout, instance, health, onDamage, onError };
    const pipeline = (this.#pipeline = new CommitPipeline({ ...base, journalBytes: options.journalBytes }));
    const place = (this.#place = new StorePlace({ ...base, pipeline }));
    const sessions = (this.#sessions = new OpenSessions({ ...base, pipeline, place }));
    const { maxOpenSessions, lockWait, segmentBytes } = options;
    const heldSessions = new HeldSessions({ ...base, pipeline, sessions, maxOpenSessions, lockWait });
    this.#heldSessions = heldSessions;
    const reading = (this.#reading = new StoreReading({ ...base, place, heldSessions }));
    const changes = new SessionChanges(host, layout, async (key) => await reading.snapshot(key));
    this.#changes = changes;
    const parts = { ...base, pipeline, place, sessions, heldSessions, reading, changes };
    const writer = new SessionWriter({ ...parts, segmentBytes });
    const queues = (this.#queues = new SessionQueues({ ...parts, writer }));
    const forks = (this.#forks = new SessionForks({ ...parts, queues }));
    this.upkeep = upkeepOnDemand({ ...parts, queues, forks });
  }

  write(key: string, operation: Operation): Promise<Written> {
    return this.#queues.write(key, operation);
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    this.#health.check();
    return await this.#reading.snapshot(key);
  }

  async *snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    this.#health.check();
    yield* this.#reading.snapshots(onCount, wanted);
  }

  async infos(onProgress: OnProgress): Promise<readonly SessionInfo[]> {
    this.#health.check();
    return await this.#reading.infos(onProgress);
  }

  readonly putAway: PutAway = {
    archive: async (key) => await this.#putAway(key, archiveSession),
    restore: async (key, id) => await this.#putAway(key, async (deps) => await restoreSession(deps, id)),
    delete: async (key, forever) =>
      await this.#putAway(key, async (deps) => await deleteSession(deps, forever)),
    purge: async (before, dryRun) =>
      await purgeTrash(await this.#place.current(), { before, dryRun }, async ({ key }, file) => {
        await this.#putAway(key, async ({ sessions, place }) => {
          // Another process may have brought it back since we looked.
          const isThere = (await place.files.stat(file.path)) !== undefined;
          const id = idInName(file);
          if (!isThere || id === undefined) return;
          await checkOnlyFile(place.files, place.layout, { key, id, path: file.path });
          await sessions.removeForGood(key, id, file);
        });
      }),
  };

  async fork(key: string, newKey: string, at: number | undefined): Promise<void> {
    await this.#forks.fork(key, newKey, at);
  }

  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    await this.#changes.next(key, seen, signal);
  }

  async lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    this.#health.check();
    return await this.#heldSessions.lock(key, options);
  }

  /** A name for a file that is being written; no two are the same. */
  temporaryPath(): string {
    return this.#instance.temporaryPath();
  }

  /** Temporary files that an earlier version has left beside the sessions; `names`: all that are there. */
  async removeLeftBeside(names: readonly string[]): Promise<void> {
    const { otherInstances, leases } = this.#instance;
    const deps = { host: this.#host, layout: this.#layout, otherInstances, leases };
    await removeTemporaryFiles(deps, this.#layout.directory, names);
  }

  async close(): Promise<void> {
    this.#health.isClosing = true;
    await this.#health.idle();
    await this.#pipeline.idle();
    this.#health.isClosed = true;
    // What had begun meanwhile is refused, and ends.
    await this.#health.idle();
    try {
      if (this.#health.failure === undefined) await this.#end();
      await this.#pipeline.givenUp();
      await this.#heldSessions.closeAll();
    } catch (error) {
      throw ioError(error, "closing the store", this.directory);
    }
  }

  /** If it fails, the journal stays, and the next opener replays it. */
  async #end(): Promise<void> {
    try {
      await this.#pipeline.applier.settleAll();
      await this.#sessions.syncNames();
      await this.#sessions.rememberBegun();
      await this.#instance.end();
    } catch (error) {
      this.#pipeline.fail(ioError(error, "closing the store", this.directory));
      await this.#pipeline.givenUp();
      await this.#heldSessions.closeAll();
      throw error;
    }
  }

  async #putAway(key: string, task: (deps: PutAwayDeps) => Promise<void>): Promise<void> {
    await this.#queues.withSession(key, async (heldSession) => {
      await task({ heldSession, sessions: this.#sessions, place: this.#place.applied });
    });
  }
}
