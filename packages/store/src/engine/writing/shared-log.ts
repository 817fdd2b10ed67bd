import type { SessionLog } from "../../session/session-log.ts";

/** Release it exactly once. */
export interface HeldLog {
  readonly log: SessionLog;
  release(): Promise<void>;
}

/**
 * An open session file and those who use it: its owner and any number of readers. It is closed when the last of them is
 * done, so that a slow reader neither loses its file nor keeps the owner from giving the session up.
 */
export class SharedLog {
  readonly log: SessionLog;
  #users = 1;

  /** The caller is its owner. */
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
