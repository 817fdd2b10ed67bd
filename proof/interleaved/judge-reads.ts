/**
 * What readers beside writers were shown: a beginning of a session that is there afterwards; nothing before it was asked
 * for; and at least what must have been in reach when the read began. Of a session that another living store holds a
 * reader sees what has landed, so this is: all that was acknowledged by its own store, by one that had ended, or by one that
 * had given the session up, as a later write by another shows; and what somebody else was shown before.
 */

import type { History, Read, TimedWrite } from "./history.ts";
import { isBeginning, tellMessages } from "./messages.ts";
import type { FoundSession } from "./read-everything.ts";

/** `undefined` is a pass; a string says what is wrong. */
export function judgeReads(history: History, sessions: readonly FoundSession[]): string | undefined {
  const writeOf = new Map(
    history.writes.flatMap((write) => write.contents.map((content) => [content, write] as const)),
  );
  for (const read of history.reads) {
    const wrong =
      judgeShown(read, sessions) ??
      judgeTooEarly(read, writeOf) ??
      (read.isComplete && !history.renewed.has(read.key) ? judgeTooLittle(read, history) : undefined);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** What anybody was shown stays. */
function judgeShown({ key, kind, messages }: Read, sessions: readonly FoundSession[]): string | undefined {
  if (messages.length === 0) return undefined;
  const isShown = (session: FoundSession): boolean =>
    session.key === key && isBeginning(messages, session.messages);
  if (sessions.some(isShown)) return undefined;
  return `${key}: a ${kind} saw ${tellMessages(messages)}, which is not the beginning of what is there: ${sessions.map((session) => `${session.key} ${tellMessages(session.messages)}`).join("; ")}`;
}

function judgeTooEarly(
  { key, kind, messages }: Read,
  writeOf: ReadonlyMap<string, TimedWrite>,
): string | undefined {
  const early = messages.find(({ content, seen }) => (writeOf.get(content)?.called ?? 0) > seen);
  return early && `${key}: a ${kind} saw ${tellMessages([early])} before it was written`;
}

/** For a key that has had one session only. */
function judgeTooLittle(read: Read, { writes, reads }: History): string | undefined {
  const { key, called, store, messages } = read;
  const seen = new Set(messages.map(({ content }) => content));
  const before = writes.filter(
    (write) => write.key === key && write.answer.kind === "acknowledged" && write.answered < called,
  );
  const wasShown = ({ contents, store: by }: TimedWrite): boolean =>
    reads.some(
      (other) =>
        other.store !== by &&
        other.messages.some((message) => message.seen < called && contents.includes(message.content)),
    );
  for (const write of before) {
    const isInReach =
      write.store === store ||
      write.store.ended < called ||
      before.some((later) => later.store !== write.store && seqOf(later) > seqOf(write)) ||
      wasShown(write);
    if (!isInReach || write.contents.every((content) => seen.has(content))) continue;
    return `${key}: a read saw ${tellMessages(messages)}, not ${tellMessages([...write.contents])}, acknowledged before it began`;
  }
  return undefined;
}

function seqOf({ answer }: TimedWrite): number {
  return answer.kind === "acknowledged" ? answer.seq : 0;
}
