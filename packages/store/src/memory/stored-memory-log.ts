/** The log of a memory over a store. memory-log.ts says what it promises, generations.ts where things lie. */

import { isLonghandError, LonghandError } from "../errors.ts";
import type { Damage } from "../format/session-record.ts";
import { KeyedQueue } from "../store/keyed-queue.ts";
import type { Session } from "../contract/types.ts";
import { checkEntry } from "./check-entry.ts";
import { Gate } from "./gate.ts";
import {
  generationOf,
  headOf,
  listScopes,
  removeLitter,
  setGeneration,
  type MemoryStore,
} from "./generations.ts";
import type { Additions, MemoryLog, MemoryWorld } from "./memory-log.ts";
import { newMessages, timeOf } from "./new-messages.ts";
import { OpenedStore } from "./opened-store.ts";
import { removeForGood, rewriteScope } from "./rewrite-scope.ts";
import { checkScope, scopeCode } from "./scope.ts";
import type { ScopeView } from "./scope-view.ts";
import { ScopeReader, type ReadScope } from "./scope-reader.ts";
import { PROGRESS, RESTORED, UNDONE, type MemoryMessage, type UndoneNote } from "./stored-entry.ts";
import type { Forgotten, MemoryEntry, Scope } from "./types.ts";

/** After the first conflict the session is ours, so the second try succeeds unless others are let in again. */
const MOST_TRIES = 20;

type Write = (session: Session<MemoryMessage>) => Promise<unknown>;

export class StoredMemoryLog implements MemoryLog {
  readonly #world: MemoryWorld;
  readonly #directory: string;
  readonly #gate = new Gate();
  readonly #queues = new KeyedQueue();
  readonly #reader: ScopeReader;
  readonly #store: OpenedStore;
  readonly #isReadOnly: boolean;

  constructor(world: MemoryWorld, directory: string, isReadOnly = false) {
    this.#world = world;
    this.#directory = directory;
    this.#isReadOnly = isReadOnly;
    this.#reader = new ScopeReader(isReadOnly);
    this.#store = new OpenedStore(world, directory, isReadOnly);
  }

  /** Finishes what a crash has cut short. */
  async open(): Promise<void> {
    await this.#gate.alone(async () => {
      const store = await this.#store.get();
      if (!this.#isReadOnly) await removeLitter(store, this.#remove);
    });
  }

  async read(scope: Scope): Promise<ScopeView> {
    const checked = checkScope(scope);
    return await this.#inScope(checked, async (store) => (await this.#reader.read(store, checked)).view);
  }

  async add(
    scope: Scope,
    decide: (view: ScopeView) => Additions | undefined,
  ): Promise<readonly MemoryEntry[]> {
    const checked = checkScope(scope);
    let ids: readonly string[] = [];
    const view = await this.#write(checked, ({ view, seq }) => {
      const additions = decide(view);
      const { entries = [], progress } = additions ?? {};
      for (const entry of entries) checkEntry(entry, view);
      const messages = newMessages(this.#world.host, entries, progress);
      ids = messages.map(({ memory }) => memory.id);
      if (messages.length > 0) return async (session) => await session.append(messages, { expectedSeq: seq });
      if (progress === undefined) return undefined;
      return async (session) => await session.note(PROGRESS, progress, { expectedSeq: seq });
    });
    return ids.flatMap((id) => view.entry(id) ?? []);
  }

  async undo(
    scope: Scope,
    ids: readonly string[],
    { withdrawn = false }: { readonly withdrawn?: boolean } = {},
  ): Promise<void> {
    if (ids.length === 0) return;
    await this.#write(checkScope(scope), ({ view, seq }) => {
      // A person who undoes what was withdrawn means it: a redo of the turn must not bring it back.
      const isUndoable = (id: string): boolean =>
        view.entry(id) !== undefined &&
        (view.entry(id)?.status !== "undone" || (!withdrawn && view.isWithdrawn(id)));
      const undoable = ids.filter(isUndoable);
      if (undoable.length === 0) return undefined;
      const at = timeOf(this.#world.host);
      const note: UndoneNote = { ids: undoable, at, ...(withdrawn ? { withdrawn } : {}) };
      return async (session) => await session.note(UNDONE, note, { expectedSeq: seq });
    });
  }

  async restore(scope: Scope, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#write(checkScope(scope), ({ view, seq }) => {
      const withdrawn = ids.filter((id) => view.isWithdrawn(id));
      if (withdrawn.length === 0) return undefined;
      const note: UndoneNote = { ids: withdrawn, at: timeOf(this.#world.host) };
      return async (session) => await session.note(RESTORED, note, { expectedSeq: seq });
    });
  }

  /** For what is no scope's: the store stays open until the task is done. */
  async withStore<T>(task: (store: MemoryStore) => Promise<T>): Promise<T> {
    return await this.#gate.shared(async () => await task(await this.#store.get()));
  }

  async forget(scope: Scope, id: string): Promise<Forgotten> {
    const checked = checkScope(scope);
    return await this.#gate.alone(async () => {
      const store = await this.#store.get();
      const lock = await headOf(store, checked).lock();
      try {
        const { view, generation, seq } = await this.#reader.readLocked(store, checked);
        const earlier = view.forgotten(id);
        if (earlier !== undefined) return { id, at: earlier.at };
        if (seq === 0 || view.entry(id) === undefined) throw noSuchEntry(id);
        const at = timeOf(this.#world.host);
        const check = async (): Promise<void> => {
          const damage = await this.#damage();
          if (damage !== undefined) throw damagedStore(damage, this.#directory);
        };
        await rewriteScope(store, { scope: checked, generation, id, at, check }, this.#remove);
        this.#reader.drop(checked);
        // A journal holds the last writes for as long as its store is open.
        await this.#store.release();
        return { id, at };
      } finally {
        await lock[Symbol.asyncDispose]();
      }
    });
  }

  async views(): Promise<readonly ScopeView[]> {
    const listed = await this.#gate.shared(async () => await listScopes(await this.#store.get()));
    const views: ScopeView[] = [];
    for (const each of listed) {
      const read = async (store: MemoryStore): Promise<ReadScope> =>
        await this.#reader.readListed(store, each);
      views.push((await this.#inScope(each.scope, read)).view);
    }
    return views;
  }

  /** A lock of all who have this memory open, in other processes too, for what is no session. */
  async withLock<T>(key: string, task: () => Promise<T>): Promise<T> {
    const lock = await this.#gate.shared(async () => await (await this.#store.get()).session(key).lock());
    try {
      return await task();
    } finally {
      await lock[Symbol.asyncDispose]();
    }
  }

  /**
   * What of the damage that was met is still there: while there is some, nothing may be written over that could be the last copy of
   * an entry.
   */
  async damage(): Promise<Damage | undefined> {
    if (!this.#store.hasMetDamage) return undefined;
    return await this.#gate.alone(async () => await this.#damage());
  }

  async close(): Promise<void> {
    await this.#gate.alone(async () => {
      await this.#store.close();
    });
  }

  async #write(scope: Scope, decide: (found: ReadScope) => Write | undefined): Promise<ScopeView> {
    return await this.#inScope(scope, async (store) => {
      for (let tries = 1; ; tries++) {
        try {
          const found = await this.#reader.read(store, scope);
          const write = decide(found);
          if (write === undefined) return found.view;
          if (found.seq === 0) await this.#begin(store, scope, decide);
          else await write(generationOf(store, scope, found.generation));
          return (await this.#reader.read(store, scope)).view;
        } catch (error) {
          if (!isLonghandError(error, "SEQ_CONFLICT") || tries >= MOST_TRIES) throw error;
        }
      }
    });
  }

  /** The first record of a scope is written under the lock of its head: nobody can be about to remove the generation. */
  async #begin(
    store: MemoryStore,
    scope: Scope,
    decide: (found: ReadScope) => Write | undefined,
  ): Promise<void> {
    const lock = await headOf(store, scope).lock();
    try {
      const found = await this.#reader.readLocked(store, scope);
      // First the name, then the log: one without a name would have to be looked for.
      if (found.seq === 0) await setGeneration(store, scope, found.generation);
      await decide(found)?.(generationOf(store, scope, found.generation));
    } finally {
      await lock[Symbol.asyncDispose]();
    }
  }

  async #inScope<T>(scope: Scope, task: (store: MemoryStore) => Promise<T>): Promise<T> {
    return await this.#gate.shared(
      async () => await this.#queues.run(scopeCode(scope), async () => await task(await this.#store.get())),
    );
  }

  /** Only alone. */
  async #damage(): Promise<Damage | undefined> {
    if (!this.#store.hasMetDamage) return undefined;
    const damage = await this.#store.damage();
    // It was mended, maybe from a backup: what was folded without it is not the whole.
    if (damage === undefined) this.#reader.dropAll();
    return damage;
  }

  readonly #remove = async (session: Session<MemoryMessage>): Promise<void> => {
    const damaged = this.#world.damagedBytesIn(this.#directory);
    await removeForGood(this.#world.host, damaged, session);
  };
}

function damagedStore({ file, offset, reason, left }: Damage, directory: string): LonghandError {
  const remedy =
    left === undefined
      ? `mend it first: longhand repair --sessions ${directory}, or put the file back from a backup`
      : `a repair leaves it as it is: ${left}`;
  return new LonghandError(
    "SESSION_DAMAGED",
    `nothing was forgotten, since what cannot be read would be lost with it: ${file} is damaged at byte ${offset} (${reason}); ${remedy}`,
    { file, offset, directory },
  );
}

export function noSuchEntry(id: string): LonghandError {
  return new LonghandError("OPTION_INVALID", `there is no entry ${JSON.stringify(id)} in this memory`, {
    option: "id",
    id,
  });
}
