/**
 * Whether what is found after a crash fits to what several processes were told before it. A key may have had several
 * sessions, one after the other, and a session may have begun as a fork: each is judged by itself.
 */

import { judgeHistory, type FoundMessage } from "../oracle/judge-history.ts";
import type { History, TimedWrite } from "./history.ts";
import { judgeForks, type OwnPart } from "./judge-forks.ts";
import { judgeReads } from "./judge-reads.ts";
import { judgeStatuses } from "./judge-statuses.ts";
import { tellMessages } from "./messages.ts";
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
  return (
    judgeOwn(history, owns) ??
    judgeOrder(history, owns) ??
    judgeForks(history, owns) ??
    judgeStatuses(history, sessions) ??
    judgeReads(history, sessions)
  );
}

function lengthOfInherited({ key, messages }: FoundSession, keyOf: ReadonlyMap<string, string>): number {
  const first = messages.findIndex(({ content }) => keyOf.get(content) === key);
  const foreign = messages.findIndex(({ content }) => !keyOf.has(content));
  if (first === -1) return foreign === -1 ? messages.length : foreign;
  return first;
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
        return `${session.key}: ${tellMessages([...write.contents])} was answered before ${tellMessages([...latestCall.contents])} was asked for, and comes after it`;
      if (latestCall === undefined || write.called > latestCall.called) latestCall = write;
    }
  }
  return undefined;
}

function seqAt({ contents }: TimedWrite, seqOf: ReadonlyMap<string, number>): number {
  return seqOf.get(contents[0] ?? "") ?? 0;
}
