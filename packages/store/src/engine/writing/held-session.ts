/**
 * A key whose lease this instance holds, and its open file: what the instance knows of the session ends with the lease.
 * When it takes the same key again, it begins with nothing remembered.
 */

import type { SessionLog } from "../../session/session-log.ts";
import type { Lease } from "../../lease/leases.ts";

/** Release it exactly once. */
export interface HeldLog {
  readonly log: SessionLog;
  release(): Promise<void>;
}

/**
 * An open session file and its users: its owner and any number of readers. It is closed when the last of them is done, so
 * that a slow reader neither loses its file nor keeps the owner from giving the session up.
 */
class SharedLog {
  readonly log: SessionLog;
  #users = 1;

  constructor(log: SessionLog) {
    this.log = log;
  }

  hold(): HeldLog {
    this.#users++;
    return { log: this.log, release: async () => await this.release() };
  }

  /** What was written is synced by now, or in the journal: that the file cannot be closed is no failure of anything. */
  async release(): Promise<void> {
    this.#users--;
    if (this.#users === 0) await this.log.close().catch(() => undefined);
  }
}

export class HeldSession {
  readonly key: string;
  readonly lease: Lease;
  /** Writes and locks that go on now: none of them is cut off. */
  uses = 1;
  timesUsed = 1;
  /** Another instance waits in line. */
  isWanted = false;
  /** It has waited long enough: the lease is given up as soon as nothing uses it. */
  isOverdue = false;
  /** Set while it is being given up; no use may begin then. */
  ending: Promise<void> | undefined;
  #shared: SharedLog | undefined;

  constructor(key: string, lease: Lease) {
    this.key = key;
    this.lease = lease;
  }

  /** The session's open file. `undefined`: it was not opened yet, or there is none. */
  get log(): SessionLog | undefined {
    return this.#shared?.log;
  }

  /** For a reader, which may go on after the lease was given up. */
  holdLog(): HeldLog | undefined {
    return this.#shared?.hold();
  }

  /** Its file from now on. The one before is closed when its last reader is done. */
  async setLog(log: SessionLog | undefined): Promise<void> {
    const before = this.#shared;
    this.#shared = log === undefined ? undefined : new SharedLog(log);
    await before?.release();
  }
}
