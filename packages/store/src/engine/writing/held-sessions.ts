/**
 * The keys that this instance holds, at most so many: each has a lease, a file descriptor and a state. A tenure is kept
 * while nobody else wants the key; it ends when somebody does, soon but never in the middle of a write or a lock, or when
 * it makes room as the one that was not used for the longest time. Before it ends, everything is applied and synced; what
 * cannot be, stays.
 */

import type { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import type { InstanceDescription } from "../../wal/instance-description.ts";
import type { SessionLog } from "../../session/session-log.ts";
import type { Leases } from "../../lease/leases.ts";
import type { Deadline } from "../../lease/deadline.ts";
import { sessionLocked } from "../../lease/session-locked.ts";
import type { HeldLog } from "./shared-log.ts";
import { HeldSession } from "./held-session.ts";

/** So long a tenure in use goes on after somebody wants it: taking turns costs more than a write. */
const GRACE = 50;
/** Within that it ends as soon as nobody has used it for so long: the next of several writes in a row comes sooner. */
const PAUSE = 5;
/** So often an instance that nobody can tell looks whether somebody waits. */
const LOOK_FOR_TICKETS = 50;

export interface HeldSessionsDeps {
  readonly host: Host;
  /** Each has a descriptor; docs/durability.md states how many. */
  readonly maxOpenSessions: number;
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
export interface HeldSessionUse {
  readonly heldSession: HeldSession;
  readonly release: () => Promise<void>;
}

export class HeldSessions {
  readonly #deps: HeldSessionsDeps;
  readonly #heldSessions = new Map<string, HeldSession>();
  /** Those that nothing uses now, least recently used first. */
  readonly #unused = new Set<HeldSession>();
  readonly #taking = new Map<string, Promise<HeldSession>>();
  #isLookingForTickets = false;

  constructor(deps: HeldSessionsDeps) {
    this.#deps = deps;
  }

  /** The key is ours until it is released, and longer if nobody else wants it. Waits in line for it. */
  async use(key: string, deadline: Deadline): Promise<HeldSessionUse> {
    const heldSession = await this.#enter(key, deadline);
    if (this.#heldSessions.size > this.#deps.maxOpenSessions) await this.#makeRoom();
    return { heldSession, release: async () => await this.#release(heldSession) };
  }

  /** The same at once, for a key that this instance holds and nothing stands in the way of. */
  useIfHeld(key: string): HeldSessionUse | undefined {
    const heldSession = this.#heldSessions.get(key);
    if (heldSession === undefined || heldSession.ending !== undefined) return undefined;
    if (this.#deps.whyStopped() !== undefined || this.#heldSessions.size > this.#deps.maxOpenSessions)
      return undefined;
    this.#noteUse(heldSession);
    return { heldSession, release: async () => await this.#release(heldSession) };
  }

  #noteUse(heldSession: HeldSession): void {
    heldSession.uses++;
    heldSession.timesUsed++;
    this.#unused.delete(heldSession);
  }

  /** The open file of a key that is ours; opens nothing. */
  holdIfOpen(key: string): HeldLog | undefined {
    const heldSession = this.#heldSessions.get(key);
    // One whose file was changed under it says nothing of what is there now.
    return heldSession?.log?.changed === undefined ? heldSession?.holdLog() : undefined;
  }

  openLogs(): readonly SessionLog[] {
    return [...this.#heldSessions.values()].flatMap(({ log }) =>
      log === undefined || log.changed !== undefined ? [] : [log],
    );
  }

  /** Somebody stands in line for the lease of this name. */
  want(name: string): void {
    for (const heldSession of this.#heldSessions.values())
      if (heldSession.lease.name === name) this.#note(heldSession);
  }

  /** Resolves when nothing is being taken or given up any more; the store must have been stopped before. */
  async idle(): Promise<void> {
    for (;;) {
      const endings = [...this.#heldSessions.values()].flatMap(({ ending }) =>
        ending === undefined ? [] : [ending],
      );
      if (endings.length === 0 && this.#taking.size === 0) return;
      await Promise.allSettled([...endings, ...this.#taking.values()]);
    }
  }

  /** Closes every file; what must be in the files is there before. The leases end with the journal. */
  async closeAll(): Promise<void> {
    const heldSessions = [...this.#heldSessions.values()];
    this.#heldSessions.clear();
    this.#unused.clear();
    await Promise.all(heldSessions.map(async (heldSession) => await heldSession.setLog(undefined)));
  }

  async #enter(key: string, deadline: Deadline): Promise<HeldSession> {
    for (;;) {
      deadline.check();
      const stopped = this.#deps.whyStopped();
      if (stopped !== undefined) throw stopped;
      const heldSession = this.#heldSessions.get(key);
      if (heldSession !== undefined && heldSession.ending === undefined) {
        this.#noteUse(heldSession);
        return heldSession;
      }
      if (heldSession?.ending !== undefined) {
        // Our own files are being synced: that is nobody's lock, and takes as long as it takes.
        await heldSession.ending;
        continue;
      }
      const underWay = this.#taking.get(key);
      if (underWay === undefined) return await this.#take(key, deadline);
      if (deadline.isOut) {
        const { host, self } = this.#deps;
        throw sessionLocked(host, key, deadline.milliseconds, { what: "this store", owner: self });
      }
      // Whether it succeeds is its starter's affair; we look again.
      await Promise.race([underWay.catch(() => undefined), deadline.pause()]);
    }
  }

  async #take(key: string, deadline: Deadline): Promise<HeldSession> {
    const taking = this.#takeLease(key, deadline).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return await taking;
  }

  async #takeLease(key: string, deadline: Deadline): Promise<HeldSession> {
    await this.#deps.checkPlace(key);
    const lease = await this.#deps.leases.take(key, deadline);
    const heldSession = new HeldSession(key, lease);
    this.#heldSessions.set(key, heldSession);
    if (lease.isWanted) this.#note(heldSession);
    if (!this.#deps.self.listens) this.#lookForTickets();
    return heldSession;
  }

  async #release(heldSession: HeldSession): Promise<void> {
    heldSession.uses--;
    if (heldSession.uses === 0) this.#unused.add(heldSession);
    if (heldSession.isOverdue) await this.#endIfUnused(heldSession);
  }

  #note(heldSession: HeldSession): void {
    if (heldSession.isWanted) return;
    heldSession.isWanted = true;
    void this.#endSoon(heldSession);
  }

  async #endSoon(heldSession: HeldSession): Promise<void> {
    for (
      let waited = 0;
      waited < GRACE && this.#heldSessions.get(heldSession.key) === heldSession;
      waited += PAUSE
    ) {
      const { timesUsed } = heldSession;
      await this.#deps.host.wait(PAUSE, "background");
      if (heldSession.uses === 0 && heldSession.timesUsed === timesUsed) break;
    }
    heldSession.isOverdue = true;
    await this.#endIfUnused(heldSession);
  }

  /** As far as there are sessions that nothing uses. */
  async #makeRoom(): Promise<void> {
    for (const heldSession of [...this.#unused].slice(
      0,
      this.#heldSessions.size - this.#deps.maxOpenSessions,
    ))
      await (heldSession.ending ?? this.#endIfUnused(heldSession));
  }

  /** Never rejects: nobody who waits for something else should learn of it. */
  async #endIfUnused(heldSession: HeldSession): Promise<void> {
    if (
      heldSession.uses > 0 ||
      heldSession.ending !== undefined ||
      this.#heldSessions.get(heldSession.key) !== heldSession
    )
      return;
    heldSession.ending = this.#end(heldSession)
      .catch((error: unknown) => this.#deps.onError(ioError(error, "giving up a session", heldSession.key)))
      .finally(() => {
        heldSession.ending = undefined;
        // Where it could not be done, the next who asks for it makes us try again.
        heldSession.isWanted = false;
        heldSession.isOverdue = false;
      });
    await heldSession.ending;
  }

  async #end(heldSession: HeldSession): Promise<void> {
    // After a failure the journal may hold records that nobody was answered for: the key goes with it to whoever adopts
    // it, and is not ours to give.
    if (this.#deps.whyStopped() !== undefined) return;
    const { log } = heldSession;
    if (log !== undefined) {
      if (!(await this.#deps.settle(log))) return;
      if (log.unappliedBytes > 0 || log.isUnsynced) return;
    }
    await this.#deps.syncNames();
    if (this.#deps.whyStopped() !== undefined) return;
    await heldSession.setLog(undefined);
    try {
      await heldSession.lease.giveUp();
    } finally {
      // Whether it failed before or after the next number was there: it may be somebody else's by now.
      this.#heldSessions.delete(heldSession.key);
      this.#unused.delete(heldSession);
    }
  }

  /** Nobody can tell an instance that does not listen. */
  #lookForTickets(): void {
    if (this.#isLookingForTickets) return;
    this.#isLookingForTickets = true;
    const look = async (): Promise<void> => {
      while (this.#heldSessions.size > 0) {
        await this.#deps.host.wait(LOOK_FOR_TICKETS, "background");
        try {
          for (const heldSession of [...this.#heldSessions.values()]) {
            if (await this.#deps.leases.isWanted(heldSession.lease.name)) this.#note(heldSession);
          }
        } catch (error) {
          this.#deps.onError(ioError(error, "looking for those who wait", "the leases"));
        }
      }
      this.#isLookingForTickets = false;
    };
    void look();
  }
}
