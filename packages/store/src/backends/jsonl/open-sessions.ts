/** The session files of the directory in the writer's hands: found, created, kept open, and durably named. */

import type { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { createSession } from "../../log/create-session.ts";
import { openSessionForWriting } from "../../log/open-session.ts";
import type { SessionLog } from "../../log/session-log.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../../record/session-id.ts";
import type { Damage } from "../../record/session-record.ts";
import { sessionPath, type Layout } from "./layout.ts";
import { NameSync } from "./name-sync.ts";
import { SessionCache, type HeldLog } from "./session-cache.ts";

export interface OpenSessionsHooks {
  /** Lands and syncs. False: it could not be done now. */
  settle(log: SessionLog): Promise<boolean>;
  onDamage(damage: Damage): void;
  /** Which names are on the disk is unknown: the instance must stop. Answers with what to tell the caller. */
  onNamesUnknown(cause: unknown): Promise<LonghandError>;
}

export class OpenSessions {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #hooks: OpenSessionsHooks;
  readonly #cache: SessionCache;
  readonly #names: NameSync;

  constructor(host: Host, layout: Layout, hooks: OpenSessionsHooks) {
    this.#host = host;
    this.#layout = layout;
    this.#hooks = hooks;
    this.#names = new NameSync(host.files, layout.directory);
    this.#cache = new SessionCache({
      load: async (key) => await this.#load(key),
      settle: async (log) => await hooks.settle(log),
    });
  }

  /** The session, which stays open until it is released. `undefined`: there is none. */
  async hold(key: string): Promise<HeldLog | undefined> {
    return await this.#cache.hold(key);
  }

  async holdNew(key: string): Promise<HeldLog> {
    return await this.#cache.holdNew(key, async () => await this.#create(key));
  }

  list(): readonly (readonly [key: string, log: SessionLog])[] {
    return this.#cache.openLogs();
  }

  /** What should be landed must be landed before. */
  async closeAll(): Promise<void> {
    await this.#cache.closeAll();
  }

  /** Before its first journal record a session's name is durable, also if an attempt to create it was cut short. */
  async #load(key: string): Promise<SessionLog | undefined> {
    const log = await openSessionForWriting({
      files: this.#host.files,
      path: sessionPath(this.#layout, key),
      key,
      damagedDirectory: this.#layout.damaged,
      onDamage: (damage) => this.#hooks.onDamage(damage),
    });
    return log === undefined ? undefined : await this.#withDurableName(log);
  }

  /**
   * The name is free on the disk, not only seen free: every name that this instance has changed was synced, and what
   * was there before it was synced when it began.
   */
  async #create(key: string): Promise<SessionLog> {
    const path = sessionPath(this.#layout, key);
    const now = this.#host.now();
    const id = makeId(now, this.#host.randomBytes(RANDOM_BYTES_OF_AN_ID));
    const header = { key, id, at: new Date(now).toISOString() };
    this.#names.willChange();
    const creating = createSession(this.#host.files, this.#layout.directory, path, header);
    const log = await creating.catch((error: unknown) => {
      throw ioError(error, "creating the session", path);
    });
    return await this.#withDurableName(log);
  }

  async #withDurableName(log: SessionLog): Promise<SessionLog> {
    try {
      await this.#names.sync();
      return log;
    } catch (cause) {
      // The failure to sync is the one to tell, whatever closing says.
      await log.close().catch(() => undefined);
      throw await this.#hooks.onNamesUnknown(cause);
    }
  }
}
