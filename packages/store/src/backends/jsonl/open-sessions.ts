/** The session files of the directory in the writer's hands: found, created, kept open, and durably named. */

import type { LonghandError } from "../../errors.ts";
import type { FileSystem, Host } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import { createSession } from "../../log/create-session.ts";
import { openSessionForWriting } from "../../log/open-session.ts";
import type { SessionLog } from "../../log/session-log.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../../record/session-id.ts";
import type { Damage, SessionInfo } from "../../record/session-record.ts";
import { putAwayDirectory, type PutAwayStatus, type SessionFile } from "./find-session-file.ts";
import { sessionPath, type Layout } from "./layout.ts";
import { NameSync } from "./name-sync.ts";
import { SessionCache, type HeldLog } from "./session-cache.ts";

type FilePlace = Pick<SessionFile, "path" | "status">;

export interface OpenSessionsHooks {
  /** Lands and syncs. False: it could not be done now. */
  settle(log: SessionLog): Promise<boolean>;
  onDamage(damage: Damage): void;
  newestArchived(key: string): Promise<FilePlace | undefined>;
  /** Which names are on the disk is unknown: the instance must stop. Answers with what to tell the caller. */
  onNamesUnknown(cause: unknown): Promise<LonghandError>;
}

export class OpenSessions {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #hooks: OpenSessionsHooks;
  readonly #cache: SessionCache;
  readonly #names: Readonly<Record<SessionInfo["status"], NameSync>>;

  constructor(host: Host, layout: Layout, hooks: OpenSessionsHooks) {
    this.#host = host;
    this.#layout = layout;
    this.#hooks = hooks;
    this.#names = {
      active: new NameSync(host.files, layout.directory),
      archived: new NameSync(host.files, layout.archive),
      trashed: new NameSync(host.files, layout.trash),
    };
    this.#cache = new SessionCache({
      load: async (key) => await this.#load(key),
      settle: async (log) => await hooks.settle(log),
    });
  }

  /** The active session, which stays open until it is released. `undefined`: there is none. */
  async hold(key: string): Promise<HeldLog | undefined> {
    return await this.#cache.hold(key);
  }

  /** For a key without an active session: the archived one comes back, or a new one begins, created `at`. */
  async holdNew(key: string, at: string): Promise<HeldLog> {
    return await this.#cache.holdNew(key, async () => {
      const archived = await this.#hooks.newestArchived(key);
      if (archived === undefined) return await this.#create(key, at);
      await this.#move(archived, { status: "active", path: sessionPath(this.#layout, key) });
      return (await this.#load(key)) ?? (await this.#create(key, at));
    });
  }

  list(): readonly (readonly [key: string, log: SessionLog])[] {
    return this.#cache.openLogs();
  }

  /** Opens nothing more, and waits for what is being opened: that may still mend a file. */
  async stopOpening(): Promise<void> {
    await this.#cache.stopLoading();
  }

  /** What should be landed must be landed before. */
  async closeAll(): Promise<void> {
    await this.#cache.closeAll();
  }

  /** The active session's file goes to the archive or the trash. It must be landed and synced. */
  async takeAway(key: string, status: PutAwayStatus, name: string): Promise<void> {
    const from = { status: "active", path: sessionPath(this.#layout, key) } as const;
    await this.#cache.withdraw(
      key,
      async () => await this.#move(from, await this.#putAwayPlace(status, name)),
    );
  }

  /** A file becomes the key's active session. There must be none. */
  async bringBack(key: string, from: FilePlace): Promise<void> {
    const to = { status: "active", path: sessionPath(this.#layout, key) } as const;
    await this.#cache.withdraw(key, async () => await this.#move(from, to));
  }

  async moveToTrash(from: SessionFile): Promise<void> {
    await this.#move(from, await this.#putAwayPlace("trashed", from.name));
  }

  /** For good. */
  async removeFiles(removed: readonly SessionFile[]): Promise<void> {
    for (const { path, status } of removed) {
      await this.#names[status].change(async () => await this.#host.files.unlink(path));
    }
    await this.#syncNames();
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

  async #create(key: string, at: string): Promise<SessionLog> {
    // The name must be free on the disk, not only look free: an earlier session of this key may be on its way out.
    await this.#syncNames();
    const path = sessionPath(this.#layout, key);
    const id = makeId(this.#host.now(), this.#host.randomBytes(RANDOM_BYTES_OF_AN_ID));
    const header = { key, id, at };
    const { directory } = this.#layout;
    const creating = this.#names.active.change(
      async () => await createSession(this.#host.files, directory, path, header),
    );
    const log = await creating.catch((error: unknown) => {
      throw ioError(error, "creating the session", path);
    });
    return await this.#withDurableName(log);
  }

  async #withDurableName(log: SessionLog): Promise<SessionLog> {
    try {
      await this.#syncNames();
      return log;
    } catch (error) {
      // The failure to sync is the one to tell, whatever closing says.
      await log.close().catch(() => undefined);
      throw error;
    }
  }

  /** The caller knows that nothing is at `to`. */
  async #move(from: FilePlace, to: FilePlace): Promise<void> {
    const rename = async (): Promise<void> => await this.#host.files.rename(from.path, to.path);
    await this.#names[from.status].change(async () => await this.#names[to.status].change(rename));
    await this.#syncNames();
  }

  async #putAwayPlace(status: PutAwayStatus, name: string): Promise<FilePlace> {
    const directory = putAwayDirectory(this.#layout, status);
    if ((await this.#host.files.stat(directory)) === undefined) {
      await this.#names.active.change(async () => await makeDirectoryOnce(this.#host.files, directory));
      await this.#syncNames();
    }
    return { status, path: `${directory}/${name}` };
  }

  async #syncNames(): Promise<void> {
    try {
      await Promise.all(Object.values(this.#names).map(async (names) => await names.sync()));
    } catch (cause) {
      throw await this.#hooks.onNamesUnknown(cause);
    }
  }
}

/** Two who need it at once: the second finds it there. */
async function makeDirectoryOnce(files: FileSystem, path: string): Promise<void> {
  await files.makeDirectory(path).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error;
  });
}
