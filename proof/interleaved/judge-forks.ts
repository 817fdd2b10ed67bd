/**
 * Each fork that was acknowledged is there, and each session that begins as a fork was asked for as one, by a fork that
 * was not refused. It has what was asked for; where that was not said, all that the other session had at some moment
 * while it was made.
 */

import type { Fork, History, TimedWrite } from "./history.ts";
import { isBeginning, tellMessages } from "./messages.ts";
import type { FoundSession } from "./read-everything.ts";

export interface OwnPart {
  readonly session: FoundSession;
  /** So many of its messages come from the session that it was forked from. */
  readonly inherited: number;
}

/** `undefined` is a pass; a string says what is wrong. */
export function judgeForks(history: History, owns: readonly OwnPart[]): string | undefined {
  const forked = owns.filter(({ inherited }) => inherited > 0);
  const sessions = owns.map(({ session }) => session);
  const fits = (fork: Fork, own: OwnPart): boolean => mayBe(fork, own, sessions, history.writes);
  const asked = history.forks.filter(({ outcome }) => outcome !== "refused");
  for (const own of forked) {
    const { session, inherited } = own;
    if (asked.some((fork) => fits(fork, own))) continue;
    return `${session.key}: begins with ${tellMessages(session.messages.slice(0, inherited))}, which no fork that was asked for can have given it`;
  }
  const [missing] = asked
    .filter(({ outcome }) => outcome === "done")
    .filter((fork) => !forked.some((own) => fits(fork, own)));
  if (missing !== undefined) return `${missing.to}: the fork of ${missing.key}, acknowledged, is not there`;
  if (canBeShared(asked, forked, fits)) return undefined;
  return `${forked.length} sessions began as forks, which do not go together with the ${asked.length} forks that were asked for`;
}

/** Each of the found for another one of the asked, and no acknowledged one left over. */
function canBeShared(
  asked: readonly Fork[],
  forked: readonly OwnPart[],
  fits: (fork: Fork, own: OwnPart) => boolean,
): boolean {
  const [own, ...others] = forked;
  if (own === undefined) return asked.every(({ outcome }) => outcome !== "done");
  return asked.some((fork, index) => fits(fork, own) && canBeShared(asked.toSpliced(index, 1), others, fits));
}

function mayBe(
  { key, to, at, called, answered }: Fork,
  { session, inherited }: OwnPart,
  sessions: readonly FoundSession[],
  writes: readonly TimedWrite[],
): boolean {
  if (session.key !== to || (at !== undefined && inherited !== at)) return false;
  const beginning = session.messages.slice(0, inherited);
  const inIt = new Set(beginning.map(({ content }) => content));
  const has = ({ contents }: TimedWrite): number => contents.filter((content) => inIt.has(content)).length;
  if (writes.some((write) => has(write) > 0 && write.called > answered)) return false;
  return sessions.some((parent) => {
    if (parent.key !== key || parent.id === session.id || !isBeginning(beginning, parent.messages))
      return false;
    if (at !== undefined) return true;
    const inParent = new Set(parent.messages.map(({ content }) => content));
    // A batch is there as far as the other session has it: that may itself be a fork that cuts one in two.
    return writes.every((write) => {
      const most = write.contents.filter((content) => inParent.has(content)).length;
      return has(write) === most || (has(write) === 0 && write.answered > called);
    });
  });
}
