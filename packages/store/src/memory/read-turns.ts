/**
 * The turns of a session that are complete and lie behind a seq, whatever the model still sees of them: what a compaction has
 * hidden is to be remembered too, what a rewind has taken back is not.
 */

import type { Message } from "../record/message.ts";
import type { Session } from "../store/types.ts";

export interface NumberedMessage {
  readonly seq: number;
  readonly message: Message;
}

/** A longer backlog is taken in several readings. */
const MOST_MESSAGES = 5000;

/** How many messages before a replaced history are compared with the new one. */
const COMPARED = 300;

/** Of complete turns only, at most so many characters of JSON (but one turn at least). Empty: there is none. */
export async function readTurns(
  session: Session,
  after: number,
  mostCharacters: number,
): Promise<readonly NumberedMessage[]> {
  let read: NumberedMessage[] = [];
  let known: Map<string, number> | undefined;
  for await (const record of session.records({ from: after + 1 })) {
    if (record.op === "rewind") read = read.filter(({ seq }) => seq <= record.to);
    if (record.op === "reset") {
      // A history that was put in the place of another repeats most of it: that is not said a second time.
      known = await messagesBefore(session, after);
      read = [];
    }
    if (record.op !== undefined) continue;
    if (known !== undefined && takeOne(known, JSON.stringify(record.message))) continue;
    // A rewind still to come could take back what is read so far: that is why it goes on to the end, as far as it can.
    if (read.push({ seq: record.seq, message: record.message }) === MOST_MESSAGES) break;
  }
  return firstTurns(complete(read), mostCharacters);
}

/** The last turn counts when it was answered: the next words of the user may come at any time, its results too. */
function complete(messages: readonly NumberedMessage[]): readonly NumberedMessage[] {
  const last = messages.at(-1)?.message;
  if (last?.role === "assistant" && (last.toolCalls ?? []).length === 0) return messages;
  const begin = messages.findLastIndex(({ message }) => message.role === "user");
  return messages.slice(0, Math.max(0, begin));
}

function firstTurns(
  messages: readonly NumberedMessage[],
  mostCharacters: number,
): readonly NumberedMessage[] {
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
