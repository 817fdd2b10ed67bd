/**
 * The session files of the keys that this instance holds: found, created, moved, and durably named. Whatever it opens is
 * opened by name and read again in each tenure.
 */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError, isNotOpened, pathOf } from "../../host/io-error.ts";
import { makeDirectory } from "../../host/make-directories.ts";
import { createSession } from "../../session/create-session.ts";
import { openSessionForWriting } from "../../session/open-session.ts";
import type { SealedPatches } from "../../session/sealed-source.ts";
import type { SessionLog } from "../../session/session-log.ts";
import { firstHeader } from "../../format/header.ts";
import { newId } from "../../host/new-id.ts";
import type { Damage, SessionInfo } from "../../format/session-record.ts";
import { unexplainedLinks } from "../files/explain-links.ts";
import { putAwayDirectory, type PutAwayStatus, type SessionFile } from "../files/find-session-file.ts";
import { checkNoAlias } from "../files/alias-table.ts";
import { idInName, sessionPath, type Layout } from "../../format/layout.ts";
import { checkSegmentDirectory } from "../files/linkless-files.ts";
import { markMove } from "../files/move-marks.ts";
import { checkNameFree, checkOnlyFile } from "../files/only-file.ts";
import { NameSync } from "../files/name-sync.ts";
import { removeSegments } from "../files/remove-segments.ts";
import { noteRemoved } from "../files/note-removed.ts";
import { stubPath } from "../files/session-stub.ts";
import { undoSeal } from "../files/undo-seal.ts";
import type { HeldSession } from "./held-session.ts";
import type { Id } from "../../format/session-id.ts";

type Directory = SessionInfo["status"] | "temporary";

interface FilePlace {
  readonly path: string;
  readonly status: Directory;
}

export interface OpenSessionsHooks {
  /** A name for a file that is being written, in `layout.temporary`; no two are the same. */
  temporaryPath(): string;
  onDamage(damage: Damage): void;
  onError(error: LonghandError): void;
  /** Right before a change that could hide what another has written: rejects if this instance has failed or was taken over. */
  checkMayChange(): Promise<void>;
  readonly sealedPatches: SealedPatches;
  newestArchived(key: string): Promise<SessionFile | undefined>;
  /** Another program has changed the file: what it lacks is kept when this resolves. Answers with what to tell. */
  keepChanged(log: SessionLog): Promise<LonghandError>;
  /** Rejects if this session was changed under us before, and its file still lacks what was acknowledged. */
  checkChanged(log: SessionLog): Promise<void>;
  /** The key has no active session: rejects if one was removed under us, and is not the archived one with this id. */
  checkMissing(key: string, archivedId: string | undefined): void;
  /** Which names are on the disk is unknown: the instance must stop. Answers with what to tell the caller. */
  onNamesUnknown(cause: unknown): Promise<LonghandError>;
}

export class OpenSessions {
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #hooks: OpenSessionsHooks;
  readonly #names: Readonly<Record<Directory, NameSync>>;
  #namesUnknown: Promise<LonghandError> | undefined;
  /** Directories that could not be opened to be synced, with the number of the last such attempt: they come first next time. */
  readonly #owed = new Map<string, number>();
  #attempts = 0;

  constructor(host: Host, layout: Layout, hooks: OpenSessionsHooks) {
    this.#host = host;
    this.#layout = layout;
    this.#hooks = hooks;
    this.#names = {
      active: new NameSync(host.files, layout.directory),
      archived: new NameSync(host.files, layout.archive),
      trashed: new NameSync(host.files, layout.trash),
      temporary: new NameSync(host.files, layout.temporary),
    };
  }

  /** The active session. `undefined`: there is none. */
  async open(heldSession: HeldSession): Promise<SessionLog | undefined> {
    if (heldSession.log !== undefined) await this.#checkUnchanged(heldSession, heldSession.log);
    if (heldSession.log === undefined) {
      const path = sessionPath(this.#layout, heldSession.key);
      const log = await openSessionForWriting({
        files: this.#host.files,
        path,
        key: heldSession.key,
        segments: this.#layout.segments,
        sealedPatches: this.#hooks.sealedPatches,
        damagedDirectory: this.#layout.damaged,
        checkMayChange: async () => await this.#hooks.checkMayChange(),
        temporaryPath: () => this.#hooks.temporaryPath(),
        replaceBy: async (temporary) => await this.#replace(path, temporary),
        onDamage: (damage) => this.#hooks.onDamage(damage),
        onError: (error) => this.#hooks.onError(error),
      });
      if (log !== undefined) {
        await this.#closeOnFailure(log, async () => await this.#hooks.checkChanged(log));
        await heldSession.setLog(await this.#withDurableName(log));
        await undoSeal(this.#host.files, this.#layout, log.path, log.header);
        await this.#warnOfLinks(log);
      }
    }
    return heldSession.log;
  }

  async #warnOfLinks({ path, header }: SessionLog): Promise<void> {
    const links = await unexplainedLinks(this.#host.files, this.#layout, path);
    if (links === 0) return;
    const names = links === 1 ? "another name (a hard link)" : `${links} other names (hard links)`;
    const message = `${path} has ${names} outside of what the store made: a program that writes there changes this session. Remove it, and copy the file instead`;
    this.#hooks.onError(new LonghandError("DIRECTORY_UNSAFE", message, { file: path, key: header.key }));
  }

  /** Another program may have replaced or shortened the file. What we knew of it is worth nothing then. */
  async #checkUnchanged(heldSession: HeldSession, log: SessionLog): Promise<void> {
    if (log.changed === undefined && (await log.isIn(async () => await this.#host.files.stat(log.path))))
      return;
    // The whole directory may be another: then nothing is put into that.
    await this.#hooks.checkMayChange();
    const changed = log.changed ?? (await this.#hooks.keepChanged(log));
    await heldSession.setLog(undefined);
    throw changed;
  }

  /** For a key without an active session: the archived one comes back, or a new one begins, created `at`. */
  async begin(heldSession: HeldSession, at: string): Promise<SessionLog> {
    // A lease may be older than the directory that lies there now.
    await this.#hooks.checkMayChange();
    const archived = await this.#hooks.newestArchived(heldSession.key);
    this.#hooks.checkMissing(heldSession.key, archived === undefined ? undefined : idInName(archived));
    if (archived !== undefined) {
      await this.bringBack(heldSession, archived);
      const log = await this.open(heldSession);
      if (log !== undefined) return log;
    }
    // Another process may have migrated since we opened the store.
    await checkNoAlias(this.#host.files, this.#layout, heldSession.key);
    const log = await this.#create(heldSession.key, at);
    await heldSession.setLog(log);
    return log;
  }

  /** The active session's file goes to the archive or the trash. It must be landed and synced. */
  async takeAway(heldSession: HeldSession, status: PutAwayStatus, name: string): Promise<void> {
    const from = { status: "active", path: sessionPath(this.#layout, heldSession.key) } as const;
    const to = await this.#putAwayPlace(status, name);
    await markMove(this.#host.files, this.#layout, heldSession.lease.name);
    try {
      await this.#move(from, to);
    } finally {
      // Wherever it is now: it is settled, and what comes next opens it anew.
      await heldSession.setLog(undefined);
    }
  }

  /** A file becomes the key's active session. There must be none. */
  async bringBack(heldSession: HeldSession, from: SessionFile): Promise<void> {
    const { key } = heldSession;
    const { files } = this.#host;
    const { path } = from;
    await checkOnlyFile(files, this.#layout, { key, id: idInName(from) ?? "", path });
    await this.#move(from, { status: "active", path: sessionPath(this.#layout, heldSession.key) });
  }

  async moveToTrash(from: SessionFile): Promise<void> {
    await this.#move(from, await this.#putAwayPlace("trashed", from.name));
  }

  /**
   * For good. That it is meant is durable before anything goes: somebody's journal may still speak of the session. Its
   * file goes last, under another name: cut short before, the next who opens the store finishes it.
   */
  async removeForGood(key: string, id: Id, from: FilePlace): Promise<void> {
    const { files } = this.#host;
    await checkSegmentDirectory(files, this.#layout, id);
    await noteRemoved(this.#host, this.#layout, { key, id });
    const stub = stubPath(this.#hooks.temporaryPath(), id);
    await this.#move(from, { status: "temporary", path: stub });
    await removeSegments(files, this.#layout, id);
    await this.#names.temporary.change(async () => await files.unlink(stub));
    await this.syncNames();
  }

  /** Every name that this instance has changed is durable when it resolves. If that fails, the instance stops. */
  async syncNames(): Promise<void> {
    await this.#syncOrStop(async () => {
      await Promise.all(Object.values(this.#names).map(async (names) => await names.sync()));
    });
  }

  /** The names in one directory, whoever has changed them. If that fails, the instance stops. */
  async syncDirectory(path: string): Promise<void> {
    await this.#syncOrStop(async () => {
      try {
        await this.#host.files.syncDirectory(path);
      } catch (error) {
        if (isNotOpened(error)) this.#owed.set(path, ++this.#attempts);
        throw error;
      }
    });
  }

  async #syncOwed(): Promise<void> {
    for (const [path, attempt] of this.#owed) {
      await this.#host.files.syncDirectory(path);
      if (this.#owed.get(path) === attempt) this.#owed.delete(path);
    }
  }

  /** One that has failed may have been for the names of others as well: to them no later one may say yes. */
  async #syncOrStop(sync: () => Promise<void>): Promise<void> {
    try {
      await this.#syncOwed();
      await sync();
    } catch (cause) {
      // Nothing was synced, and nothing has failed to be: whoever needs these names next tries again.
      if (this.#namesUnknown === undefined && isNotOpened(cause))
        throw ioError(
          cause,
          "opening a directory to sync a change of names, which may be there or not,",
          pathOf(cause) ?? this.#layout.directory,
          { names: "unknown" },
        );
      this.#namesUnknown ??= this.#hooks.onNamesUnknown(cause);
    }
    if (this.#namesUnknown !== undefined) throw await this.#namesUnknown;
  }

  async #create(key: string, at: string): Promise<SessionLog> {
    // The name must be free on the disk, not only look free: an earlier session of this key may be on its way out. Those
    // who held the key before us have made their names durable, or were taken over by somebody who did.
    await this.syncNames();
    const path = sessionPath(this.#layout, key);
    const id = newId(this.#host);
    const place = { header: firstHeader({ key, id, at }), temporary: this.#hooks.temporaryPath(), path };
    const creating = this.#names.active.change(async () => await createSession(this.#host.files, place));
    const log = await creating.catch((error: unknown) => {
      throw ioError(error, "creating the session", path);
    });
    return await this.#withDurableName(log);
  }

  /** Before its first journal record a session's name is durable, also if an attempt to create it was cut short. */
  async #withDurableName(log: SessionLog): Promise<SessionLog> {
    await this.#closeOnFailure(log, async () => await this.syncNames());
    return log;
  }

  async #closeOnFailure(log: SessionLog, work: () => Promise<void>): Promise<void> {
    await work().catch(async (error: unknown) => {
      // The failure is the one to tell, whatever closing says.
      await log.close().catch(() => undefined);
      throw error;
    });
  }

  /** `path` is the session's own file; the lease is held. */
  async #replace(path: string, temporary: string): Promise<void> {
    await this.#hooks.checkMayChange();
    const rename = async (): Promise<void> => await this.#host.files.rename(temporary, path);
    await this.#names.temporary.change(async () => await this.#names.active.change(rename));
    await this.syncNames();
  }

  /** Never over another file. */
  async #move(from: FilePlace, to: FilePlace): Promise<void> {
    await this.#hooks.checkMayChange();
    await checkNameFree(this.#host.files, from.path, to.path);
    const rename = async (): Promise<void> => await this.#host.files.rename(from.path, to.path);
    await this.#names[from.status].change(async () => await this.#names[to.status].change(rename));
    await this.syncNames();
  }

  async #putAwayPlace(status: PutAwayStatus, name: string): Promise<FilePlace> {
    const directory = putAwayDirectory(this.#layout, status);
    const found = await this.#host.files.stat(directory);
    if (found === undefined) {
      await makeDirectory(this.#host.files, directory, async (parent) => await this.syncDirectory(parent));
    } else if (found.kind !== "directory") throw inTheWay(directory);
    return { status, path: `${directory}/${name}` };
  }
}

function inTheWay(path: string): LonghandError {
  const message = `${path} is in the way: it is not a directory; move it away`;
  return new LonghandError("DIRECTORY_UNSAFE", message, { file: path });
}
