/**
 * The turns of a session that are complete and lie behind a seq, whatever the model still sees of them: what a compaction has
 * hidden is to be remembered too, what a rewind has taken back is not.
 */

import { asOwnMessage } from "../context/as-own-message.ts";
import type { LoggedMessage } from "../context/turns.ts";
import type { Session } from "../contract/types.ts";

/** How many messages before a replaced history are compared with the new one. */
const COMPARED = 5000;

export interface NewTurns {
  /** Of complete turns only, at most so many characters of JSON (but one turn at least). Empty: there is none. */
  readonly turns: readonly LoggedMessage[];
  /** Complete turns are left that did not fit. */
  readonly hasMore: boolean;
  /** The last turn has no answer yet. Not looked at where turns are left that did not fit. */
  readonly hasOpenTurn: boolean;
}

export async function readNewTurns(
  session: Session,
  after: number,
  mostCharacters: number,
): Promise<NewTurns> {
  const replaced = await replacedHistories(session, after);
  const read: LoggedMessage[] = [];
  let characters = 0;
  for await (const record of session.records({ from: after + 1, kept: true })) {
    if (record.op !== undefined) continue;
    const text = JSON.stringify(record.message);
    // One write has one time: what comes later is new, though it may say the same.
    if (replaced.some(({ seq, at, known }) => seq < record.seq && at === record.at && takeOne(known, text)))
      continue;
    // What is too much begins with the next turn.
    if (characters > mostCharacters && record.message.role === "user")
      return { turns: firstTurns(read, mostCharacters), hasMore: true, hasOpenTurn: false };
    characters += text.length;
    read.push({ seq: record.seq, message: asOwnMessage(record.message) });
  }
  const answered = complete(read);
  const turns = firstTurns(answered, mostCharacters);
  return { turns, hasMore: turns.length < answered.length, hasOpenTurn: answered.length < read.length };
}

interface ReplacedHistory {
  readonly seq: number;
  readonly at: string;
  /** How often each message was there before. */
  readonly known: Map<string, number>;
}

/** A history that was put in the place of another repeats most of it: that is not said a second time. */
async function replacedHistories(session: Session, after: number): Promise<readonly ReplacedHistory[]> {
  const replaced: ReplacedHistory[] = [];
  for await (const { op, seq, at } of session.records({ from: after + 1 }))
    if (op === "reset") replaced.push({ seq, at, known: await messagesBefore(session, after) });
  return replaced;
}

/** The last turn counts when it was answered: the next words of the user may come at any time, its results too. */
function complete(messages: readonly LoggedMessage[]): readonly LoggedMessage[] {
  const last = messages.at(-1)?.message;
  if (last?.role === "assistant" && (last.toolCalls ?? []).length === 0) return messages;
  const begin = messages.findLastIndex(({ message }) => message.role === "user");
  return messages.slice(0, Math.max(0, begin));
}

function firstTurns(messages: readonly LoggedMessage[], mostCharacters: number): readonly LoggedMessage[] {
  let characters = 0;
  for (const [index, { message }] of messages.entries()) {
    characters += JSON.stringify(message).length;
    if (characters <= mostCharacters) continue;
    const fits = messages.slice(0, index).findLastIndex((each) => each.message.role === "user");
    if (message.role === "user" && index > 0) return messages.slice(0, index);
    if (fits > 0) return messages.slice(0, fits);
    const next = messages.findIndex((each, at) => at > index && each.message.role === "user");
    return next === -1 ? messages : messages.slice(0, next);
  }
  return messages;
}

async function messagesBefore(session: Session, to: number): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  if (to === 0) return known;
  let compared = 0;
  for await (const record of session.records({ to, reverse: true })) {
    if (record.op !== undefined) continue;
    const text = JSON.stringify(record.message);
    known.set(text, (known.get(text) ?? 0) + 1);
    if (++compared === COMPARED) break;
  }
  return known;
}

function takeOne(known: Map<string, number>, text: string): boolean {
  const left = known.get(text) ?? 0;
  if (left > 0) known.set(text, left - 1);
  return left > 0;
}
