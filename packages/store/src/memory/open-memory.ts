/**
 * What outlives a conversation. The truth is a log in a store of its own (stored-memory-log.ts); beside it lies Markdown for
 * people (markdown/). Other processes may have the same memory open.
 */

import { join, resolve } from "node:path";
import { isLonghandError, LonghandError } from "../errors.ts";
import { checkSafeDirectory } from "../host/check-safe-directory.ts";
import { ioError } from "../host/io-error.ts";
import { makeDirectories } from "../host/make-directories.ts";
import {
  ANYTHING,
  callback,
  checkOptions,
  checkValue,
  flag,
  id as idText,
  oneOf,
  text,
} from "../store/check-options.ts";
import { KeyedQueue } from "../store/keyed-queue.ts";
import type { Session, Store } from "../contract/types.ts";
import { reportTo, warnOfError } from "../store/warn.ts";
import { estimatorCheck } from "../context/context-settings.ts";
import { consolidate, hasNewMessages } from "./consolidate.ts";
import { ConsolidationQueue } from "./consolidation-queue.ts";
import { MemoryPages } from "./markdown/memory-pages.ts";
import type { MemoryWorld } from "./memory-log.ts";
import { promptSection } from "./prompt-section.ts";
import { reconcile } from "./reconcile.ts";
import { recall } from "./recall.ts";
import { checkScope } from "./scope.ts";
import type { ScopeView } from "./scope-view.ts";
import { noSuchEntry, StoredMemoryLog } from "./stored-memory-log.ts";
import type {
  Consolidated,
  ConsolidateOptions,
  DueSession,
  Forgotten,
  Memory,
  MemoryEntry,
  MemoryKind,
  MemoryOptions,
  NewMemory,
  PromptSection,
  PromptSectionOptions,
  RecallOptions,
  Recollection,
  Reconciled,
  Scope,
  TakenIn,
} from "./types.ts";

const PAGES = "pages";
const LONGEST_LOCK_WAIT_MS = 1000;

export async function openMemory(world: MemoryWorld, options: MemoryOptions): Promise<Memory> {
  checkOptions("openMemory", options, {
    ...{ directory: ANYTHING, sessions: ANYTHING, onDamage: callback, onError: callback },
    ...{ onTakenIn: callback, readOnly: flag },
  });
  const { directory, sessions, readOnly = false } = options;
  checkValue("openMemory", "directory", directory, [isPath, "the path of a directory"]);
  checkValue("openMemory", "sessions", sessions, [isStore, "an open store"]);
  const path = await prepareDirectory(world, resolve(directory), readOnly);
  const memory = new StoredMemory(world, path, options);
  await memory.open().catch(async (error: unknown) => {
    // It failed to open; that closing it may fail as well is not news.
    await memory.abandon().catch(() => undefined);
    throw error;
  });
  return memory;
}

function isPath(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isStore(value: unknown): boolean {
  return typeof value === "object" && value !== null && "search" in value;
}

function isSession(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("records" in value && "state" in value)) return false;
  return typeof value.records === "function" && typeof value.state === "function";
}

/** Its real path is taken once: a link that changes later does not move the memory. */
async function prepareDirectory(
  { host: { files, user } }: MemoryWorld,
  directory: string,
  readOnly: boolean,
): Promise<string> {
  try {
    if (readOnly) return await files.resolve(directory);
    await makeDirectories(files, directory);
    const path = await files.resolve(directory);
    await checkSafeDirectory(files, path, user);
    return path;
  } catch (error) {
    throw ioError(error, "preparing the memory's directory", directory);
  }
}

class StoredMemory implements Memory {
  readonly #world: MemoryWorld;
  readonly #sessions: Store;
  readonly #log: StoredMemoryLog;
  /** `undefined`: it was opened for reading only. */
  readonly #pages: MemoryPages | undefined;
  readonly #directory: string;
  readonly #onTakenIn: (taken: TakenIn) => void;
  /** The pages are written by one at a time, and never while the log is written anew. */
  readonly #pageQueue = new KeyedQueue();
  readonly #queue: ConsolidationQueue;
  #closing: Promise<void> | undefined;

  constructor(world: MemoryWorld, directory: string, options: MemoryOptions) {
    const { sessions, readOnly = false, onError = warnOfError, onTakenIn = () => undefined } = options;
    this.#world = world;
    this.#directory = directory;
    this.#sessions = sessions;
    const report = reportTo(onError);
    this.#onTakenIn = (taken) => {
      try {
        onTakenIn(taken);
      } catch (error) {
        report(error);
      }
    };
    this.#log = new StoredMemoryLog(world, join(directory, "store"), readOnly);
    this.#queue = new ConsolidationQueue({
      withStore: async (task) => await this.#log.withStore(task),
      now: () => new Date(world.host.now()).toISOString(),
    });
    this.#pages = readOnly ? undefined : new MemoryPages(world.host, directory, this.#log, report);
  }

  async open(): Promise<void> {
    await this.#log.open();
    if (this.#pages === undefined) return;
    await this.#pages.open();
    await this.refresh();
  }

  async abandon(): Promise<void> {
    await this.#log.close();
  }

  async remember(entry: NewMemory): Promise<MemoryEntry> {
    const fields = ["text", "kind", "scope", "source", "confidence", "supersedes"];
    checkOptions("remember", entry, Object.fromEntries(fields.map((field) => [field, ANYTHING])));
    const { scope, kind = "core", source = { by: "request" }, ...rest } = entry;
    const [added] = await this.#log.add(scope, () => ({ entries: [{ ...rest, kind, source }] }));
    if (added === undefined) throw new Error("an entry that was added is not in its scope");
    return added;
  }

  async entries(options: {
    scope: Scope;
    kind?: MemoryKind;
    all?: boolean;
  }): Promise<readonly MemoryEntry[]> {
    checkOptions("entries", options, { scope: ANYTHING, kind: oneOf("core", "daily"), all: flag });
    const { scope, kind, all = false } = options;
    return selected(await this.#log.read(checkScope(scope)), all).filter(
      (entry) => kind === undefined || entry.kind === kind,
    );
  }

  async everything(options?: { all?: boolean }): Promise<readonly MemoryEntry[]> {
    checkOptions("everything", options, { all: flag });
    const found: MemoryEntry[] = [];
    for (const view of await this.#log.views()) found.push(...selected(view, options?.all ?? false));
    return found;
  }

  async entry(id: string): Promise<MemoryEntry | undefined> {
    return (await this.#viewWith(id))?.entry(id);
  }

  async undo(id: string): Promise<MemoryEntry> {
    const view = await this.#viewWith(id);
    if (view?.entry(id) === undefined) throw noSuchEntry(id);
    await this.#log.undo(view.scope, [id]);
    const undone = (await this.#log.read(view.scope)).entry(id);
    if (undone === undefined) throw noSuchEntry(id);
    return undone;
  }

  async forget(id: string): Promise<Forgotten> {
    return await this.#pageQueue.run(PAGES, async () => {
      // What was edited by hand is taken in before the line it stands on may go.
      await this.#refresh();
      const view = await this.#viewWith(id);
      if (view === undefined) throw noSuchEntry(id);
      const forgotten = await this.#log.forget(view.scope, id);
      await this.#refresh();
      return forgotten;
    });
  }

  async promptSection(options: PromptSectionOptions): Promise<PromptSection> {
    const fields = { scope: ANYTHING, maxTokens: ANYTHING, about: text, estimator: estimatorCheck };
    checkOptions("promptSection", options, fields);
    return await promptSection(this.#log, this.#world.host.now(), options);
  }

  async recall(query: string, options: RecallOptions): Promise<readonly Recollection[]> {
    return await recall(this.#log, this.#sessions, query, options);
  }

  async consolidate(session: Session, options: ConsolidateOptions): Promise<Consolidated> {
    checkValue("consolidate", "session", session, [isSession, "a session of a store"]);
    const conversation = { session, sessions: this.#sessions };
    const { key } = session;
    let done: Consolidated;
    try {
      done = await consolidate(this.#world.host, this.#log, conversation, options);
    } catch (error) {
      // The caller ended it: that counts as a try, so that it is not repeated at once.
      if (options.signal?.aborted === true)
        await this.#queue.fail(key, options.scope, { failure: reasonOf(error), failureKind: "cut-short" });
      throw error;
    }
    const { range, failure, failureKind = "unreachable", hasMore, hasOpenTurn } = done;
    if (failure !== undefined && range === undefined)
      await this.#queue.fail(key, options.scope, { failure, failureKind });
    else if (hasOpenTurn && !hasMore) await this.#queue.keepOpen(key, options.scope);
    else if (!hasMore) await this.#removeMark(session, options.scope);
    return done;
  }

  async markDue({ key, scope }: { readonly key: string; readonly scope: Scope }): Promise<void> {
    await this.#queue.mark(key, scope);
  }

  async due(): Promise<readonly DueSession[]> {
    return await this.#queue.due();
  }

  async reconcile(session: Session, { from }: { readonly from: number }): Promise<Reconciled> {
    checkValue("reconcile", "session", session, [isSession, "a session of a store"]);
    return await reconcile(this.#log, await this.#log.views(), session, from);
  }

  async refresh(): Promise<readonly MemoryEntry[]> {
    return await this.#pageQueue.run(PAGES, async () => await this.#refresh());
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    try {
      if (this.#pages !== undefined) await this.refresh();
    } finally {
      await this.#log.close();
    }
  }

  /** Under the session's lock, so that no turn begins between the look and the removal; if that is taken, the mark stays. */
  async #removeMark(session: Session, scope: Scope): Promise<void> {
    if (!(await this.#queue.has(session.key, scope))) return;
    let lock: AsyncDisposable;
    try {
      lock = await session.lock({ wait: LONGEST_LOCK_WAIT_MS });
    } catch (error) {
      if (isLonghandError(error, "SESSION_LOCKED")) return;
      throw error;
    }
    try {
      const conversation = { session, sessions: this.#sessions };
      if (!(await hasNewMessages(this.#log, conversation, scope)))
        await this.#queue.remove(session.key, scope);
    } finally {
      await lock[Symbol.asyncDispose]();
    }
  }

  /** Only in the queue. */
  async #refresh(): Promise<readonly MemoryEntry[]> {
    if (this.#pages === undefined) {
      const message = `the memory in ${this.#directory} was opened with readOnly; open it without to write`;
      throw new LonghandError("STORE_READ_ONLY", message, { directory: this.#directory });
    }
    const taken = await this.#pages.refresh();
    if (taken.added.length + taken.undone.length > 0) this.#onTakenIn(taken);
    return taken.added;
  }

  /** Of the scope that has, or had, the entry. */
  async #viewWith(id: string): Promise<ScopeView | undefined> {
    checkValue("the memory", "id", id, idText);
    const views = await this.#log.views();
    return views.find((view) => view.entry(id) !== undefined || view.forgotten(id) !== undefined);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function selected({ entries }: ScopeView, all: boolean): readonly MemoryEntry[] {
  return all ? entries : entries.filter(({ status }) => status === "current");
}
