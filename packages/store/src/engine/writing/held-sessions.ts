/**
 * The keys that this instance holds, at most so many: each has a lease, a file descriptor and a state. One is held while no
 * other instance wants it. It is given up when one does, soon but never in the middle of a write or a lock, or to make room,
 * least recently used first. Before that, everything is applied and synced; what cannot be, stays.
 */

import type { BackendLockOptions, BackendOptions } from "../../contract/backend.ts";
import type { Layout } from "../../format/layout.ts";
import { andThen, orElse } from "../../host/and-then.ts";
import type { Awaitable, Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { Deadline } from "../../lease/deadline.ts";
import { OwnLocks } from "../../lease/own-locks.ts";
import { sessionLocked } from "../../lease/session-locked.ts";
import type { SessionLog } from "../../session/session-log.ts";
import { checkNameIsFree } from "../files/foreign-file.ts";
import type { Instance } from "../instance/begin-instance.ts";
import type { CommitPipeline } from "./commit-pipeline.ts";
import { HeldSession, type HeldLog } from "./held-session.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { StoreHealth } from "./store-health.ts";

/** A session in use is held for this long after another instance wants it: taking turns costs more than a write. */
const GRACE_MS = 50;
/** Within that it is given up after an idle time of this length: the next of several writes in a row comes sooner. */
const PAUSE_MS = 5;
/** Poll interval for waiters, for an instance without a socket. */
const POLL_INTERVAL_MS = 50;

export interface HeldSessionsDeps extends Pick<BackendOptions, "onError"> {
  readonly host: Host;
  readonly layout: Layout;
  readonly instance: Instance;
  readonly health: StoreHealth;
  readonly pipeline: CommitPipeline;
  readonly sessions: OpenSessions;
  /** Each has a descriptor; docs/durability.md states how many. */
  readonly maxOpenSessions: number;
  /** Milliseconds to wait in line for a session. */
  readonly lockWait: number;
}

export class HeldSessions {
  readonly #deps: HeldSessionsDeps;
  readonly #locks: OwnLocks;
  readonly #heldSessions = new Map<string, HeldSession>();
  /** Those that nothing uses now, least recently used first. */
  readonly #unused = new Set<HeldSession>();
  readonly #taking = new Map<string, Promise<HeldSession>>();
  #isPolling = false;

  constructor(deps: HeldSessionsDeps) {
    this.#deps = deps;
    const { host, instance } = deps;
    this.#locks = new OwnLocks(host, instance.self);
    instance.onWanted((name) => this.#want(name));
  }

  /** Holds the key, with the session's file opened, if there is one. Release it exactly once. */
  enter(key: string): Awaitable<HeldSession> {
    return andThen(this.#useIfHeld(key) ?? this.use(key), (heldSession) =>
      orElse(
        () => andThen(this.#deps.sessions.open(heldSession), () => heldSession),
        async (error) => {
          await this.release(heldSession);
          throw error;
        },
      ),
    );
  }

  /** Holds the key until it is released, and longer if no other instance wants it. Waits in line for it. */
  async use(key: string, deadline: Deadline = this.#deadline({}, () => false)): Promise<HeldSession> {
    const heldSession = await this.#take(key, deadline);
    if (this.#heldSessions.size > this.#deps.maxOpenSessions) await this.#makeRoom();
    return heldSession;
  }

  release(heldSession: HeldSession): Awaitable<void> {
    heldSession.uses--;
    if (heldSession.uses === 0) this.#unused.add(heldSession);
    return heldSession.isOverdue ? this.#endIfUnused(heldSession) : undefined;
  }

  /** Held as if one write went on and on: other instances wait, and this one's own writes pass. */
  async lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>> {
    // Closing waits for writes, but not for callers that wait for a lock.
    const deadline = this.#deadline(options, () => this.#deps.health.isClosing);
    return await this.#locks.hold(key, deadline, async () => {
      const heldSession = await this.use(key, deadline);
      return { release: async () => await this.release(heldSession) };
    });
  }

  /** The same as `use` at once, for a key that this instance holds and nothing stands in the way of. */
  #useIfHeld(key: string): HeldSession | undefined {
    const heldSession = this.#heldSessions.get(key);
    if (heldSession === undefined || heldSession.ending !== undefined) return undefined;
    const { health, maxOpenSessions } = this.#deps;
    if (health.whyStopped() !== undefined || this.#heldSessions.size > maxOpenSessions) return undefined;
    this.#noteUse(heldSession);
    return heldSession;
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

  /** Another instance waits in line for the lease of this name. */
  #want(name: string): void {
    for (const heldSession of this.#heldSessions.values())
      if (heldSession.lease.name === name) this.#note(heldSession);
  }

  /** Closes every file; what must be in the files is there before. The leases end with the journal. */
  async closeAll(): Promise<void> {
    const heldSessions = [...this.#heldSessions.values()];
    this.#heldSessions.clear();
    this.#unused.clear();
    await Promise.all(heldSessions.map(async (heldSession) => await heldSession.setLog(undefined)));
  }

  #deadline({ wait, signal }: Partial<BackendLockOptions>, isEnd: () => boolean): Deadline {
    const { host, health, lockWait } = this.#deps;
    const check = (): void => {
      const stopped = health.whyStopped() ?? (isEnd() ? health.storeClosed() : undefined);
      if (stopped !== undefined) throw stopped;
    };
    return new Deadline(host, { milliseconds: wait ?? lockWait, signal, check });
  }

  async #take(key: string, deadline: Deadline): Promise<HeldSession> {
    for (;;) {
      deadline.check();
      const heldSession = this.#heldSessions.get(key);
      if (heldSession !== undefined && heldSession.ending === undefined) {
        this.#noteUse(heldSession);
        return heldSession;
      }
      if (heldSession?.ending !== undefined) {
        // Our own files are being synced: that is no lock of another instance, and takes as long as it takes.
        await heldSession.ending;
        continue;
      }
      const underWay = this.#taking.get(key);
      if (underWay === undefined) return await this.#takeLease(key, deadline);
      if (deadline.isOut) {
        const { host, instance } = this.#deps;
        const blocker = { what: "this store", owner: instance.self } as const;
        throw sessionLocked(host, key, deadline.milliseconds, blocker);
      }
      // Whether it succeeds is its starter's affair; we look again.
      await Promise.race([underWay.catch(() => undefined), deadline.pause()]);
    }
  }

  async #takeLease(key: string, deadline: Deadline): Promise<HeldSession> {
    const { health } = this.#deps;
    health.beginWork();
    const taking = this.#newlyHeld(key, deadline).finally(() => {
      this.#taking.delete(key);
      health.endWork();
    });
    this.#taking.set(key, taking);
    return await taking;
  }

  async #newlyHeld(key: string, deadline: Deadline): Promise<HeldSession> {
    const { host, layout, instance, pipeline } = this.#deps;
    await pipeline.checkPlace();
    await checkNameIsFree({ files: host.files, layout }, key);
    const lease = await instance.leases.take(key, deadline);
    const heldSession = new HeldSession(key, lease);
    this.#heldSessions.set(key, heldSession);
    if (lease.isWanted) this.#note(heldSession);
    if (!instance.self.listens) this.#pollForWaiters();
    return heldSession;
  }

  #note(heldSession: HeldSession): void {
    if (heldSession.isWanted) return;
    heldSession.isWanted = true;
    void this.#endSoon(heldSession);
  }

  async #endSoon(heldSession: HeldSession): Promise<void> {
    for (
      let waited = 0;
      waited < GRACE_MS && this.#heldSessions.get(heldSession.key) === heldSession;
      waited += PAUSE_MS
    ) {
      const { timesUsed } = heldSession;
      await this.#deps.host.wait(PAUSE_MS, "background");
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

  /** Never rejects: callers wait for unrelated work. */
  async #endIfUnused(heldSession: HeldSession): Promise<void> {
    if (
      heldSession.uses > 0 ||
      heldSession.ending !== undefined ||
      this.#heldSessions.get(heldSession.key) !== heldSession
    )
      return;
    this.#deps.health.beginWork();
    heldSession.ending = this.#end(heldSession)
      .catch((error: unknown) => this.#deps.onError(ioError(error, "giving up a session", heldSession.key)))
      .finally(() => {
        heldSession.ending = undefined;
        // Where it could not be done, the next waiter makes us try again.
        heldSession.isWanted = false;
        heldSession.isOverdue = false;
        this.#deps.health.endWork();
      });
    await heldSession.ending;
  }

  async #end(heldSession: HeldSession): Promise<void> {
    const { health, pipeline, sessions } = this.#deps;
    // After a failure the journal may hold records that were never acknowledged: the key goes with it to the instance that
    // recovers it, and is not ours to give.
    if (health.whyStopped() !== undefined) return;
    const { log } = heldSession;
    if (log !== undefined) {
      if (!(await pipeline.applier.trySettle(log))) return;
      if (log.unappliedBytes > 0 || log.isUnsynced) return;
    }
    await sessions.syncNames();
    if (health.whyStopped() !== undefined) return;
    await heldSession.setLog(undefined);
    try {
      await heldSession.lease.giveUp();
    } finally {
      // Whether it failed before or after the next number was there: it may be another instance's by now.
      this.#heldSessions.delete(heldSession.key);
      this.#unused.delete(heldSession);
    }
  }

  /** An instance that does not listen cannot be told. */
  #pollForWaiters(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    const { host, instance, onError } = this.#deps;
    const poll = async (): Promise<void> => {
      while (this.#heldSessions.size > 0) {
        await host.wait(POLL_INTERVAL_MS, "background");
        try {
          for (const heldSession of [...this.#heldSessions.values()]) {
            if (await instance.leases.isWanted(heldSession.lease.name)) this.#note(heldSession);
          }
        } catch (error) {
          onError(ioError(error, "looking for those who wait", "the leases"));
        }
      }
      this.#isPolling = false;
    };
    void poll();
  }
}
