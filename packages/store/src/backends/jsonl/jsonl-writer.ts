/**
 * The directory for writing. What it promises is the commit protocol's (docs/durability.md): nobody is answered before
 * the journal is durable, the files follow, and after a failure of unknown outcome nothing more is written.
 */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { Committer } from "../../journal/committer.ts";
import { readEntries, type ReadableLog } from "../../log/read-entries.ts";
import type { SessionLog } from "../../log/session-log.ts";
import type { Entry } from "../../record/entry.ts";
import { sessionInfo } from "../../record/session-info.ts";
import type {
  BackendOptions,
  EntryRange,
  OpenBackend,
  Operation,
  PutAway,
  Snapshot,
} from "../../store/backend.ts";
import type { Written } from "../../store/types.ts";
import { beginInstance, type Instance } from "./begin-instance.ts";
import { sessionFiles } from "./find-session-file.ts";
import { Landing } from "./landing.ts";
import { sessionPath, type Layout } from "./layout.ts";
import { listReadableSessions, newestPutAway } from "./list-sessions.ts";
import { OpenSessions } from "./open-sessions.ts";
import { prepareDirectory } from "./prepare-directory.ts";
import { archiveSession, deleteSession, restoreSession, type PutAwaySurroundings } from "./put-away.ts";
import { readEntriesById, type ReadPlace } from "./read-session.ts";
import { SessionWriter, type WriterSurroundings } from "./session-writer.ts";

export interface WriterOptions extends BackendOptions {
  readonly journalBytes: number;
}

export async function openJsonlWriter(
  host: Host,
  directory: string,
  options: WriterOptions,
): Promise<OpenBackend> {
  const layout = await prepareDirectory(host.files, directory);
  return new JsonlWriter(host, layout, options, await beginInstance(host, layout, options));
}

class JsonlWriter implements OpenBackend {
  readonly directory: string;
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #options: WriterOptions;
  readonly #instance: Instance;
  readonly #landing: Landing;
  readonly #committer: Committer;
  readonly #sessions: OpenSessions;
  readonly #place: ReadPlace;
  readonly #writers = new Map<string, SessionWriter>();
  readonly #surroundings: WriterSurroundings;
  #failure: LonghandError | undefined;
  #closed = false;

  constructor(host: Host, layout: Layout, options: WriterOptions, instance: Instance) {
    this.directory = layout.directory;
    this.#host = host;
    this.#layout = layout;
    this.#options = options;
    this.#instance = instance;
    // What is not open for writing has been landed: nothing needs to be laid over its file.
    this.#place = {
      files: host.files,
      layout,
      patchesOf: () => [],
      onDamage: options.onDamage,
      onError: options.onError,
    };
    this.#landing = new Landing(instance.journal, options.journalBytes, options.onError);
    this.#committer = new Committer(instance.journal, {
      checkFence: async () => await this.#checkFence(),
      betweenBlocks: async () => await this.#landing.recycleIfLarge(),
      onFailed: async (error) => await this.#fail(error),
    });
    this.#sessions = new OpenSessions(host, layout, {
      settle: async (log) => await this.#landing.trySettle(log),
      onDamage: options.onDamage,
      newestArchived: async (key) => (await newestPutAway(this.#place, "archived", key))?.file,
      onNamesUnknown: async (cause) => {
        const failure = this.#unknownOutcome("syncing the directory failed", cause);
        await this.#committer.stop(failure);
        await this.#fail(failure);
        return failure;
      },
    });
    this.#surroundings = {
      host,
      hold: async (key) => await this.#sessions.hold(key),
      archived: async (key) => await this.#archived(key),
      holdNew: async (key, at) => await this.#sessions.holdNew(key, at),
      checkWritable: async () => {
        this.#checkNotFailed();
        await this.#landing.checkRoom();
        await this.#checkJournal();
      },
      commit: async (records, onDurable) => await this.#committer.commit(records, onDurable),
      land: (log) => this.#landing.begin(log),
      onIdle: (key) => this.#writers.delete(key),
    };
  }

  async write(key: string, operation: Operation): Promise<Written> {
    return await this.#writerOf(key).write(operation);
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    this.#checkNotFailed();
    // Active again after the archive: it may have come back while we looked there.
    return (await this.#active(key)) ?? (await this.#archived(key)) ?? (await this.#active(key));
  }

  async *snapshots(): AsyncIterable<Snapshot> {
    this.#checkNotFailed();
    const open = new Map(this.#sessions.list().map(([key, log]) => [sessionPath(this.#layout, key), log]));
    for (const log of open.values()) yield this.#snapshotOf(log);
    const files = await sessionFiles(this.#host.files, this.#layout);
    yield* listReadableSessions(
      this.#place,
      files.filter(({ path }) => !open.has(path)),
    );
  }

  readonly putAway: PutAway = {
    archive: async (key) => await this.#alone(key, async (around) => await archiveSession(around, key)),
    restore: async (key, id) =>
      await this.#alone(key, async (around) => await restoreSession(around, key, id)),
    delete: async (key, forever) =>
      await this.#alone(key, async (around) => await deleteSession(around, key, forever)),
  };

  async close(): Promise<void> {
    while (this.#writers.size > 0) {
      await Promise.all([...this.#writers.values()].map(async (writer) => await writer.idle()));
    }
    await this.#committer.idle();
    this.#closed = true;
    await this.#sessions.stopOpening();
    try {
      if (this.#failure === undefined) await this.#end();
      await this.#sessions.closeAll();
    } catch (error) {
      throw ioError(error, "closing the store", this.directory);
    }
  }

  /** If it fails, the journal stays, and the next opener replays it. */
  async #end(): Promise<void> {
    try {
      await this.#landing.settleAll();
      await this.#instance.end();
    } catch (error) {
      await this.#fail(ioError(error, "closing the store", this.directory));
      await this.#sessions.closeAll();
      throw error;
    }
  }

  async #alone(key: string, task: (around: PutAwaySurroundings) => Promise<void>): Promise<void> {
    const around: PutAwaySurroundings = {
      sessions: this.#sessions,
      place: this.#place,
      settle: async (log) => await this.#landing.settle(log),
      emptyJournal: async () => await this.#emptyJournal(),
    };
    await this.#writerOf(key).runAlone(async () => {
      this.#checkNotFailed();
      await task(around);
    });
  }

  async #emptyJournal(): Promise<void> {
    await this.#committer.between(async () => {
      await this.#landing.settleAll();
      await this.#instance.journal.beginGeneration();
    });
  }

  /** Whoever is refused because the journal is full has tried to empty it. */
  async #checkJournal(): Promise<void> {
    if (this.#landing.whyOverfull() === undefined) return;
    await this.#committer.between(async () => await this.#landing.recycleIfLarge());
    const failure = this.#landing.whyOverfull();
    if (failure !== undefined) throw failure;
  }

  async #active(key: string): Promise<Snapshot | undefined> {
    const held = await this.#sessions.hold(key);
    if (held === undefined) return undefined;
    try {
      return this.#snapshotOf(held.log);
    } finally {
      await held.release();
    }
  }

  async #archived(key: string): Promise<Snapshot | undefined> {
    return (await newestPutAway(this.#place, "archived", key))?.snapshot;
  }

  #writerOf(key: string): SessionWriter {
    const existing = this.#writers.get(key);
    if (existing !== undefined) return existing;
    const writer = new SessionWriter(key, this.#surroundings);
    this.#writers.set(key, writer);
    return writer;
  }

  #snapshotOf(log: SessionLog): Snapshot {
    const asOfNow = log.asOfNow();
    return {
      info: sessionInfo(log.header, log.state, log.end, log.damage.length),
      state: log.state,
      entries: (range) => this.#entries(asOfNow, range),
    };
  }

  async *#entries(log: ReadableLog, range: EntryRange): AsyncIterable<Entry> {
    const held = await this.#sessions.hold(log.header.key);
    try {
      // Put away since, and perhaps another session has the key now: its file is found by its id.
      if (held?.log.header.id !== log.header.id) yield* readEntriesById(this.#place, log, range);
      else yield* readEntries(held.log.source(), log, range);
    } catch (error) {
      const { directory } = this;
      if (this.#closed)
        throw new LonghandError("STORE_CLOSED", `${directory} was closed while it was read`, { directory });
      throw ioError(error, "reading the session", directory);
    } finally {
      await held?.release();
    }
  }

  async #checkFence(): Promise<void> {
    const fenced = await this.#instance.isFenced().catch((cause: unknown) => {
      throw this.#unknownOutcome("whether the store was taken over cannot be told", cause);
    });
    if (fenced)
      throw this.#unknownOutcome("it was taken over by another process, which held this one for dead");
  }

  #unknownOutcome(reason: string, cause?: unknown): LonghandError {
    const { directory } = this;
    const message = `${directory}: ${reason}; whether this write counts is unknown. Reopen the store and retry with an id`;
    return new LonghandError("STORE_FAILED", message, { directory }, cause);
  }

  async #fail(failure: LonghandError): Promise<void> {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    await this.#landing.stop();
    try {
      await this.#instance.giveUp();
    } catch (error) {
      this.#options.onError(ioError(error, "giving up the store", this.directory));
    }
  }

  #checkNotFailed(): void {
    if (this.#failure === undefined) return;
    const message = `the store failed and must be reopened (${this.#failure.message})`;
    throw new LonghandError("STORE_FAILED", message, { directory: this.directory }, this.#failure);
  }
}
