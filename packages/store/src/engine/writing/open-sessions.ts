/**
 * The session files of the keys that this instance holds: found, created, moved, and durably named. After its lease was
 * taken, a session is opened by its name and read anew.
 */

import { LonghandError } from "../../errors.ts";
import { andThen } from "../../host/and-then.ts";
import type { Awaitable, Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { makeDirectory } from "../../host/make-directories.ts";
import { createSession } from "../../session/create-session.ts";
import { openSessionForWriting } from "../../session/open-session.ts";
import type { SessionLog } from "../../session/session-log.ts";
import { firstHeader } from "../../format/header.ts";
import { newId } from "../../host/new-id.ts";
import { unexplainedLinks } from "../files/explain-links.ts";
import { putAwayDirectory, type PutAwayStatus, type SessionFile } from "../files/find-session-file.ts";
import { checkNoAlias } from "../files/alias-table.ts";
import { idInName, sessionPath, type Layout } from "../../format/layout.ts";
import { checkSegmentDirectory } from "../files/linkless-files.ts";
import { markMove } from "../files/move-marks.ts";
import { checkNameFree, checkOnlyFile } from "../files/only-file.ts";
import { BegunSessions } from "../files/scan-for-foreign.ts";
import { removeSegments } from "../files/remove-segments.ts";
import { noteRemoved } from "../files/note-removed.ts";
import { stubPath } from "../files/session-stub.ts";
import { undoSeal } from "../files/undo-seal.ts";
import type { Instance } from "../instance/begin-instance.ts";
import type { CommitPipeline } from "./commit-pipeline.ts";
import { DurableNames, type NamedDirectory } from "./durable-names.ts";
import type { HeldSession } from "./held-session.ts";
import type { SealDeps } from "./seal-session.ts";
import type { StorePlace } from "./store-place.ts";
import type { Id } from "../../format/session-id.ts";

interface FilePlace {
  readonly path: string;
  readonly status: NamedDirectory;
}

export interface OpenSessionsDeps {
  readonly host: Host;
  readonly layout: Layout;
  readonly instance: Instance;
  readonly pipeline: CommitPipeline;
  readonly place: StorePlace;
  readonly onError: (error: LonghandError) => void;
}

export class OpenSessions {
  /** For what makes files of sessions by other ways: seals, forks, repairs. */
  readonly sealing: SealDeps;
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #pipeline: CommitPipeline;
  readonly #place: StorePlace;
  readonly #names: DurableNames;
  readonly #onError: OpenSessionsDeps["onError"];
  readonly #begun = new BegunSessions();

  constructor({ host, layout, instance, pipeline, place, onError }: OpenSessionsDeps) {
    this.#host = host;
    this.#layout = layout;
    this.#pipeline = pipeline;
    this.#place = place;
    this.#onError = onError;
    this.sealing = {
      files: host.files,
      layout,
      temporaryPath: () => instance.temporaryPath(),
      settle: async (log) => await pipeline.applier.settle(log),
      checkMayChange: async () => await pipeline.checkMayChange(),
      syncNames: async (directory) => await this.#names.syncDirectory(directory),
      sealedPatches: async (file) => await place.sealedPatches(file),
    };
    this.#names = new DurableNames(host.files, layout, pipeline);
  }

  /** The active session, as its file is now. `undefined`: there is none. */
  open(heldSession: HeldSession): Awaitable<SessionLog | undefined> {
    const { log } = heldSession;
    if (log === undefined) return this.#openFile(heldSession);
    // Records that wait to be applied were written after a look, and are followed by one: one is enough for all of them.
    const isWatched = log.changed === undefined && log.unappliedBytes > 0;
    const isUnchanged = isWatched || (log.changed === undefined && log.isIn(this.#host.files));
    return andThen(isUnchanged, (unchanged) => (unchanged ? log : this.#refuseChanged(heldSession, log)));
  }

  async #openFile(heldSession: HeldSession): Promise<SessionLog | undefined> {
    const path = sessionPath(this.#layout, heldSession.key);
    const log = await openSessionForWriting({
      ...this.sealing,
      path,
      key: heldSession.key,
      segments: this.#layout.segments,
      damagedDirectory: this.#layout.damaged,
      replaceBy: async (temporary) => await this.#replace(path, temporary),
      onDamage: this.#place.applied.onDamage,
      onError: this.#onError,
    });
    if (log === undefined) return undefined;
    await this.#closeOnFailure(log, async () => await this.#pipeline.changed.check(log));
    await heldSession.setLog(await this.#withDurableName(log));
    await undoSeal(this.#host.files, this.#layout, log.path, log.header);
    await this.#warnOfLinks(log);
    return log;
  }

  async #warnOfLinks({ path, header }: SessionLog): Promise<void> {
    const links = await unexplainedLinks(this.#host.files, this.#layout, path);
    if (links === 0) return;
    const names = links === 1 ? "another name (a hard link)" : `${links} other names (hard links)`;
    const message = `${path} has ${names} outside of what the store made: a program that writes there changes this session. Remove it, and copy the file instead`;
    this.#onError(new LonghandError("DIRECTORY_UNSAFE", message, { file: path, key: header.key }));
  }

  /** Another program has replaced or shortened the file. What we knew of it is worth nothing. */
  async #refuseChanged(heldSession: HeldSession, log: SessionLog): Promise<never> {
    // The whole directory may be another: then nothing is put into that.
    await this.#pipeline.checkMayChange();
    const changed = log.changed ?? (await this.#pipeline.applier.change(log));
    await heldSession.setLog(undefined);
    throw changed;
  }

  /** For a key without an active session: the archived one comes back, or a new one begins, created `at`. */
  async begin(heldSession: HeldSession, at: string): Promise<SessionLog> {
    const log = (await this.#beginArchived(heldSession)) ?? (await this.#beginNew(heldSession, at));
    this.noteBegun(heldSession.key);
    return log;
  }

  async #beginArchived(heldSession: HeldSession): Promise<SessionLog | undefined> {
    // A lease may be older than the directory that lies there now.
    await this.#pipeline.checkMayChange();
    const archived = (await this.#place.newestArchived(heldSession.key))?.file;
    const archivedId = archived === undefined ? undefined : idInName(archived);
    this.#pipeline.changed.checkMissing(heldSession.key, archivedId);
    if (archived === undefined) return undefined;
    await this.bringBack(heldSession, archived);
    return await this.open(heldSession);
  }

  async #beginNew(heldSession: HeldSession, at: string): Promise<SessionLog> {
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
    const stub = stubPath(this.sealing.temporaryPath(), id);
    await this.#move(from, { status: "temporary", path: stub });
    await removeSegments(files, this.#layout, id);
    await this.#names.change("temporary", "temporary", async () => await files.unlink(stub));
    await this.syncNames();
  }

  /** Every name that this instance has changed is durable when it resolves. If that fails, the instance stops. */
  async syncNames(): Promise<void> {
    await this.#names.sync();
  }

  /** A session was begun by another way. */
  noteBegun(key: string): void {
    this.#begun.note(key);
  }

  /** For a store that closes: the next opening need not look at the sessions that it has begun. */
  async rememberBegun(): Promise<void> {
    await this.#begun.remember(this.#host.files, this.#layout).catch((error: unknown) => {
      const { onError } = this.#place.applied;
      onError(ioError(error, "remembering which sessions were begun", this.#layout.cache));
    });
  }

  async #create(key: string, at: string): Promise<SessionLog> {
    // The name must be free on the disk, not only look free: an earlier session of this key may be on its way out. Those
    // who held the key before us have made their names durable, or were taken over by somebody who did.
    await this.syncNames();
    const path = sessionPath(this.#layout, key);
    const id = newId(this.#host);
    const place = { header: firstHeader({ key, id, at }), temporary: this.sealing.temporaryPath(), path };
    const creating = this.#names.change(
      "active",
      "active",
      async () => await createSession(this.#host.files, place),
    );
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
    await this.#pipeline.checkMayChange();
    const rename = async (): Promise<void> => await this.#host.files.rename(temporary, path);
    await this.#names.change("temporary", "active", rename);
    await this.syncNames();
  }

  /** Never over another file. */
  async #move(from: FilePlace, to: FilePlace): Promise<void> {
    await this.#pipeline.checkMayChange();
    await checkNameFree(this.#host.files, from.path, to.path);
    const rename = async (): Promise<void> => await this.#host.files.rename(from.path, to.path);
    await this.#names.change(from.status, to.status, rename);
    await this.syncNames();
  }

  async #putAwayPlace(status: PutAwayStatus, name: string): Promise<FilePlace> {
    const directory = putAwayDirectory(this.#layout, status);
    const found = await this.#host.files.stat(directory);
    if (found === undefined) {
      await makeDirectory(
        this.#host.files,
        directory,
        async (parent) => await this.#names.syncDirectory(parent),
      );
    } else if (found.kind !== "directory") throw inTheWay(directory);
    return { status, path: `${directory}/${name}` };
  }
}

function inTheWay(path: string): LonghandError {
  const message = `${path} is in the way: it is not a directory; move it away`;
  return new LonghandError("DIRECTORY_UNSAFE", message, { file: path });
}
