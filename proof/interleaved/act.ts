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
import type { Attempted, Fork, History, Move, SeenMessage, StoreLife, TimedWrite } from "./history.ts";
import type { Action } from "./plan.ts";

export interface Actor {
  readonly name: string;
  readonly store: Store;
  readonly life: StoreLife;
  /** Ends what it watches. */
  readonly leaving: AbortSignal;
  readonly history: History;
  isAlive(): boolean;
  /** A call of its process has failed. */
  hasFault(): boolean;
  /** It was told so: the store is to be opened again. */
  hasFailed: boolean;
}

/** What a call that fails may be told as, where one has failed. The first leaves the outcome open. */
export const FAILURES: readonly LonghandErrorCode[] = ["STORE_FAILED", "DISK_FULL", "IO_FAILED"];

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
    if (isLonghandError(error) && actor.hasFault() && FAILURES.includes(error.code)) {
      actor.hasFailed ||= error.code === "STORE_FAILED";
      return;
    }
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
      const fork: Fork = { key, to, at, ...begun(history) };
      history.forks.push(fork);
      await attempt(history, fork, async () => {
        await store.session(key).fork(to, at === undefined ? {} : { at });
      });
      return;
    }
    case "read":
    case "watch":
      await read(actor, action.kind, store.session(action.key));
      return;
    case "archive":
      await move(actor, action.key, "archived", async (session) => await session.archive());
      return;
    case "restore":
      await move(actor, action.key, "active", async (session) => await session.restore());
      return;
    case "delete":
      history.renewed.add(action.key);
      await move(actor, action.key, "trashed", async (session) => await session.delete());
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
  const write: TimedWrite = {
    ...{ key, contents, store: life, called: history.next() },
    ...{ answer: { kind: "unknown" }, answered: Infinity },
  };
  history.writes.push(write);
  const messages = contents.map((content) => ({ role: "user", content }) as const);
  try {
    const { seq } = await store.session(key).append(messages);
    write.answer = { kind: "acknowledged", seq };
    write.answered = history.next();
  } catch (error) {
    if (isLonghandError(error) && error.code !== "STORE_FAILED") write.answer = { kind: "refused" };
    // It may have brought the session back, or begun one, before it failed.
    if (!isLonghandError(error, "SESSION_LOCKED"))
      history.moves.push({ key, to: "active", called: write.called, outcome: "unknown", answered: Infinity });
    throw error;
  }
}

async function move(
  { store, history }: Actor,
  key: string,
  to: Move["to"],
  perform: (session: Session) => Promise<void>,
): Promise<void> {
  const asked: Move = { key, to, ...begun(history) };
  history.moves.push(asked);
  // Several sessions of a key are deleted one after another: where that fails in the middle, some of them are gone.
  const isInPieces = to === "trashed";
  await attempt(history, asked, async () => await perform(store.session(key)), isInPieces);
}

function begun(history: History): Attempted {
  return { called: history.next(), outcome: "unknown", answered: Infinity };
}

async function attempt(
  history: History,
  asked: Attempted,
  perform: () => Promise<void>,
  isInPieces = false,
): Promise<void> {
  try {
    await perform();
    asked.outcome = "done";
    asked.answered = history.next();
  } catch (error) {
    const isOpen =
      isLonghandError(error, "STORE_FAILED") || (isInPieces && !isLonghandError(error, "SESSION_LOCKED"));
    if (isLonghandError(error) && !isOpen) asked.outcome = "refused";
    throw error;
  }
}

async function read(
  { history, life, leaving }: Actor,
  kind: "read" | "watch",
  session: Session,
): Promise<void> {
  const { key } = session;
  const messages: SeenMessage[] = [];
  const entry = { key, kind, store: life, called: history.next(), messages, isComplete: false };
  history.reads.push(entry);
  const records = kind === "read" ? session.records() : session.watch({ signal: leaving });
  for await (const record of records) messages.push({ ...toFound(record), seen: history.next() });
  entry.isComplete = kind === "read";
  if (kind === "watch" && !leaving.aborted && !history.renewed.has(key))
    history.problems.push(`a watch of ${key} ended by itself`);
}

export function toFound(record: SessionRecord): FoundMessage {
  const content = record.op === undefined ? record.message.content : `(${record.op})`;
  return { seq: record.seq, content: typeof content === "string" ? content : JSON.stringify(content) };
}
