/**
 * The sessions that are open for writing, at most so many: each holds a file descriptor and its state. The one that was
 * not used for the longest time makes room, after it is landed and synced.
 */

import { LonghandError } from "../../errors.ts";
import type { SessionLog } from "../../log/session-log.ts";

/** Descriptors that a store holds open for sessions; docs/durability.md states it. */
export const MAX_OPEN_SESSIONS = 128;

interface Slot {
  readonly log: SessionLog;
  users: number;
  /** Its file is no longer this key's; it is closed when its last user is done. */
  withdrawn: boolean;
}

/** Release it exactly once. */
export interface HeldLog {
  readonly log: SessionLog;
  release(): Promise<void>;
}

type Load = () => Promise<SessionLog | undefined>;

export interface SessionCacheHooks {
  /** `undefined`: there is no such session. */
  load(key: string): Promise<SessionLog | undefined>;
  /** Lands and syncs. False: it could not be done now. */
  settle(log: SessionLog): Promise<boolean>;
}

export class SessionCache {
  readonly #hooks: SessionCacheHooks;
  /** Least recently used first. */
  readonly #slots = new Map<string, Slot>();
  /** A file is opened, mended or created by one at a time: two would cut into each other's landing. */
  readonly #loading = new Map<string, Promise<Slot | undefined>>();

  #stopped = false;

  constructor(hooks: SessionCacheHooks) {
    this.#hooks = hooks;
  }

  /** The session, which stays open until it is released. `undefined`: there is none. */
  async hold(key: string): Promise<HeldLog | undefined> {
    return await this.#hold(key, async () => await this.#hooks.load(key));
  }

  /** The same for a session that was not there: `create` makes it, unless somebody else has meanwhile. */
  async holdNew(key: string, create: () => Promise<SessionLog>): Promise<HeldLog> {
    const held = await this.#hold(key, create);
    if (held === undefined) throw new Error("a session that was created is there");
    return held;
  }

  /**
   * Runs `move` while nobody can open or create a session of this key, and forgets the one that was open: its file has
   * gone elsewhere. Those who are reading it read on. If `move` fails, everything is as before.
   */
  async withdraw(key: string, move: () => Promise<void>): Promise<void> {
    for (let underWay = this.#loading.get(key); underWay !== undefined; underWay = this.#loading.get(key)) {
      await underWay.catch(() => undefined);
    }
    const slot = this.#slots.get(key);
    this.#slots.delete(key);
    const moving = move()
      .catch((error: unknown) => {
        if (slot !== undefined) this.#slots.set(key, slot);
        throw error;
      })
      .then(() => undefined)
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, moving);
    await moving;
    if (slot === undefined) return;
    slot.withdrawn = true;
    slot.users++;
    await release(slot);
  }

  openLogs(): readonly (readonly [key: string, log: SessionLog])[] {
    return [...this.#slots].map(([key, { log }]) => [key, log]);
  }

  /** From now on nobody can hold a session. Waits for those that are being opened: opening may mend a file. */
  async stopLoading(): Promise<void> {
    this.#stopped = true;
    while (this.#loading.size > 0) await Promise.allSettled(this.#loading.values());
  }

  /** Closes every file; what should be landed must be landed before. */
  async closeAll(): Promise<void> {
    const logs = [...this.#slots.values()].map(({ log }) => log);
    this.#slots.clear();
    await Promise.all(logs.map(async (log) => await log.close()));
  }

  async #hold(key: string, load: Load): Promise<HeldLog | undefined> {
    const slot = await this.#acquire(key, load);
    if (slot === undefined) return undefined;
    return {
      log: slot.log,
      release: async () => await release(slot),
    };
  }

  async #acquire(key: string, load: Load): Promise<Slot | undefined> {
    for (;;) {
      if (this.#stopped)
        throw new LonghandError("STORE_CLOSED", "the store is closed; open it again with openStore", { key });
      const slot = this.#slots.get(key);
      if (slot !== undefined) {
        slot.users++;
        this.#slots.delete(key);
        this.#slots.set(key, slot);
        return slot;
      }
      const underWay = this.#loading.get(key);
      if (underWay === undefined) return await this.#load(key, load);
      // Whether it succeeds is its starter's affair; we look again.
      await underWay.catch(() => undefined);
    }
  }

  /** The slot is in use from the moment it exists: making room must not close it before its first user has it. */
  async #load(key: string, load: Load): Promise<Slot | undefined> {
    const loading = load()
      .then((log) => {
        const slot = log === undefined ? undefined : { log, users: 1, withdrawn: false };
        if (slot !== undefined) this.#slots.set(key, slot);
        return slot;
      })
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    const slot = await loading;
    await this.#makeRoom();
    return slot;
  }

  async #makeRoom(): Promise<void> {
    for (const [key, slot] of [...this.#slots]) {
      if (this.#slots.size <= MAX_OPEN_SESSIONS) return;
      if (slot.users > 0 || this.#slots.get(key) !== slot) continue;
      slot.users++;
      const settled = await this.#hooks.settle(slot.log);
      await release(slot);
      // Somebody may have begun to use it meanwhile; one that cannot be landed stays open, so that it can be read.
      const isIdle = slot.users === 0 && slot.log.unlandedBytes === 0 && !slot.log.isUnsynced;
      if (!settled || !isIdle || this.#slots.get(key) !== slot) continue;
      this.#slots.delete(key);
      await slot.log.close();
    }
  }
}

async function release(slot: Slot): Promise<void> {
  slot.users--;
  if (slot.withdrawn && slot.users === 0) await slot.log.close();
}
