/** One action of a process on its store, noted in the history as it begins and as it ends. */

import { inspect } from "node:util";
import {
  isLonghandError,
  type LonghandErrorCode,
  type Session,
  type SessionRecord,
  type Store,
} from "@longhand/store";
import type { FoundMessage } from "../oracle/judge-history.ts";
import type { History, StoreLife, TimedWrite } from "./history.ts";
import type { Action } from "./plan.ts";

export interface Actor {
  readonly name: string;
  readonly store: Store;
  readonly life: StoreLife;
  /** Ends what it watches. */
  readonly leaving: AbortSignal;
  readonly history: History;
  isAlive(): boolean;
}

/** Refusals that others may cause by what they do at the same time. Everything else must succeed. */
const REFUSALS: Readonly<Record<Action["kind"], readonly LonghandErrorCode[]>> = {
  append: ["SESSION_LOCKED"],
  turn: ["SESSION_LOCKED"],
  fork: ["SESSION_LOCKED", "SESSION_NOT_FOUND", "SESSION_EXISTS", "OPTION_INVALID"],
  archive: ["SESSION_LOCKED", "SESSION_NOT_FOUND"],
  restore: ["SESSION_LOCKED", "SESSION_NOT_FOUND", "SESSION_EXISTS"],
  delete: ["SESSION_LOCKED"],
  reclaim: ["SESSION_LOCKED"],
  read: [],
  watch: [],
  verify: [],
  reopen: [],
};

/** Never rejects. */
export async function act(actor: Actor, action: Action): Promise<void> {
  const { history, name } = actor;
  try {
    await perform(actor, action);
  } catch (error) {
    if (!actor.isAlive()) return;
    if (isLonghandError(error) && REFUSALS[action.kind].includes(error.code)) return;
    history.problems.push(`${name}: ${describeAction(action)} failed: ${inspect(error, { depth: 4 })}`);
  }
}

export function describeAction(action: Action): string {
  const { kind, ...details } = action;
  return `${kind} ${Object.values(details).map(String).join(" ")}`.trim();
}

async function perform(actor: Actor, action: Action): Promise<void> {
  const { store, history } = actor;
  switch (action.kind) {
    case "append":
      await write(actor, action.key, action.contents);
      return;
    case "turn": {
      const turn = await store.session(action.key).lock();
      try {
        for (const content of action.contents) await write(actor, action.key, [content]);
      } finally {
        await turn[Symbol.asyncDispose]();
      }
      return;
    }
    case "fork": {
      const { key, to, at } = action;
      history.renewed.add(to);
      await store.session(key).fork(to, at === undefined ? {} : { at });
      history.forks.push({ key, to, at });
      return;
    }
    case "read":
    case "watch":
      await read(actor, action.kind, store.session(action.key));
      return;
    case "archive":
      await store.session(action.key).archive();
      return;
    case "restore":
      await store.session(action.key).restore();
      return;
    case "delete":
      history.renewed.add(action.key);
      await store.session(action.key).delete();
      return;
    case "reclaim":
      await store.reclaim();
      return;
    case "verify": {
      const { damage } = await store.verify();
      if (damage.length > 0) history.problems.push(`${actor.name}: verify finds ${JSON.stringify(damage)}`);
      return;
    }
    case "reopen":
      // Whoever has opened the store does it: see run-plan.ts.
      return;
  }
}

async function write(
  { store, history, life }: Actor,
  key: string,
  contents: readonly string[],
): Promise<void> {
  const attempt: TimedWrite = {
    ...{ key, contents, store: life, called: history.next() },
    ...{ answer: { kind: "unknown" }, answered: Infinity },
  };
  history.writes.push(attempt);
  const messages = contents.map((content) => ({ role: "user", content }) as const);
  try {
    const { seq } = await store.session(key).append(messages);
    attempt.answer = { kind: "acknowledged", seq };
    attempt.answered = history.next();
  } catch (error) {
    if (isLonghandError(error) && error.code !== "STORE_FAILED") attempt.answer = { kind: "refused" };
    throw error;
  }
}

async function read(
  { history, life, leaving }: Actor,
  kind: "read" | "watch",
  session: Session,
): Promise<void> {
  const { key } = session;
  const messages: FoundMessage[] = [];
  const entry = { key, kind, store: life, called: history.next(), messages, isComplete: false };
  history.reads.push(entry);
  const records = kind === "read" ? session.records() : session.watch({ signal: leaving });
  for await (const record of records) messages.push(toFound(record));
  entry.isComplete = kind === "read";
  if (kind === "watch" && !leaving.aborted && !history.renewed.has(key))
    history.problems.push(`a watch of ${key} ended by itself`);
}

export function toFound(record: SessionRecord): FoundMessage {
  const content = record.op === undefined ? record.message.content : `(${record.op})`;
  return { seq: record.seq, content: typeof content === "string" ? content : JSON.stringify(content) };
}
