/**
 * The directory for writing. What it promises is the commit protocol's (docs/durability.md): nobody is answered before
 * the journal is durable, the files follow, and after a failure of unknown outcome nothing more is written.
 */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { Committer } from "../../journal/committer.ts";
import { readEntries } from "../../log/read-entries.ts";
import type { SessionLog } from "../../log/session-log.ts";
import type { Entry } from "../../record/entry.ts";
import { fileNameOf } from "../../record/key.ts";
import { sessionInfo } from "../../record/session-info.ts";
import type { SessionInfo } from "../../record/session-record.ts";
import type { BackendOptions, EntryRange, OpenBackend, Operation, Snapshot } from "../../store/backend.ts";
import type { Written } from "../../store/types.ts";
import { beginInstance, type Instance } from "./begin-instance.ts";
import { sessionFileNames } from "./find-session-file.ts";
import { Landing } from "./landing.ts";
import type { Layout } from "./layout.ts";
import { listReadableSessions } from "./list-sessions.ts";
import { OpenSessions } from "./open-sessions.ts";
import { prepareDirectory } from "./prepare-directory.ts";
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
    this.#landing = new Landing(instance.journal, options.journalBytes, options.onError);
    this.#committer = new Committer(instance.journal, {
      checkFence: async () => await this.#checkFence(),
      betweenBlocks: async () => await this.#landing.recycleIfLarge(),
      onFailed: async (error) => await this.#fail(error),
    });
    this.#sessions = new OpenSessions(host, layout, {
      settle: async (log) => await this.#landing.trySettle(log),
      onDamage: options.onDamage,
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
      holdNew: async (key) => await this.#sessions.holdNew(key),
      checkWritable: () => {
        this.#checkNotFailed();
        this.#landing.checkRoom();
      },
      commit: async (records, onDurable) => await this.#committer.commit(records, onDurable),
      land: (log) => this.#landing.begin(log),
      onIdle: (key) => this.#writers.delete(key),
    };
  }

  async write(key: string, operation: Operation): Promise<Written> {
    let writer = this.#writers.get(key);
    if (writer === undefined) {
      writer = new SessionWriter(key, this.#surroundings);
      this.#writers.set(key, writer);
    }
    return await writer.write(operation);
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    this.#checkNotFailed();
    const held = await this.#sessions.hold(key);
    if (held === undefined) return undefined;
    try {
      const { state } = held.log;
      return { info: infoOf(held.log), state, entries: (range) => this.#entries(key, range) };
    } finally {
      held.release();
    }
  }

  async *sessions(): AsyncIterable<SessionInfo> {
    this.#checkNotFailed();
    const open = new Map(this.#sessions.list().map(([key, log]) => [fileNameOf(key), log]));
    for (const log of open.values()) yield infoOf(log);
    const names = await sessionFileNames(this.#host.files, this.#layout);
    yield* listReadableSessions({
      files: this.#host.files,
      layout: this.#layout,
      names: names.filter((name) => !open.has(name)),
      // What is not open has been landed.
      patchesOf: () => [],
      onDamage: this.#options.onDamage,
    });
  }

  async close(): Promise<void> {
    while (this.#writers.size > 0) {
      await Promise.all([...this.#writers.values()].map(async (writer) => await writer.idle()));
    }
    await this.#committer.idle();
    this.#closed = true;
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

  async *#entries(key: string, range: EntryRange): AsyncIterable<Entry> {
    const held = await this.#sessions.hold(key);
    if (held === undefined) return;
    try {
      yield* readEntries(held.log.source(), held.log, range);
    } catch (error) {
      const { directory } = this;
      if (this.#closed)
        throw new LonghandError("STORE_CLOSED", `${directory} was closed while it was read`, { directory });
      throw ioError(error, "reading the session", held.log.path);
    } finally {
      held.release();
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

function infoOf(log: SessionLog): SessionInfo {
  return sessionInfo(log.header, log.state, log.end, log.damage.length);
}
