/**
 * Waits for a session to change, whoever changes it. What this instance writes it is told; for other processes it looks
 * at the active file every moment, and once in a while at the whole session: a process that died may have acknowledged
 * records that are in no file yet.
 */

import type { Host } from "../../host/host.ts";
import type { SeenSession, Snapshot } from "../../contract/backend.ts";
import { ChangeListeners, isAsSeen } from "../../contract/change-listeners.ts";
import { sessionPath, type Layout } from "../../format/layout.ts";

const LOOK_EVERY_MS = 50;
const LOOKS_BEFORE_A_CLOSER_ONE = 20;

export class SessionChanges {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #snapshot: (key: string) => Promise<Snapshot | undefined>;
  readonly #listeners = new ChangeListeners();

  constructor(host: Host, layout: Layout, snapshot: (key: string) => Promise<Snapshot | undefined>) {
    this.#host = host;
    this.#layout = layout;
    this.#snapshot = snapshot;
  }

  /** This instance has changed the session. */
  tell(key: string): void {
    this.#listeners.tell(key);
  }

  async next(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    const enough = AbortSignal.any([signal, done.signal]);
    // Listened to before the session is looked at: what happens while we look is not missed.
    const told = { yet: false };
    const telling = this.#listeners.next(key, enough).then(() => {
      told.yet = true;
    });
    try {
      for (;;) {
        const before = await this.#look(key);
        if (!isAsSeen((await this.#snapshot(key))?.info, seen)) return;
        for (let look = 0; look < LOOKS_BEFORE_A_CLOSER_ONE; look++) {
          await Promise.race([telling, this.#host.wait(LOOK_EVERY_MS)]);
          if (wasTold(told) || (await this.#look(key)) !== before) return;
        }
      }
    } finally {
      done.abort();
    }
  }

  /** Changes whenever records are landed, and when the file is sealed, moved or replaced. */
  async #look(key: string): Promise<string> {
    const stat = await this.#host.files.stat(sessionPath(this.#layout, key));
    return stat === undefined ? "" : `${stat.inode} ${stat.size} ${stat.modified}`;
  }
}

/** It changes while others run, which the compiler cannot see. */
function wasTold(told: { readonly yet: boolean }): boolean {
  return told.yet;
}
