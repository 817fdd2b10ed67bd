/**
 * The directory for writing. What it promises is the commit protocol's (docs/durability.md): nobody is answered before
 * the journal is durable, the files follow, and after a failure of unknown outcome nothing more is written. Any number of
 * instances have the same directory open; each key is written to by one of them at a time.
 */

import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { lazy } from "../../lazy.ts";
import { Committer } from "../../wal/committer.ts";
import type { SessionLog } from "../../session/session-log.ts";
import { isSurelyOurs } from "../../migrate/foreign-names.ts";
import { fileNameOf } from "../../format/key.ts";
import type { Damage, SessionInfo } from "../../format/session-record.ts";
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
import { ExclusiveAccess } from "../../engine/writing/exclusive-access.ts";
import { beginInstance, type Instance } from "../../engine/instance/begin-instance.ts";
import { ChangedSessions } from "../../engine/writing/changed-sessions.ts";
import { removeTemporaryFiles } from "../../engine/instance/remove-leftovers.ts";
import { gatedHost } from "../../engine/instance/gated-files.ts";
import { forkKey } from "../../engine/writing/fork-key.ts";
import { upkeepOnDemand } from "../../upkeep/on-demand.ts";
import { RecordApplier } from "../../engine/writing/record-applier.ts";
import { checkNameIsFree } from "../../engine/files/foreign-file.ts";
import { idInName, leaseNameOf, type Layout } from "../../format/layout.ts";
import { checkOnlyFile } from "../../engine/files/only-file.ts";
import { rememberBegun } from "../../engine/files/scan-for-foreign.ts";
import { OpenSessions } from "../../engine/writing/open-sessions.ts";
import { OwnLocks } from "../../lease/own-locks.ts";
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
import { sealHeld, type SealDeps } from "../../engine/writing/seal-session.ts";
import { SessionChanges } from "../../engine/reading/session-changes.ts";
import { StoreHealth } from "../../engine/writing/store-health.ts";
import { SessionQueues } from "../../engine/writing/session-queues.ts";
import { StoreReading } from "../../engine/writing/store-reading.ts";
import { Shutdown } from "../../engine/writing/shutdown.ts";
import { HeldSessions } from "../../engine/writing/held-sessions.ts";
import { verifyPlace } from "../../upkeep/verify-place.ts";

export interface WriterOptions extends BackendOptions {
  readonly journalBytes: number;
  /** A longer file is sealed before the next write. */
  readonly segmentBytes: number;
  /** Milliseconds to wait in line for a session. */
  readonly lockWait: number;
  readonly maxOpenSessions: number;
}

const loadMigration = lazy(async () => await import("./migrate-on-opening.ts"));

/** What is begun beyond that is read once by the next opening: memory does not grow with the number of sessions. */
const MAX_BEGUN = 10_000;

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
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #instance: Instance;
  readonly #changed: ChangedSessions;
  readonly #applier: RecordApplier;
  readonly #committer: Committer;
  readonly #sessions: OpenSessions;
  readonly #heldSessions: HeldSessions;
  readonly #locks: OwnLocks;
  readonly #reading: StoreReading;
  readonly #queues: SessionQueues;
  readonly #changes: SessionChanges;
  readonly upkeep: Upkeep;
  readonly #health: StoreHealth;
  readonly #shutdown: Shutdown;
  readonly #alone: ExclusiveAccess;
  /** Session files of names that the next opening would otherwise look at. */
  readonly #begun = new Set<string>();
  readonly #onError: BackendOptions["onError"];
  #forks = 0;

  constructor(host: Host, layout: Layout, options: WriterOptions, instance: Instance) {
    this.directory = layout.directory;
    this.#host = host;
    this.#layout = layout;
    this.#instance = instance;
    this.#health = new StoreHealth(layout.directory);
    const { onDamage, onError } = options;
    this.#onError = onError;
    this.#changed = new ChangedSessions({
      files: host.files,
      layout,
      journal: instance.journal,
      whyLost: async () => await instance.whyLost(),
      onDamage,
    });
    this.#applier = new RecordApplier(instance.journal, options.journalBytes, {
      look: async (path) => await host.files.stat(path),
      keepChanged: async (log) => await this.#changed.keep(log),
      onError,
    });
    this.#shutdown = new Shutdown({
      directory: layout.directory,
      instance,
      health: this.#health,
      applier: this.#applier,
      committer: () => this.#committer,
      idle: async () => {
        await this.#queues.idle();
        await this.#heldSessions.idle();
      },
      onError,
    });
    this.#reading = new StoreReading({
      host,
      layout,
      instance,
      heldSessions: () => this.#heldSessions,
      checkPlace: async () => await this.#shutdown.checkPlace(),
      onDamage,
      onError,
    });
    this.#committer = new Committer(instance.journal, {
      checkFence: async () => await this.#shutdown.checkFence(),
      betweenBlocks: async () => await this.#applier.recycleIfLarge(),
      onFailed: (error) => this.#shutdown.fail(error),
    });
    this.#sessions = new OpenSessions(host, layout, {
      temporaryPath: () => instance.temporaryPath(),
      onDamage,
      sealedPatches: async (file) => await this.#reading.sealedPatches(file),
      newestArchived: async (key) => (await this.#reading.newestArchived(key))?.file,
      keepChanged: async (log) => await this.#applier.change(log),
      checkChanged: async (log) => await this.#changed.check(log),
      checkMissing: (key, archivedId) => this.#changed.checkMissing(key, archivedId),
      checkMayChange: async () => await this.#shutdown.checkMayChange(),
      onNamesUnknown: async (cause) => await this.#shutdown.namesUnknown(cause),
    });
    this.#heldSessions = new HeldSessions({
      host,
      maxOpenSessions: options.maxOpenSessions,
      self: instance.self,
      leases: instance.leases,
      whyStopped: () => this.#health.whyStopped(),
      checkPlace: async (key) => {
        await this.#shutdown.checkPlace();
        await checkNameIsFree({ files: host.files, layout }, key);
      },
      settle: async (log) => await this.#applier.trySettle(log),
      syncNames: async () => await this.#sessions.syncNames(),
      onError,
    });
    this.#locks = new OwnLocks(host, instance.self);
    this.#changes = new SessionChanges(host, layout, async (key) => await this.snapshot(key));
    instance.onWanted((name) => this.#heldSessions.want(name));
    this.#alone = new ExclusiveAccess({
      host,
      health: this.#health,
      heldSessions: this.#heldSessions,
      sessions: this.#sessions,
      queues: () => this.#queues,
      lockWait: options.lockWait,
      tell: (key) => this.#changes.tell(key),
    });
    this.upkeep = upkeepOnDemand({
      sealing: this.#sealing,
      now: () => new Date(host.now()).toISOString(),
      place: async () => {
        await this.#applier.applyNow();
        return await this.#reading.place();
      },
      verifyPlace: async () => {
        await this.#applier.applyNow();
        const unapplied: Damage[] = [];
        const { patchesOf } = await this.#reading.place((damage) => unapplied.push(damage));
        const { otherInstances, recovery } = instance;
        // What was found while adopting is no longer where it was: nobody else could tell of it.
        const journalDamage = [...recovery.damage, ...unapplied];
        const self = { instance: instance.self.instance, isForking: () => this.#forks > 0 };
        return verifyPlace({ files: host.files, layout, otherInstances, patchesOf, journalDamage, self });
      },
      onJournalsRepaired: () => instance.recovery.forgetDamage(),
      onRepaired: (key) => this.#changed.forget(key),
      onWithoutFile: (id) => this.#changed.forgetSession(id),
      alone: async (key, task) => await this.#alone.with(key, task),
      write: async (key, operation) => await this.write(key, operation),
      view: (log) => this.#reading.view(log),
      aloneUnopened: async (key, task) => await this.#alone.withUnopened(key, task),
    });
    this.#queues = new SessionQueues({
      host,
      enter: async (key) => await this.#alone.enter(key),
      view: (log) => this.#reading.view(log),
      archived: async (key) => (await this.#reading.newestArchived(key))?.snapshot,
      begin: async (heldSession, at) => {
        const log = await this.#sessions.begin(heldSession, at);
        this.#noteBegun(heldSession.key);
        return log;
      },
      sealIfLong: async (heldSession) => {
        const { log } = heldSession;
        if (log === undefined || log.end < options.segmentBytes) return;
        await sealHeld(this.#sealing, heldSession, log);
      },
      checkWritable: async () => {
        this.#health.check();
        await this.#applier.checkRoom();
        await this.#checkJournal();
      },
      commit: async (records, onDurable) => await this.#committer.commit(records, onDurable),
      apply: (log) => {
        this.#applier.begin(log);
        this.#changes.tell(log.header.key);
      },
    });
  }

  async write(key: string, operation: Operation): Promise<Written> {
    this.#health.check();
    return await this.#queues.write(key, operation);
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
      await purgeTrash(await this.#reading.place(), { before, dryRun }, async ({ key }, file) => {
        await this.#putAway(key, async ({ sessions, place }) => {
          // Somebody may have brought it back since we looked.
          const isThere = (await place.files.stat(file.path)) !== undefined;
          const id = idInName(file);
          if (!isThere || id === undefined) return;
          await checkOnlyFile(place.files, place.layout, { key, id, path: file.path });
          await sessions.removeForGood(key, id, file);
        });
      }),
  };

  async fork(key: string, newKey: string, at: number | undefined): Promise<void> {
    const deps = { ...this.#sealing, host: this.#host, place: this.#reading.applied };
    const view = (log: SessionLog): Snapshot => this.#reading.view(log);
    this.#forks++;
    try {
      await this.#alone.withBoth(key, newKey, async (parent, child) => {
        await forkKey({ ...deps, view }, parent, child, at);
        this.#noteBegun(newKey);
      });
    } finally {
      this.#forks--;
    }
  }

  async changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    await this.#changes.next(key, seen, signal);
  }

  /** Held as if one write went on and on: others wait, and this store's own writes pass. */
  async lock(key: string, { wait, signal }: BackendLockOptions): Promise<() => Promise<void>> {
    this.#health.check();
    const deadline = this.#alone.deadline(wait, signal, () => this.#health.isClosing);
    return await this.#locks.hold(key, deadline, async () => await this.#heldSessions.use(key, deadline));
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
    await this.#queues.idle();
    await this.#committer.idle();
    this.#health.isClosed = true;
    await this.#heldSessions.idle();
    try {
      if (this.#health.failure === undefined) await this.#end();
      await this.#shutdown.givenUp();
      await this.#heldSessions.closeAll();
    } catch (error) {
      throw ioError(error, "closing the store", this.directory);
    }
  }

  /** If it fails, the journal stays, and the next opener replays it. */
  async #end(): Promise<void> {
    try {
      await this.#applier.settleAll();
      await this.#sessions.syncNames();
      await rememberBegun(this.#host.files, this.#layout, this.#begun).catch((error: unknown) => {
        this.#onError(ioError(error, "remembering which sessions were begun", this.#layout.cache));
      });
      await this.#instance.end();
    } catch (error) {
      this.#shutdown.fail(ioError(error, "closing the store", this.directory));
      await this.#shutdown.givenUp();
      await this.#heldSessions.closeAll();
      throw error;
    }
  }

  #noteBegun(key: string): void {
    if (!isSurelyOurs(leaseNameOf(key)) && this.#begun.size < MAX_BEGUN) this.#begun.add(fileNameOf(key));
  }

  async #putAway(key: string, task: (deps: PutAwayDeps) => Promise<void>): Promise<void> {
    await this.#alone.with(key, async (heldSession) => {
      const settle = async (log: SessionLog): Promise<void> => await this.#applier.settle(log);
      await task({ heldSession, sessions: this.#sessions, place: this.#reading.applied, settle });
    });
  }

  /** Whoever is refused because the journal is full has tried to empty it. */
  async #checkJournal(): Promise<void> {
    if (this.#applier.whyOverfull() === undefined) return;
    await this.#committer.between(async () => await this.#applier.recycleIfLarge());
    const failure = this.#applier.whyOverfull();
    if (failure !== undefined) throw failure;
  }

  get #sealing(): SealDeps {
    return {
      files: this.#host.files,
      layout: this.#layout,
      temporaryPath: () => this.#instance.temporaryPath(),
      settle: async (log) => await this.#applier.settle(log),
      checkMayChange: async () => await this.#shutdown.checkMayChange(),
      syncNames: async (directory) => await this.#sessions.syncDirectory(directory),
      sealedPatches: async (file) => await this.#reading.sealedPatches(file),
    };
  }
}
