/**
 * The sessions whose turns wait to be consolidated: a log of notes in the memory's own store, so that a start finds them without
 * reading any session. The caller marks a session before the first record of a turn, under the session's lock, and begins the turn when
 * the mark is durable; the mark is removed under the same lock. Then a crash at any point leaves a mark too many, never one too few. A
 * caller that goes on without its mark (the agent does, if the memory cannot be written within 2 seconds) marks the session as soon as
 * that is possible: a crash in between leaves the session unmarked until its next turn. docs/decisions/0020-consolidation-in-batches.md
 */

import { isLonghandError } from "../errors.ts";
import { isJsonObject } from "../format/json.ts";
import type { SessionRecord } from "../format/session-record.ts";
import type { Session } from "../contract/types.ts";
import type { MemoryStore } from "./generations.ts";
import { checkScope, scopeCode } from "./scope.ts";
import { isTime, type MemoryMessage } from "./stored-entry.ts";
import type { DueSession, FailureKind, Scope } from "./types.ts";

/** Not the code of a scope, so that no scope's log can have it. */
const KEY = "consolidation";
const DUE = "longhand/consolidation-due";
const DONE = "longhand/consolidation-done";
const FAILED = "longhand/consolidation-failed";
/** Every complete turn is consolidated; the last one has no answer yet. */
const OPEN = "longhand/consolidation-open";
/** Every session that waits: older notes need not be read. */
const SNAPSHOT = "longhand/consolidation-snapshot";
const FAILURE_KINDS: readonly FailureKind[] = ["unreachable", "bad-answer", "cut-short"];
const LEAST_RECORDS_PER_SNAPSHOT = 100;
const LONGEST_REASON = 300;

export interface QueueStore {
  withStore<T>(task: (store: MemoryStore) => Promise<T>): Promise<T>;
  now(): string;
}

export class ConsolidationQueue {
  readonly #deps: QueueStore;
  /** As it was read last: only newer records are read again. */
  #known: Queue | undefined;

  constructor(deps: QueueStore) {
    this.#deps = deps;
  }

  /** The session that has waited longest comes first. */
  async due(): Promise<readonly DueSession[]> {
    return await this.#withQueue((_, { entries }) => Promise.resolve(oldestFirst(entries)));
  }

  async has(key: string, scope: Scope): Promise<boolean> {
    return await this.#withQueue((_, { entries }) => Promise.resolve(entries.has(codeOf(key, scope))));
  }

  /** Durable when it resolves. Writes nothing if the mark is there, unless that says that the turn before was left open. */
  async mark(key: string, scope: Scope): Promise<void> {
    const checked = checkScope(scope);
    await this.#withQueue(async (queue, { entries }) => {
      const known = entries.get(codeOf(key, checked));
      if (known !== undefined && known.hasOpenTurn !== true) return;
      await queue.note(DUE, { key, scope: checked, since: this.#deps.now() });
    });
  }

  async remove(key: string, scope: Scope): Promise<void> {
    await this.#withQueue(async (queue) => await queue.note(DONE, { key, scope }));
    await this.#withQueue(writeSnapshot);
  }

  /** Does nothing for a session that is not marked. */
  async fail(key: string, scope: Scope, { failure: reason, failureKind }: Failure): Promise<void> {
    await this.#withQueue(async (queue, { entries }) => {
      if (!entries.has(codeOf(key, scope))) return;
      const failure = reason.toWellFormed().slice(0, LONGEST_REASON);
      await queue.note(FAILED, { key, scope, at: this.#deps.now(), failure, failureKind });
    });
  }

  /** The mark stays, without its failures. Does nothing for a session that is not marked, or says so already. */
  async keepOpen(key: string, scope: Scope): Promise<void> {
    await this.#withQueue(async (queue, { entries }) => {
      const known = entries.get(codeOf(key, scope));
      if (known === undefined || known.hasOpenTurn === true) return;
      await queue.note(OPEN, { key, scope });
    });
  }

  async #withQueue<T>(task: (session: Session<MemoryMessage>, queue: Queue) => Promise<T>): Promise<T> {
    return await this.#deps.withStore(async (store) => {
      const session = store.session(KEY);
      const queue = await readQueue(session, this.#known);
      if (queue.seq >= (this.#known?.seq ?? 0)) this.#known = queue;
      return await task(session, queue);
    });
  }
}

/** The session that has waited longest comes first. Also for a store that is open for reading only. */
export async function readDue(store: MemoryStore): Promise<readonly DueSession[]> {
  return oldestFirst((await readQueue(store.session(KEY), undefined)).entries);
}

interface Failure {
  readonly failure: string;
  readonly failureKind: FailureKind;
}

interface Queue {
  /** Of the session of the log. */
  readonly id: string | undefined;
  readonly seq: number;
  readonly entries: ReadonlyMap<string, DueSession>;
  /** Records that are newer than the last snapshot. */
  readonly length: number;
}

/** Reads backwards, to what is known or to the last snapshot: the cost does not grow with the age of the memory. */
async function readQueue(session: Session<MemoryMessage>, known: Queue | undefined): Promise<Queue> {
  const { id, seq = 0 } = (await session.state()) ?? {};
  const before = known?.id === id ? known : undefined;
  if (seq === before?.seq) return before;
  const newest: SessionRecord<MemoryMessage>[] = [];
  let [entries, length] = [new Map(before?.entries), before?.length ?? 0];
  for await (const record of session.records({ from: (before?.seq ?? 0) + 1, to: seq, reverse: true })) {
    const snapshot = snapshotOf(record);
    if (snapshot !== undefined) {
      [entries, length] = [snapshot, 0];
      break;
    }
    newest.push(record);
  }
  for (const record of newest.reverse()) apply(entries, record);
  return { id, seq, entries, length: length + newest.length };
}

/** A snapshot that another process makes obsolete while it is written is not written. */
async function writeSnapshot(
  session: Session<MemoryMessage>,
  { entries, seq, length }: Queue,
): Promise<void> {
  if (length < Math.max(LEAST_RECORDS_PER_SNAPSHOT, 2 * entries.size)) return;
  try {
    await session.note(SNAPSHOT, { sessions: [...entries.values()] }, { expectedSeq: seq });
  } catch (error) {
    if (!isLonghandError(error, "SEQ_CONFLICT")) throw error;
  }
}

function oldestFirst(entries: ReadonlyMap<string, DueSession>): readonly DueSession[] {
  return [...entries.values()].sort((one, other) => one.since.localeCompare(other.since));
}

function snapshotOf(record: SessionRecord<MemoryMessage>): Map<string, DueSession> | undefined {
  if (record.op !== "note" || record.kind !== SNAPSHOT || !isJsonObject(record.data)) return undefined;
  const { sessions } = record.data;
  if (!Array.isArray(sessions)) return undefined;
  const read = sessions.map(dueOf).filter((each) => each !== undefined);
  return new Map(read.map((each) => [codeOf(each.key, each.scope), each]));
}

function apply(entries: Map<string, DueSession>, record: SessionRecord<MemoryMessage>): void {
  if (record.op !== "note" || !isJsonObject(record.data)) return;
  const { key, at, failure } = record.data;
  const scope = scopeOf(record.data["scope"]);
  if (typeof key !== "string" || scope === undefined) return;
  const code = codeOf(key, scope);
  const known = entries.get(code);
  if (record.kind === DONE) entries.delete(code);
  else if (record.kind === DUE && (known === undefined || known.hasOpenTurn === true)) {
    const due = dueOf(record.data);
    if (due !== undefined) entries.set(code, due);
  } else if (record.kind === OPEN && known !== undefined) {
    const { since } = known;
    entries.set(code, { key, scope, since, failures: 0, badAnswers: 0, hasOpenTurn: true });
  } else if (record.kind === FAILED && known !== undefined && isTime(at) && typeof failure === "string") {
    const { since } = known;
    const kind = failureKindOf(record.data["failureKind"]);
    const badAnswers = known.badAnswers + (kind === "bad-answer" ? 1 : 0);
    const failures = known.failures + 1;
    entries.set(code, { key, scope, since, failures, badAnswers, failedAt: at, failure, ...kindField(kind) });
  }
}

function dueOf(value: unknown): DueSession | undefined {
  if (!isJsonObject(value)) return undefined;
  const { key, since, failures, badAnswers, failedAt, failure, failureKind, hasOpenTurn } = value;
  const scope = scopeOf(value["scope"]);
  if (typeof key !== "string" || scope === undefined || !isTime(since)) return undefined;
  const hasFailed = isTime(failedAt) && typeof failure === "string";
  return {
    ...{ key, scope, since, failures: countOf(failures), badAnswers: countOf(badAnswers) },
    ...(hasFailed ? { failedAt, failure, ...kindField(failureKindOf(failureKind)) } : {}),
    ...(hasOpenTurn === true ? { hasOpenTurn } : {}),
  };
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? Math.max(0, value) : 0;
}

/** `undefined`: an older version, which did not say, or a later one with another kind. */
function failureKindOf(value: unknown): FailureKind | undefined {
  return FAILURE_KINDS.find((kind) => kind === value);
}

function kindField(failureKind: FailureKind | undefined): { failureKind?: FailureKind } {
  return failureKind === undefined ? {} : { failureKind };
}

function scopeOf(value: unknown): Scope | undefined {
  try {
    return checkScope(value);
  } catch (error) {
    if (isLonghandError(error, "OPTION_INVALID")) return undefined;
    throw error;
  }
}

function codeOf(key: string, scope: Scope): string {
  return JSON.stringify([key, scopeCode(scope)]);
}
