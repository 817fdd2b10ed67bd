/**
 * The keys that this instance holds, at most so many: each has a lease, a file descriptor and a state. A tenure is kept
 * while nobody else wants the key; it ends when somebody does, soon but never in the middle of a write or a lock, or when
 * it makes room as the one that was not used for the longest time. Before it ends, everything is landed and synced; what
 * cannot be, stays.
 */

import type { LonghandError } from "../../../errors.ts";
import type { Host } from "../../../host/host.ts";
import { ioError } from "../../../host/io-error.ts";
import type { InstanceDescription } from "../../../journal/instance-description.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { Leases } from "../leases/leases.ts";
import type { Patience } from "../leases/patience.ts";
import { sessionLocked } from "../leases/session-locked.ts";
import type { HeldLog } from "./shared-log.ts";
import { Tenure } from "./tenure.ts";

/** Descriptors that a store holds open for sessions; docs/durability.md states it. */
export const MAX_OPEN_SESSIONS = 128;

/** So long a tenure in use goes on after somebody wants it: taking turns costs more than a write. */
const GRACE = 50;
/** Within that it ends as soon as nobody has used it for so long: the next of several writes in a row comes sooner. */
const PAUSE = 5;
/** So often an instance that nobody can tell looks whether somebody waits. */
const LOOK_FOR_TICKETS = 50;

export interface TenuresSurroundings {
  readonly host: Host;
  readonly self: InstanceDescription;
  readonly leases: Leases;
  /** Why nothing more may be held or given up: the store is closed, or has failed. */
  whyStopped(): LonghandError | undefined;
  /** Before a lease is taken: rejects if the directory is no longer ours, or the key's file is another program's. */
  checkPlace(key: string): Promise<void>;
  /** Lands and syncs. False: it could not be done now. */
  settle(log: SessionLog): Promise<boolean>;
  /** The names that this instance has changed are durable when it resolves. */
  syncNames(): Promise<void>;
  onError(error: LonghandError): void;
}

/** Release it exactly once. */
export interface TenureUse {
  readonly tenure: Tenure;
  readonly release: () => Promise<void>;
}

export class Tenures {
  readonly #around: TenuresSurroundings;
  /** Least recently used first. */
  readonly #tenures = new Map<string, Tenure>();
  readonly #taking = new Map<string, Promise<Tenure>>();
  #isLookingForTickets = false;

  constructor(around: TenuresSurroundings) {
    this.#around = around;
  }

  /** The key is ours until it is released, and longer if nobody else wants it. Waits in line for it. */
  async use(key: string, patience: Patience): Promise<TenureUse> {
    const tenure = await this.#enter(key, patience);
    await this.#makeRoom();
    return { tenure, release: async () => await this.#release(tenure) };
  }

  /** The open file of a key that is ours; opens nothing. */
  holdIfOpen(key: string): HeldLog | undefined {
    const tenure = this.#tenures.get(key);
    // One whose file was changed under it says nothing of what is there now.
    return tenure?.log?.changed === undefined ? tenure?.holdLog() : undefined;
  }

  openLogs(): readonly SessionLog[] {
    return [...this.#tenures.values()].flatMap(({ log }) =>
      log === undefined || log.changed !== undefined ? [] : [log],
    );
  }

  /** Somebody stands in line for the lease of this name. */
  want(name: string): void {
    for (const tenure of this.#tenures.values()) if (tenure.lease.name === name) this.#note(tenure);
  }

  /** Resolves when nothing is being taken or given up any more; the store must have been stopped before. */
  async idle(): Promise<void> {
    for (;;) {
      const endings = [...this.#tenures.values()].flatMap(({ ending }) =>
        ending === undefined ? [] : [ending],
      );
      if (endings.length === 0 && this.#taking.size === 0) return;
      await Promise.allSettled([...endings, ...this.#taking.values()]);
    }
  }

  /** Closes every file; what should be landed must be landed before. The leases end with the journal. */
  async closeAll(): Promise<void> {
    const tenures = [...this.#tenures.values()];
    this.#tenures.clear();
    await Promise.all(tenures.map(async (tenure) => await tenure.setLog(undefined)));
  }

  async #enter(key: string, patience: Patience): Promise<Tenure> {
    for (;;) {
      patience.check();
      const stopped = this.#around.whyStopped();
      if (stopped !== undefined) throw stopped;
      const tenure = this.#tenures.get(key);
      if (tenure !== undefined && tenure.ending === undefined) {
        tenure.uses++;
        tenure.timesUsed++;
        this.#tenures.delete(key);
        this.#tenures.set(key, tenure);
        return tenure;
      }
      if (tenure?.ending !== undefined) {
        // Our own files are being synced: that is nobody's lock, and takes as long as it takes.
        await tenure.ending;
        continue;
      }
      const underWay = this.#taking.get(key);
      if (underWay === undefined) return await this.#take(key, patience);
      if (patience.isOut) {
        const { host, self } = this.#around;
        throw sessionLocked(host, key, patience.milliseconds, { what: "this store", owner: self });
      }
      // Whether it succeeds is its starter's affair; we look again.
      await Promise.race([underWay.catch(() => undefined), patience.pause()]);
    }
  }

  async #take(key: string, patience: Patience): Promise<Tenure> {
    const taking = this.#takeLease(key, patience).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return await taking;
  }

  async #takeLease(key: string, patience: Patience): Promise<Tenure> {
    await this.#around.checkPlace(key);
    const lease = await this.#around.leases.take(key, patience);
    const tenure = new Tenure(key, lease);
    this.#tenures.set(key, tenure);
    if (lease.isWanted) this.#note(tenure);
    if (!this.#around.self.listens) this.#lookForTickets();
    return tenure;
  }

  async #release(tenure: Tenure): Promise<void> {
    tenure.uses--;
    if (tenure.isOverdue) await this.#endIfUnused(tenure);
  }

  #note(tenure: Tenure): void {
    if (tenure.isWanted) return;
    tenure.isWanted = true;
    void this.#endSoon(tenure);
  }

  async #endSoon(tenure: Tenure): Promise<void> {
    for (let waited = 0; waited < GRACE && this.#tenures.get(tenure.key) === tenure; waited += PAUSE) {
      const { timesUsed } = tenure;
      await this.#around.host.wait(PAUSE, "background");
      if (tenure.uses === 0 && tenure.timesUsed === timesUsed) break;
    }
    tenure.isOverdue = true;
    await this.#endIfUnused(tenure);
  }

  async #makeRoom(): Promise<void> {
    for (const tenure of [...this.#tenures.values()]) {
      if (this.#tenures.size <= MAX_OPEN_SESSIONS) return;
      await (tenure.ending ?? this.#endIfUnused(tenure));
    }
  }

  /** Never rejects: nobody who waits for something else should learn of it. */
  async #endIfUnused(tenure: Tenure): Promise<void> {
    if (tenure.uses > 0 || tenure.ending !== undefined || this.#tenures.get(tenure.key) !== tenure) return;
    tenure.ending = this.#end(tenure)
      .catch((error: unknown) => this.#around.onError(ioError(error, "giving up a session", tenure.key)))
      .finally(() => {
        tenure.ending = undefined;
        // Where it could not be done, the next who asks for it makes us try again.
        tenure.isWanted = false;
        tenure.isOverdue = false;
      });
    await tenure.ending;
  }

  async #end(tenure: Tenure): Promise<void> {
    // After a failure the journal may hold records that nobody was answered for: the key goes with it to whoever adopts
    // it, and is not ours to give.
    if (this.#around.whyStopped() !== undefined) return;
    const { log } = tenure;
    if (log !== undefined) {
      if (!(await this.#around.settle(log))) return;
      if (log.unlandedBytes > 0 || log.isUnsynced) return;
    }
    await this.#around.syncNames();
    if (this.#around.whyStopped() !== undefined) return;
    await tenure.setLog(undefined);
    try {
      await tenure.lease.giveUp();
    } finally {
      // Whether it failed before or after the next number was there: it may be somebody else's by now.
      this.#tenures.delete(tenure.key);
    }
  }

  /** Nobody can tell an instance that does not listen. */
  #lookForTickets(): void {
    if (this.#isLookingForTickets) return;
    this.#isLookingForTickets = true;
    const look = async (): Promise<void> => {
      while (this.#tenures.size > 0) {
        await this.#around.host.wait(LOOK_FOR_TICKETS, "background");
        try {
          for (const tenure of [...this.#tenures.values()]) {
            if (await this.#around.leases.isWanted(tenure.lease.name)) this.#note(tenure);
          }
        } catch (error) {
          this.#around.onError(ioError(error, "looking for those who wait", "the leases"));
        }
      }
      this.#isLookingForTickets = false;
    };
    void look();
  }
}
