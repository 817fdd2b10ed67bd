/**
 * Whether each key is active, archived or neither, as the last word on it says. Of those who were at it at the same time
 * each may have had the last word, and so may one whose outcome nobody knows; but not who was answered before another
 * one asked.
 */

import type { SessionInfo } from "@longhand/store";
import type { History, Move } from "./history.ts";
import type { FoundSession } from "./read-everything.ts";

/** `undefined` is a pass; a string says what is wrong. */
export function judgeStatuses(history: History, sessions: readonly FoundSession[]): string | undefined {
  const moves = everyMove(history);
  const keys = new Set([...moves, ...sessions].map(({ key }) => key));
  for (const key of keys) {
    const own = moves.filter((move) => move.key === key);
    const status = statusOf(sessions.filter((session) => session.key === key));
    const last = own.filter(({ answered }) => !own.some((other) => isDone(other) && other.called > answered));
    const possible = new Set(last.map(({ to }) => to));
    // What is in the trash is as good as not there.
    if (!own.some(isDone)) possible.add("trashed");
    if (!possible.has(status)) return `${key}: it is ${status} and must be ${[...possible].join(" or ")}`;
    const empty = sessions.filter((session) => session.key === key && session.messages.length === 0);
    const begun = own.filter(({ to, outcome }) => to === "active" && outcome === "unknown");
    if (empty.length > begun.length) return `${key}: there is an empty session that nobody began`;
  }
  return undefined;
}

function everyMove({ moves, writes, forks }: History): readonly Move[] {
  return [
    ...moves,
    ...forks.map(({ to: key, ...fork }) => ({ ...fork, key, to: "active" as const })),
    ...writes.flatMap(({ key, called, answer, answered }): Move[] => {
      if (answer.kind === "refused") return [];
      const outcome = answer.kind === "acknowledged" ? "done" : "unknown";
      return [{ key, to: "active", called, outcome, answered }];
    }),
  ].filter(({ outcome }) => outcome !== "refused");
}

function isDone({ outcome }: Move): boolean {
  return outcome === "done";
}

/** What the key reads as. */
function statusOf(sessions: readonly FoundSession[]): SessionInfo["status"] {
  for (const status of ["active", "archived"] as const)
    if (sessions.some((session) => session.status === status)) return status;
  return "trashed";
}
