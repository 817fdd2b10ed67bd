/**
 * The time in which this instance holds the lease of one key: what it knows of the session is part of it and ends with
 * it. The next tenure of the same key begins with nothing remembered.
 */

import type { SessionLog } from "../../session/session-log.ts";
import type { Lease } from "../../lease/leases.ts";
import { SharedLog, type HeldLog } from "./shared-log.ts";

export class HeldSession {
  readonly key: string;
  readonly lease: Lease;
  /** Writes and locks that go on now: none of them is cut off. */
  uses = 1;
  timesUsed = 1;
  /** Somebody stands in line. */
  isWanted = false;
  /** He has waited long enough: it ends with the next moment in which nobody uses it. */
  isOverdue = false;
  /** Set while it is being given up; nobody may begin to use it then. */
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

  /** For a reader, who may go on after the tenure has ended. */
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
