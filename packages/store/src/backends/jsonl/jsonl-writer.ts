/**
 * The directory for writing. What it promises is the commit protocol's (docs/durability.md): nobody is answered before
 * the journal is durable, the files follow, and after a failure of unknown outcome nothing more is written. Any number of
 * instances have the same directory open; each key is written to by one of them at a time.
 */

import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { Committer } from "../../journal/committer.ts";
import type { SessionLog } from "../../log/session-log.ts";
import { isSurelyOurs } from "../../migrate/foreign-names.ts";
import { fileNameOf } from "../../record/key.ts";
import type { Damage } from "../../record/session-record.ts";
import type {
  BackendLockOptions,
  BackendOptions,
  OpenBackend,
  Operation,
  PutAway,
  SeenSession,
  Snapshot,
  Upkeep,
} from "../../store/backend.ts";
import type { Written } from "../../store/types.ts";
import { Alone } from "./writing/alone.ts";
import { beginInstance, type Instance } from "./instance/begin-instance.ts";
import { ChangedSessions } from "./writing/changed-sessions.ts";
import { gatedHost } from "./instance/gated-files.ts";
import { forkKey } from "./writing/fork-key.ts";
import { jsonlUpkeep } from "./upkeep/jsonl-upkeep.ts";
import { Landing } from "./writing/landing.ts";
import { checkNameIsFree } from "./files/foreign-file.ts";
import { idInName, leaseNameOf, type Layout } from "./files/layout.ts";
import { checkOnlyFile } from "./files/only-file.ts";
import { rememberBegun } from "./files/scan-for-foreign.ts";
import { migrateOnOpening, tellUnfinished } from "./writing/migrate-on-opening.ts";
import { OpenSessions } from "./writing/open-sessions.ts";
import { OwnLocks } from "./leases/own-locks.ts";
import { Patience } from "./leases/patience.ts";
import { prepareDirectory } from "./files/prepare-directory.ts";
import { purgeTrash } from "./upkeep/purge-trash.ts";
import {
  archiveSession,
  deleteSession,
  restoreSession,
  type PutAwaySurroundings,
} from "./writing/put-away.ts";
import { sealHeld, type SealSurroundings } from "./writing/seal-session.ts";
import { SessionChanges } from "./reading/session-changes.ts";
import { StoreHealth } from "./writing/store-health.ts";
import { SessionQueues } from "./writing/session-queues.ts";
import { StoreReading } from "./reading/store-reading.ts";
import { Stopping } from "./writing/stopping.ts";
import { Tenures } from "./writing/tenures.ts";
import { verifyPlace } from "./upkeep/verify-place.ts";

export interface WriterOptions extends BackendOptions {
  readonly journalBytes: number;
  /** A longer file is sealed before the next write. */
  readonly segmentBytes: number;
  /** Milliseconds to wait in line for a session. */
  readonly lockWait: number;
}

/** What is begun beyond that is read once by the next opening: memory does not grow with the number of sessions. */
const MAX_BEGUN = 10_000;

export async function openJsonlWriter(
  host: Host,
  directory: string,
  options: WriterOptions,
): Promise<OpenBackend> {
  const layout = await prepareDirectory(host, directory);
  const instance = await beginInstance(host, layout, options);
  const gated = gatedHost(host, layout, instance.self.instance);
  try {
    const patience = new Patience(host, { milliseconds: options.lockWait });
    if (options.migrate === true) await migrateOnOpening(gated, layout, instance.leases, patience, options);
    else await tellUnfinished(host.files, layout, options.onError);
  } catch (error) {
    // It has written nothing of its own; that it failed to migrate is what to tell.
    await instance.end().catch(async () => await instance.giveUp().catch(() => undefined));
    throw ioError(error, "migrating the directory", layout.directory);
  }
  return new JsonlWriter(gated, layout, options, instance);
}

class JsonlWriter implements OpenBackend {
  readonly directory: string;
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #instance: Instance;
  readonly #changed: ChangedSessions;
  readonly #landing: Landing;
  readonly #committer: Committer;
  readonly #sessions: OpenSessions;
  readonly #tenures: Tenures;
  readonly #locks: OwnLocks;
  readonly #reading: StoreReading;
  readonly #queues: SessionQueues;
  readonly #changes: SessionChanges;
  readonly upkeep: Upkeep;
  readonly #health: StoreHealth;
  readonly #stopping: Stopping;
  readonly #alone: Alone;
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
    this.#landing = new Landing(instance.journal, options.journalBytes, {
      look: async (path) => await host.files.stat(path),
      keepChanged: async (log) => await this.#changed.keep(log),
      onError,
    });
    this.#stopping = new Stopping({
      directory: layout.directory,
      instance,
      health: this.#health,
      landing: this.#landing,
      committer: () => this.#committer,
      idle: async () => {
        await this.#queues.idle();
        await this.#tenures.idle();
      },
      onError,
    });
    this.#reading = new StoreReading({
      files: host.files,
      layout,
      instance,
      tenures: () => this.#tenures,
      checkPlace: async () => await this.#stopping.checkPlace(),
      onDamage,
      onError,
    });
    this.#committer = new Committer(instance.journal, {
      checkFence: async () => await this.#stopping.checkFence(),
      betweenBlocks: async () => await this.#landing.recycleIfLarge(),
      onFailed: (error) => this.#stopping.fail(error),
    });
    this.#sessions = new OpenSessions(host, layout, {
      temporaryPath: () => instance.temporaryPath(),
      onDamage,
      newestArchived: async (key) => (await this.#reading.newestArchived(key))?.file,
      keepChanged: async (log) => await this.#landing.change(log),
      checkChanged: async (log) => await this.#changed.check(log),
      checkMayChange: async () => await this.#stopping.checkMayChange(),
      onNamesUnknown: async (cause) => await this.#stopping.namesUnknown(cause),
    });
    this.#tenures = new Tenures({
      host,
      self: instance.self,
      leases: instance.leases,
      whyStopped: () => this.#health.whyStopped(),
      checkPlace: async (key) => {
        await this.#stopping.checkPlace();
        await checkNameIsFree({ files: host.files, layout }, key);
      },
      settle: async (log) => await this.#landing.trySettle(log),
      syncNames: async () => await this.#sessions.syncNames(),
      onError,
    });
    this.#locks = new OwnLocks(host, instance.self);
    this.#changes = new SessionChanges(host, layout, async (key) => await this.snapshot(key));
    instance.onWanted((name) => this.#tenures.want(name));
    this.#alone = new Alone({
      host,
      health: this.#health,
      tenures: this.#tenures,
      sessions: this.#sessions,
      queues: () => this.#queues,
      lockWait: options.lockWait,
      tell: (key) => this.#changes.tell(key),
    });
    this.upkeep = jsonlUpkeep({
      sealing: this.#sealing,
      now: () => new Date(host.now()).toISOString(),
      place: async () => await this.#reading.place(),
      verifyPlace: async () => {
        const unlanded: Damage[] = [];
        const { patchesOf } = await this.#reading.place((damage) => unlanded.push(damage));
        const { neighbours, adoption } = instance;
        // What was found while adopting is no longer where it was: nobody else could tell of it.
        const journalDamage = [...adoption.damage, ...unlanded];
        const self = { instance: instance.self.instance, isForking: () => this.#forks > 0 };
        return verifyPlace({ files: host.files, layout, neighbours, patchesOf, journalDamage, self });
      },
      onJournalsRepaired: () => instance.adoption.forgetDamage(),
      onRepaired: (key) => this.#changed.forget(key),
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
      begin: async (tenure, at) => {
        const log = await this.#sessions.begin(tenure, at);
        this.#noteBegun(tenure.key);
        return log;
      },
      sealIfLong: async (tenure) => {
        const { log } = tenure;
        if (log === undefined || log.end < options.segmentBytes) return;
        await sealHeld(this.#sealing, tenure, log);
      },
      checkWritable: async () => {
        this.#health.check();
        await this.#landing.checkRoom();
        await this.#checkJournal();
      },
      commit: async (records, onDurable) => await this.#committer.commit(records, onDurable),
      land: (log) => {
        this.#landing.begin(log);
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

  async *snapshots(onCount?: (sessions: number) => void): AsyncIterable<Snapshot> {
    this.#health.check();
    yield* this.#reading.snapshots(onCount);
  }

  readonly putAway: PutAway = {
    archive: async (key) => await this.#putAway(key, archiveSession),
    restore: async (key, id) => await this.#putAway(key, async (around) => await restoreSession(around, id)),
    delete: async (key, forever) =>
      await this.#putAway(key, async (around) => await deleteSession(around, forever)),
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
    const around = { ...this.#sealing, host: this.#host, place: this.#reading.landed };
    const view = (log: SessionLog): Snapshot => this.#reading.view(log);
    this.#forks++;
    try {
      await this.#alone.withBoth(key, newKey, async (parent, child) => {
        await forkKey({ ...around, view }, parent, child, at);
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
    const patience = this.#alone.patience(wait, signal, () => this.#health.isClosing);
    return await this.#locks.hold(key, patience, async () => await this.#tenures.use(key, patience));
  }

  async close(): Promise<void> {
    this.#health.isClosing = true;
    await this.#queues.idle();
    await this.#committer.idle();
    this.#health.isClosed = true;
    await this.#tenures.idle();
    try {
      if (this.#health.failure === undefined) await this.#end();
      await this.#stopping.givenUp();
      await this.#tenures.closeAll();
    } catch (error) {
      throw ioError(error, "closing the store", this.directory);
    }
  }

  /** If it fails, the journal stays, and the next opener replays it. */
  async #end(): Promise<void> {
    try {
      await this.#landing.settleAll();
      await this.#sessions.syncNames();
      await rememberBegun(this.#host.files, this.#layout, this.#begun).catch((error: unknown) => {
        this.#onError(ioError(error, "remembering which sessions were begun", this.#layout.cache));
      });
      await this.#instance.end();
    } catch (error) {
      this.#stopping.fail(ioError(error, "closing the store", this.directory));
      await this.#stopping.givenUp();
      await this.#tenures.closeAll();
      throw error;
    }
  }

  #noteBegun(key: string): void {
    if (!isSurelyOurs(leaseNameOf(key)) && this.#begun.size < MAX_BEGUN) this.#begun.add(fileNameOf(key));
  }

  async #putAway(key: string, task: (around: PutAwaySurroundings) => Promise<void>): Promise<void> {
    await this.#alone.with(key, async (tenure) => {
      const settle = async (log: SessionLog): Promise<void> => await this.#landing.settle(log);
      await task({ tenure, sessions: this.#sessions, place: this.#reading.landed, settle });
    });
  }

  /** Whoever is refused because the journal is full has tried to empty it. */
  async #checkJournal(): Promise<void> {
    if (this.#landing.whyOverfull() === undefined) return;
    await this.#committer.between(async () => await this.#landing.recycleIfLarge());
    const failure = this.#landing.whyOverfull();
    if (failure !== undefined) throw failure;
  }

  get #sealing(): SealSurroundings {
    return {
      files: this.#host.files,
      layout: this.#layout,
      temporaryPath: () => this.#instance.temporaryPath(),
      settle: async (log) => await this.#landing.settle(log),
      checkMayChange: async () => await this.#stopping.checkMayChange(),
      syncNames: async (directory) => await this.#sessions.syncDirectory(directory),
    };
  }
}
