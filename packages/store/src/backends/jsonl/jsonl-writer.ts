/**
 * The directory for writing. What it promises is the commit protocol's (docs/durability.md): nobody is answered before
 * the journal is durable, the files follow, and after a failure of unknown outcome nothing more is written. Any number of
 * instances have the same directory open; each key is written to by one of them at a time.
 */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { Committer } from "../../journal/committer.ts";
import type { SessionLog } from "../../log/session-log.ts";
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
import { beginInstance, type Instance } from "./instance/begin-instance.ts";
import { sessionFiles } from "./files/find-session-file.ts";
import { forkKey } from "./writing/fork-key.ts";
import { jsonlUpkeep } from "./upkeep/jsonl-upkeep.ts";
import { Landing } from "./writing/landing.ts";
import type { Layout } from "./files/layout.ts";
import { listReadableSessions, newestPutAway } from "./reading/list-sessions.ts";
import { openLogSnapshot } from "./writing/open-log-snapshot.ts";
import { migrateOnOpening } from "./writing/migrate-on-opening.ts";
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
import { readKey } from "./reading/read-key.ts";
import type { ReadPlace } from "./reading/read-session.ts";
import { sealSession, type SealSurroundings } from "./writing/seal-session.ts";
import { SessionChanges } from "./reading/session-changes.ts";
import { StoreHealth } from "./writing/store-health.ts";
import { SessionQueues } from "./writing/session-queues.ts";
import type { Tenure } from "./writing/tenure.ts";
import { Tenures, type TenureUse } from "./writing/tenures.ts";
import { unlandedOfOthers } from "./instance/unlanded-of-others.ts";
import { verifyPlace } from "./upkeep/verify-place.ts";

export interface WriterOptions extends BackendOptions {
  readonly journalBytes: number;
  /** A longer file is sealed before the next write. */
  readonly segmentBytes: number;
  /** Milliseconds to wait in line for a session. */
  readonly lockWait: number;
}

export async function openJsonlWriter(
  host: Host,
  directory: string,
  options: WriterOptions,
): Promise<OpenBackend> {
  const layout = await prepareDirectory(host, directory);
  const instance = await beginInstance(host, layout, options);
  try {
    const patience = new Patience(host, { milliseconds: options.lockWait });
    await migrateOnOpening(host, layout, instance.leases, patience, options);
  } catch (error) {
    // It has written nothing of its own; that it failed to migrate is what to tell.
    await instance.end().catch(async () => await instance.giveUp().catch(() => undefined));
    throw ioError(error, "migrating the directory", layout.directory);
  }
  return new JsonlWriter(host, layout, options, instance);
}

class JsonlWriter implements OpenBackend {
  readonly directory: string;
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #options: WriterOptions;
  readonly #instance: Instance;
  readonly #landing: Landing;
  readonly #committer: Committer;
  readonly #sessions: OpenSessions;
  readonly #tenures: Tenures;
  readonly #locks: OwnLocks;
  /** Under a lease: what others have written to the key has been landed. */
  readonly #landedPlace: ReadPlace;
  readonly #queues: SessionQueues;
  readonly #changes: SessionChanges;
  readonly upkeep: Upkeep;
  readonly #health: StoreHealth;
  #forks = 0;

  constructor(host: Host, layout: Layout, options: WriterOptions, instance: Instance) {
    this.directory = layout.directory;
    this.#host = host;
    this.#layout = layout;
    this.#options = options;
    this.#instance = instance;
    this.#health = new StoreHealth(layout.directory);
    const { onDamage, onError } = options;
    this.#landedPlace = { files: host.files, layout, patchesOf: () => [], onDamage, onError };
    this.#landing = new Landing(instance.journal, options.journalBytes, onError);
    this.#committer = new Committer(instance.journal, {
      checkFence: async () => await this.#checkFence(),
      betweenBlocks: async () => await this.#landing.recycleIfLarge(),
      onFailed: async (error) => await this.#fail(error),
    });
    this.#sessions = new OpenSessions(host, layout, {
      temporaryPath: () => instance.temporaryPath(),
      onDamage,
      newestArchived: async (key) => (await newestPutAway(this.#landedPlace, "archived", key))?.file,
      onNamesUnknown: async (cause) =>
        await this.#stop(this.#health.unknownOutcome("syncing the directory failed", cause)),
    });
    this.#tenures = new Tenures({
      host,
      self: instance.self,
      leases: instance.leases,
      whyStopped: () => this.#health.whyStopped(),
      checkPlace: async () => await this.#checkPlace(),
      settle: async (log) => await this.#landing.trySettle(log),
      syncNames: async () => await this.#sessions.syncNames(),
      onError,
    });
    this.#locks = new OwnLocks(host, instance.self);
    this.#changes = new SessionChanges(host, layout, async (key) => await this.snapshot(key));
    instance.onWanted((name) => this.#tenures.want(name));
    this.upkeep = jsonlUpkeep({
      sealing: this.#sealing,
      now: () => new Date(host.now()).toISOString(),
      place: async () => await this.#place(),
      verifyPlace: ({ patchesOf }) => {
        const self = { instance: instance.self.instance, isForking: () => this.#forks > 0 };
        const { neighbours } = instance;
        return verifyPlace({ files: host.files, layout, neighbours, patchesOf, journalDamage: [], self });
      },
      alone: async (key, task) => await this.#alone(key, async ({ tenure }) => await task(tenure)),
      write: async (key, operation) => await this.write(key, operation),
      aloneUnopened: async (key, task) => await this.#aloneUnopened(key, task),
    });
    this.#queues = new SessionQueues({
      host,
      enter: async (key) => await this.#enter(key),
      view: (log) => this.#snapshotOf(log),
      archived: async (key) => (await newestPutAway(this.#landedPlace, "archived", key))?.snapshot,
      begin: async (tenure, at) => await this.#sessions.begin(tenure, at),
      sealIfLong: async (tenure) => {
        const { log } = tenure;
        if (log === undefined || log.end < options.segmentBytes) return;
        await tenure.setLog(await sealSession(this.#sealing, log));
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
    return await this.#queues.write(key, operation);
  }

  /** What we hold is read as we have it; everything else as any reader would. */
  async snapshot(key: string): Promise<Snapshot | undefined> {
    this.#health.check();
    const held = this.#tenures.holdIfOpen(key);
    if (held === undefined) return await readKey(await this.#place(), key);
    try {
      return this.#snapshotOf(held.log);
    } finally {
      await held.release();
    }
  }

  async *snapshots(): AsyncIterable<Snapshot> {
    this.#health.check();
    const open = new Map(this.#tenures.openLogs().map((log) => [log.path, this.#snapshotOf(log)]));
    yield* open.values();
    const files = await sessionFiles(this.#host.files, this.#layout);
    yield* listReadableSessions(
      await this.#place(),
      files.filter(({ path }) => !open.has(path)),
    );
  }

  readonly putAway: PutAway = {
    archive: async (key) => await this.#alone(key, archiveSession),
    restore: async (key, id) => await this.#alone(key, async (around) => await restoreSession(around, id)),
    delete: async (key, forever) =>
      await this.#alone(key, async (around) => await deleteSession(around, forever)),
    purge: async (before, dryRun) =>
      await purgeTrash(await this.#place(), { before, dryRun }, async ({ key, id }, file) => {
        await this.#alone(key, async ({ sessions, place }) => {
          // Somebody may have brought it back since we looked.
          const isThere = (await place.files.stat(file.path)) !== undefined;
          if (isThere) await sessions.removeForGood(key, id, file);
        });
      }),
  };

  async fork(key: string, newKey: string, at: number | undefined): Promise<void> {
    const around = { ...this.#sealing, host: this.#host, place: this.#landedPlace };
    const view = (log: SessionLog): Snapshot => this.#snapshotOf(log);
    this.#forks++;
    try {
      await this.#aloneWithBoth(key, newKey, async (parent, child) => {
        await forkKey({ ...around, view }, parent, child, at);
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
    const patience = this.#patience(wait, signal, () => this.#health.isClosing);
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
      await this.#instance.end();
    } catch (error) {
      await this.#fail(ioError(error, "closing the store", this.directory));
      await this.#tenures.closeAll();
      throw error;
    }
  }

  async #enter(key: string): Promise<TenureUse> {
    const use = await this.#tenures.use(key, this.#patience(undefined, undefined));
    try {
      await this.#sessions.open(use.tenure);
      return use;
    } catch (error) {
      await use.release();
      throw error;
    }
  }

  /** Closing waits for writes, but not for those who wait for a lock. */
  #patience(wait: number | undefined, signal: AbortSignal | undefined, isEnd = () => false): Patience {
    const check = (): void => {
      const stopped = this.#health.whyStopped() ?? (isEnd() ? this.#health.storeClosed() : undefined);
      if (stopped !== undefined) throw stopped;
    };
    return new Patience(this.#host, { milliseconds: wait ?? this.#options.lockWait, signal, check });
  }

  async #alone(key: string, task: (around: PutAwaySurroundings) => Promise<void>): Promise<void> {
    await this.#queues.runAlone(key, async () => {
      await this.#underLease(key, async (tenure) => {
        const settle = async (log: SessionLog): Promise<void> => await this.#landing.settle(log);
        await task({ tenure, sessions: this.#sessions, place: this.#landedPlace, settle });
      });
    });
  }

  /**
   * Both wait in the lines of their keys from now on. The leases are taken in the order of the keys, whichever is which:
   * two who fork to and fro must not wait for each other.
   */
  async #aloneWithBoth(
    one: string,
    other: string,
    task: (one: Tenure, other: Tenure) => Promise<void>,
  ): Promise<void> {
    const [first, second] = one < other ? [one, other] : [other, one];
    await this.#queues.runAloneWithBoth(one, other, async () => {
      await this.#underLease(first, async (firstTenure) => {
        await this.#underLease(second, async (secondTenure) => {
          await (one === first ? task(firstTenure, secondTenure) : task(secondTenure, firstTenure));
        });
      });
    });
  }

  async #aloneUnopened(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void> {
    await this.#queues.runAlone(key, async () => {
      this.#health.check();
      const { tenure, release } = await this.#tenures.use(key, this.#patience(undefined, undefined));
      try {
        await task(tenure);
      } finally {
        await release();
        this.#changes.tell(key);
      }
    });
  }

  async #underLease(key: string, task: (tenure: Tenure) => Promise<void>): Promise<void> {
    this.#health.check();
    const { tenure, release } = await this.#enter(key);
    try {
      await task(tenure);
    } finally {
      await release();
      this.#changes.tell(key);
    }
  }

  /** Whoever is refused because the journal is full has tried to empty it. */
  async #checkJournal(): Promise<void> {
    if (this.#landing.whyOverfull() === undefined) return;
    await this.#committer.between(async () => await this.#landing.recycleIfLarge());
    const failure = this.#landing.whyOverfull();
    if (failure !== undefined) throw failure;
  }

  /** Where sessions are read that we do not hold: dead instances may have left something that has not landed. */
  async #place(): Promise<ReadPlace> {
    const { files, layout, onDamage } = this.#landedPlace;
    const patchesOf = await unlandedOfOthers(files, layout, this.#instance, onDamage);
    if (patchesOf !== undefined) return { ...this.#landedPlace, patchesOf };
    await this.#checkPlace();
    return this.#landedPlace;
  }

  get #sealing(): SealSurroundings {
    return {
      files: this.#host.files,
      layout: this.#layout,
      temporaryPath: () => this.#instance.temporaryPath(),
      settle: async (log) => await this.#landing.settle(log),
      checkFence: async () => await this.#checkPlace(),
      syncNames: async (directory) => await this.#sessions.syncDirectory(directory),
    };
  }

  #snapshotOf(log: SessionLog): Snapshot {
    return openLogSnapshot(this.#landedPlace, log, (key) => this.#tenures.holdIfOpen(key));
  }

  async #checkFence(): Promise<void> {
    const lost = await this.#instance.whyLost().catch((cause: unknown) => {
      throw this.#health.unknownOutcome("whether the store was taken over cannot be told", cause);
    });
    if (lost !== undefined) throw this.#health.unknownOutcome(lost);
  }

  /** Before anything is made or read by its path: it must be the directory that was opened. */
  async #checkPlace(): Promise<void> {
    const lost = await this.#instance.whyLost();
    if (lost === undefined) return;
    const { directory } = this;
    const message = `${directory}: ${lost}; nothing was written. Reopen the store`;
    throw await this.#stop(new LonghandError("STORE_FAILED", message, { directory }));
  }

  async #stop(failure: LonghandError): Promise<LonghandError> {
    await this.#committer.stop(failure);
    await this.#fail(failure);
    return failure;
  }

  async #fail(failure: LonghandError): Promise<void> {
    if (this.#health.failure !== undefined) return;
    this.#health.failure = failure;
    await this.#landing.stop();
    try {
      await this.#instance.giveUp();
    } catch (error) {
      this.#options.onError(ioError(error, "giving up the store", this.directory));
    }
  }
}
