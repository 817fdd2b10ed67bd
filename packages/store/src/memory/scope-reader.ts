/** Reads scopes of a memory's store, and keeps what it has folded, so that each call reads only what is new since. */

import type { SessionInfo } from "../format/session-record.ts";
import type { Session } from "../contract/types.ts";
import {
  currentGeneration,
  findGeneration,
  generationOf,
  headOf,
  settleGeneration,
  type ListedScope,
  type MemoryStore,
} from "./generations.ts";
import { scopeCode } from "./scope.ts";
import { ScopeFold, type ScopeView } from "./scope-view.ts";
import type { MemoryMessage } from "./stored-entry.ts";
import type { Scope } from "./types.ts";

/** Scopes whose entries are kept in memory; the one that was not used for the longest time goes first. */
const MOST_SCOPES = 10_000;
/** After so many there is no log: it was named, and a crash came before its first record. */
const UNLOCKED_TRIES = 5;

export interface ReadScope {
  readonly view: ScopeView;
  /** 1 where nothing was ever remembered. */
  readonly generation: number;
  /** The last seq of the session of that generation; 0: there is none. */
  readonly seq: number;
}

interface Known {
  readonly generation: number;
  readonly sessionId: string;
  readonly fold: ScopeFold;
  seq: number;
}

/** For one scope at most one call at a time. */
export class ScopeReader {
  readonly #known = new Map<string, Known>();
  readonly #isReadOnly: boolean;

  constructor(isReadOnly: boolean) {
    this.#isReadOnly = isReadOnly;
  }

  async read(store: MemoryStore, scope: Scope): Promise<ReadScope> {
    const known = this.#known.get(scopeCode(scope));
    if (known !== undefined) {
      const found = await this.#readOn(generationOf(store, scope, known.generation), scope, known.generation);
      if (found !== undefined) return found;
    }
    const found = await this.#readNamed(store, scope);
    if (found !== undefined) return found;
    if (this.#isReadOnly) return await this.#readUnlocked(store, scope);
    const lock = await headOf(store, scope).lock();
    try {
      return await this.readLocked(store, scope);
    } finally {
      await lock[Symbol.asyncDispose]();
    }
  }

  /** By one who holds the lock of the head: then everything is seen that others have done. */
  async readLocked(store: MemoryStore, scope: Scope): Promise<ReadScope> {
    const named = await this.#readNamed(store, scope);
    if (named !== undefined) return named;
    const generation = (await settleGeneration(store, scope)) ?? 1;
    const found = await this.#readOn(generationOf(store, scope, generation), scope, generation);
    return found ?? { view: new ScopeFold(scope).view(), generation, seq: 0 };
  }

  /** By one who may not lock: what is found may be gone the next moment, since somebody has just forgotten something. */
  async #readUnlocked(store: MemoryStore, scope: Scope): Promise<ReadScope> {
    let generation = 1;
    for (let tries = 0; tries < UNLOCKED_TRIES; tries++) {
      generation = (await findGeneration(store, scope)) ?? 1;
      const found = await this.#readOn(generationOf(store, scope, generation), scope, generation);
      if (found !== undefined) return found;
    }
    return { view: new ScopeFold(scope).view(), generation, seq: 0 };
  }

  /** From what a listing says: without any reading where that is nothing new. */
  async readListed(store: MemoryStore, { scope, log }: ListedScope): Promise<ReadScope> {
    if (log === undefined) return await this.read(store, scope);
    const { generation, info } = log;
    const session = generationOf(store, scope, generation);
    return (await this.#readOn(session, scope, generation, info)) ?? (await this.read(store, scope));
  }

  drop(scope: Scope): void {
    this.#known.delete(scopeCode(scope));
  }

  dropAll(): void {
    this.#known.clear();
  }

  /** `undefined`: what is named is not there. Another process may have just replaced it. */
  async #readNamed(store: MemoryStore, scope: Scope): Promise<ReadScope | undefined> {
    const generation = await currentGeneration(store, scope);
    if (generation === undefined) return { view: new ScopeFold(scope).view(), generation: 1, seq: 0 };
    return await this.#readOn(generationOf(store, scope, generation), scope, generation);
  }

  /** `undefined`: the session is not there, or was removed meanwhile. */
  async #readOn(
    session: Session<MemoryMessage>,
    scope: Scope,
    generation: number,
    listed?: SessionInfo,
  ): Promise<ReadScope | undefined> {
    const code = scopeCode(scope);
    const before = listed ?? (await session.state());
    const earlier = this.#known.get(code);
    this.#known.delete(code);
    if (before?.status !== "active") return undefined;
    const known =
      earlier?.sessionId === before.id
        ? earlier
        : { generation, sessionId: before.id, fold: new ScopeFold(scope), seq: 0 };
    if (before.seq > known.seq) {
      for await (const record of session.records({ from: known.seq + 1, to: before.seq })) {
        known.fold.add(record);
      }
      known.seq = before.seq;
      if ((await session.state())?.id !== before.id) return undefined;
    }
    this.#known.set(code, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_SCOPES && oldest !== undefined) this.#known.delete(oldest);
    return { view: known.fold.view(), generation, seq: known.seq };
  }
}
