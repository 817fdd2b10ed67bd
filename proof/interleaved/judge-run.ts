/**
 * Whether what is found after a crash fits to what several processes were told before it. A key may have had several
 * sessions, one after the other, and a session may have begun as a fork: each is judged by itself.
 */

import { judgeHistory, type FoundMessage } from "../oracle/judge-history.ts";
import type { History, Read, TimedWrite } from "./history.ts";
import type { FoundSession } from "./read-everything.ts";

/** `undefined` is a pass; a string says what is wrong. */
export function judgeRun(history: History, sessions: readonly FoundSession[]): string | undefined {
  for (const { key, messages } of sessions) {
    const gap = messages.find(({ seq }, index) => seq !== index + 1);
    if (gap !== undefined) return `${key}: seq ${gap.seq} is not where it belongs`;
  }
  const keyOf = new Map(history.writes.flatMap(({ key, contents }) => contents.map((text) => [text, key])));
  const owns = sessions.map((session) => ({
    session,
    inherited: lengthOfInherited(session, keyOf),
  }));
  for (const { session, inherited } of owns) {
    const wrong = judgeInherited(session, inherited, sessions);
    if (wrong !== undefined) return wrong;
  }
  const wrong = judgeOwn(history, owns) ?? judgeOrder(history, owns) ?? judgeForks(history, owns);
  if (wrong !== undefined) return wrong;
  for (const read of history.reads) {
    const found = judgeRead(read, sessions) ?? judgeWhatReadMustSee(read, history);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface OwnPart {
  readonly session: FoundSession;
  /** So many of its messages come from the session that it was forked from. */
  readonly inherited: number;
}

function lengthOfInherited({ key, messages }: FoundSession, keyOf: ReadonlyMap<string, string>): number {
  const first = messages.findIndex(({ content }) => keyOf.get(content) === key);
  const foreign = messages.findIndex(({ content }) => !keyOf.has(content));
  if (first === -1) return foreign === -1 ? messages.length : foreign;
  return first;
}

function judgeInherited(
  { key, id, messages }: FoundSession,
  inherited: number,
  sessions: readonly FoundSession[],
): string | undefined {
  if (inherited === 0) return undefined;
  const isParent = (other: FoundSession): boolean =>
    other.id !== id && other.key !== key && isPrefix(messages.slice(0, inherited), other.messages);
  if (sessions.some(isParent)) return undefined;
  return `${key}: begins with ${tell(messages.slice(0, inherited))}, which no session has that it could be a fork of`;
}

/** Each session of a key under a name of its own: nothing may be in two of them. */
function judgeOwn({ writes }: History, owns: readonly OwnPart[]): string | undefined {
  const found = new Map<string, readonly FoundMessage[]>();
  const placeOf = new Map<string, string>();
  for (const { session, inherited } of owns) {
    const place = `${session.key} (${session.id})`;
    const own = session.messages.slice(inherited);
    found.set(place, own);
    for (const { content } of own) placeOf.set(`${session.key} ${content}`, place);
  }
  const placed = writes.map((write) => ({
    ...write,
    key: placeOf.get(`${write.key} ${write.contents[0] ?? ""}`) ?? write.key,
  }));
  return judgeHistory(placed, found);
}

/** Who was answered before another one asked comes first, whoever they were. */
function judgeOrder({ writes }: History, owns: readonly OwnPart[]): string | undefined {
  for (const { session, inherited } of owns) {
    const own = session.messages.slice(inherited);
    const seqOf = new Map(own.map(({ seq, content }) => [content, seq]));
    const here = writes
      .filter(({ key, contents }) => key === session.key && seqOf.has(contents[0] ?? ""))
      .sort((one, other) => seqAt(one, seqOf) - seqAt(other, seqOf));
    let latestCall: TimedWrite | undefined;
    for (const write of here) {
      if (latestCall !== undefined && write.answered < latestCall.called)
        return `${session.key}: ${tell([...write.contents])} was answered before ${tell([...latestCall.contents])} was asked for, and comes after it`;
      if (latestCall === undefined || write.called > latestCall.called) latestCall = write;
    }
  }
  return undefined;
}

function seqAt({ contents }: TimedWrite, seqOf: ReadonlyMap<string, number>): number {
  return seqOf.get(contents[0] ?? "") ?? 0;
}

/** Each fork that was acknowledged is there, with what it was asked for. */
function judgeForks({ forks }: History, owns: readonly OwnPart[]): string | undefined {
  const left = owns.filter(({ inherited }) => inherited > 0);
  // Those that say how much they want first: the others may be content with any.
  for (const { key, to, at } of forks.toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0))) {
    const isIt = ({ session, inherited }: OwnPart): boolean =>
      session.key === to && (at === undefined || inherited === at);
    const index = left.findIndex(isIt);
    if (index === -1) return `${to}: the fork of ${key}, acknowledged, is not there`;
    left.splice(index, 1);
  }
  return undefined;
}

/** What anybody was shown stays: it is the beginning of a session that is there afterwards. */
function judgeRead({ key, kind, messages }: Read, sessions: readonly FoundSession[]): string | undefined {
  if (messages.length === 0) return undefined;
  const isShown = (session: FoundSession): boolean =>
    session.key === key && isPrefix(messages, session.messages);
  if (sessions.some(isShown)) return undefined;
  return `${key}: a ${kind} saw ${tell(messages)}, which is not the beginning of what is there: ${sessions.map((session) => `${session.key} ${tell(session.messages)}`).join("; ")}`;
}

/** What its own store, or one that had ended, was told before it began. */
function judgeWhatReadMustSee(read: Read, { writes, renewed }: History): string | undefined {
  if (!read.isComplete || renewed.has(read.key)) return undefined;
  const seen = new Set(read.messages.map(({ content }) => content));
  for (const { key, contents, store, answer, answered } of writes) {
    if (key !== read.key || answer.kind !== "acknowledged" || answered > read.called) continue;
    if (store !== read.store && store.ended > read.called) continue;
    if (contents.every((content) => seen.has(content))) continue;
    return `${key}: a read saw ${tell(read.messages)}, not ${tell([...contents])}, acknowledged before it began`;
  }
  return undefined;
}

function isPrefix(beginning: readonly FoundMessage[], whole: readonly FoundMessage[]): boolean {
  return beginning.every(
    ({ seq, content }, index) => whole[index]?.seq === seq && whole[index].content === content,
  );
}

function tell(messages: readonly (FoundMessage | string)[]): string {
  const short = messages.map((message) =>
    typeof message === "string"
      ? message.slice(0, 12)
      : `${message.seq}:${message.content.split(" ")[0] ?? ""}`,
  );
  return `[${short.join(", ")}]`;
}
