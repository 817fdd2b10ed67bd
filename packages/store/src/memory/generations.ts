/**
 * Where a scope's log lies: in the session `CODE#N`, where N is the number of its generation, and the newest note of the session
 * `CODE` says which one holds. Forgetting writes the next generation, which ends its copy with a mark: the newest
 * generation that has the mark is the one that counts, and the note only a quick way to it. So a crash leaves the old log or the new
 * one, and neither a lost note nor a damaged one loses an entry.
 */

import { isLonghandError, LonghandError } from "../errors.ts";
import { isCount } from "../format/is-count.ts";
import { isJsonObject } from "../format/json.ts";
import type { SessionInfo } from "../format/session-record.ts";
import type { Session, Store } from "../contract/types.ts";
import { parseScopeCode, scopeCode } from "./scope.ts";
import type { MemoryMessage } from "./stored-entry.ts";
import type { Scope } from "./types.ts";

const GENERATION = "longhand/memory-generation";
const COMPLETE = "longhand/memory-complete";
const KEY = /^(?<code>\[.*\])(?:#(?<generation>[1-9][0-9]*))?$/su;
/** Who holds a scope for longer is at work in it, and cleans up himself. */
const PATIENCE = 1000;

export type MemoryStore = Store<MemoryMessage>;

export function headOf(store: MemoryStore, scope: Scope): Session<MemoryMessage> {
  return store.session(scopeCode(scope));
}

export function generationOf(store: MemoryStore, scope: Scope, generation: number): Session<MemoryMessage> {
  return store.session(`${scopeCode(scope)}#${generation}`);
}

/** The number of the generation that holds. `undefined`: nothing was ever remembered in this scope. */
export async function currentGeneration(store: MemoryStore, scope: Scope): Promise<number | undefined> {
  const note = await headOf(store, scope).lastNote(GENERATION);
  if (note === undefined) return undefined;
  const generation = isJsonObject(note.data) ? note.data["generation"] : undefined;
  if (isCount(generation) && generation > 0) return generation;
  const key = scopeCode(scope);
  throw new LonghandError("SESSION_DAMAGED", `record ${note.seq} of the session ${key} names no generation`, {
    key,
    seq: note.seq,
  });
}

/** Only under the lock of the head. */
export async function setGeneration(store: MemoryStore, scope: Scope, generation: number): Promise<void> {
  await headOf(store, scope).note(GENERATION, { generation });
}

/** Everything is copied: from here on this generation counts, and none before it. */
export async function markComplete(session: Session<MemoryMessage>): Promise<void> {
  await session.note(COMPLETE, {});
}

/**
 * Looks for the generation that counts, and writes down which it is, if that was not known. Only under the lock of the head: nobody is
 * in the middle of forgetting then. `undefined`: there is none.
 */
export async function settleGeneration(store: MemoryStore, scope: Scope): Promise<number | undefined> {
  const generation = await findGeneration(store, scope);
  if (generation !== undefined && generation !== (await currentGeneration(store, scope)))
    await setGeneration(store, scope, generation);
  return generation;
}

/** The same, without writing: what it finds may be replaced at any moment by one who forgets. */
export async function findGeneration(store: MemoryStore, scope: Scope): Promise<number | undefined> {
  const named = await currentGeneration(store, scope);
  const found: number[] = [];
  for await (const { key } of store.list({ prefix: `${scopeCode(scope)}#` })) {
    const generation = placeOf(key)?.generation;
    if (generation !== undefined) found.push(generation);
  }
  for (const generation of found.sort((one, other) => other - one)) {
    if (generation === named) return generation;
    const isComplete =
      generation === 1 || (await generationOf(store, scope, generation).lastNote(COMPLETE)) !== undefined;
    if (isComplete) return generation;
  }
  return named;
}

export interface ListedScope {
  readonly scope: Scope;
  /** Its log, if it can be told from the list alone: there is one generation. */
  readonly log: { readonly generation: number; readonly info: SessionInfo } | undefined;
}

/** Every scope that has a log, wider ones first; from one listing. */
export async function listScopes(store: MemoryStore): Promise<readonly ListedScope[]> {
  const heads: Scope[] = [];
  const logs = new Map<string, ListedScope["log"][]>();
  for await (const info of store.list({ order: "key" })) {
    const { scope, generation } = placeOf(info.key) ?? {};
    if (scope === undefined) continue;
    const code = scopeCode(scope);
    if (generation === undefined) heads.push(scope);
    else logs.set(code, [...(logs.get(code) ?? []), { generation, info }]);
  }
  return heads
    .map((scope) => {
      const [log, ...others] = logs.get(scopeCode(scope)) ?? [];
      return { scope, log: others.length === 0 ? log : undefined };
    })
    .sort((one, other) => Object.keys(one.scope).length - Object.keys(other.scope).length);
}

/** Finishes what a crash has left of a forgetting: what is not the generation that counts is removed. */
export async function removeLitter(
  store: MemoryStore,
  remove: (session: Session<MemoryMessage>) => Promise<void>,
): Promise<void> {
  const generations = new Map<string, { readonly scope: Scope; readonly found: Set<number> }>();
  const heads = new Set<string>();
  for await (const { key } of store.list({ status: "any", order: "key" })) {
    const { scope, generation } = placeOf(key) ?? {};
    if (scope !== undefined && generation === undefined) heads.add(key);
    if (scope === undefined || generation === undefined) continue;
    const code = scopeCode(scope);
    const { found } = generations.get(code) ?? { found: new Set<number>() };
    generations.set(code, { scope, found: found.add(generation) });
  }
  for (const { scope, found } of generations.values()) {
    if (found.size === 1 && heads.has(scopeCode(scope))) continue;
    await ifFree(headOf(store, scope), async () => {
      const current = await settleGeneration(store, scope);
      for (const generation of found) {
        if (generation !== current) await remove(generationOf(store, scope, generation));
      }
    });
  }
}

interface Place {
  readonly scope: Scope;
  readonly generation: number | undefined;
}

function placeOf(key: string): Place | undefined {
  const { code, generation } = KEY.exec(key)?.groups ?? {};
  const scope = code === undefined ? undefined : parseScopeCode(code);
  if (scope === undefined) return undefined;
  return { scope, generation: generation === undefined ? undefined : Number(generation) };
}

async function ifFree(session: Session<MemoryMessage>, task: () => Promise<void>): Promise<void> {
  let lock: AsyncDisposable;
  try {
    lock = await session.lock({ wait: PATIENCE });
  } catch (error) {
    if (isLonghandError(error, "SESSION_LOCKED")) return;
    throw error;
  }
  try {
    await task();
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}
