/** What must be true in every state, and when recovery counts as complete. */

import { orphanedName } from "./creation.ts";
import { activeName, findFile, isHeadless, putAwayName, SEALED_NAMES, sealedName, stubName } from "./disk.ts";
import { historyOf } from "./history.ts";
import { deadPlans, readJournal } from "./journal.ts";
import { keptElsewhere } from "./put-back.ts";
import {
  ACTIVE,
  ARCHIVED,
  at,
  BEGINNING,
  CLOSED,
  DEAD,
  FAILED,
  HOLE,
  isAlive,
  letterOf,
  NONE,
  OPENING,
  PURGED,
  TRASHED,
  UNBORN,
  type ReplayOf,
  type State,
} from "./state.ts";
import type { World } from "./worlds.ts";

/** The first promise that this state breaks, in words; empty: none. */
export function brokenPromise(state: State, world: World): string {
  return (
    state.violation ||
    falseAlarm(state, world) ||
    robbed(state) ||
    misplaced(state, world) ||
    orphanedName(state, world) ||
    wrongHistory(state, world)
  );
}

/** Where a living instance may be held for dead, what its journal looks like is no ordinary crash. */
function falseAlarm(state: State, world: World): string {
  if (world.bounds.mistakes > 0) return "";
  for (const [index, journal] of state.journals.entries()) {
    if (journal.named === 0) continue;
    const { alarm } = readJournal(world, journal);
    if (alarm !== "")
      return `an ordinary crash is taken for corruption of ${letterOf(index)}'s journal: ${alarm}`;
  }
  return "";
}

function robbed(state: State): string {
  for (const [index, { status, tenures }] of state.instances.entries()) {
    if (!isAlive(status) || state.mistaken[index] === 1) continue;
    for (const [key, tenure] of tenures.entries())
      if (tenure !== undefined && state.leases[key] !== index)
        return `${letterOf(index)} lives and has lost the lease of key ${key}`;
  }
  return "";
}

/** Deleted, archived, restored and purged sessions are where they were put; what is purged is nowhere. */
function misplaced(state: State, world: World): string {
  for (const [session, { places }] of state.sessions.entries()) {
    const found = placesOf(state, world, session);
    if (found.length > 1) return `session ${session} has two names`;
    const [place] = found;
    if (place !== undefined && (places & (1 << place)) === 0)
      return `session ${session} was ${PLACES[places] ?? "elsewhere"} and is ${PLACES[1 << place] ?? ""} again`;
    if (places !== 1 << PURGED) continue;
    for (let number = 0; number < SEALED_NAMES; number++)
      if (state.names[sealedName(world, session, number)] !== NONE)
        return `session ${session} was purged and a sealed file of it is still there`;
    if (state.names[stubName(world, session)] !== NONE)
      return `session ${session} was purged and its stub is still there`;
  }
  return "";
}

const PLACES: Readonly<Record<number, string>> = {
  [1 << ACTIVE]: "active",
  [1 << ARCHIVED]: "archived",
  [1 << TRASHED]: "trashed",
  [1 << PURGED]: "purged",
};

function placesOf(state: State, world: World, session: number): number[] {
  const active = at(state.names, activeName(at(state.sessions, session).key));
  const found: number[] = [];
  if (active !== NONE && at(state.files, active).session === session && !isHeadless(state, active))
    found.push(ACTIVE);
  for (const place of [ARCHIVED, TRASHED])
    if (state.names[putAwayName(world, session, place)] !== NONE) found.push(place);
  return found;
}

function wrongHistory(state: State, world: World): string {
  const plans = deadPlans(state, world);
  // Journals are read in no particular order.
  const orders = plans.length > 1 ? [plans, [...plans].reverse()] : [plans];
  for (let session = 0; session < state.sessions.length; session++) {
    for (const order of orders) {
      const wrong = wrongReading(state, world, session, order);
      if (wrong !== "") return wrong;
    }
  }
  return "";
}

function wrongReading(
  state: State,
  world: World,
  session: number,
  plans: readonly (readonly ReplayOf[])[],
): string {
  const history = historyOf(state, world, session, plans);
  const { places, forked, inherited } = at(state.sessions, session);
  const elsewhere = keptElsewhere(state, world, session, plans);
  if (history !== undefined) {
    return (
      wrongOrder(state, session, history) ||
      missing(state, session, history, state.acknowledged & ~elsewhere, "acknowledged") ||
      missing(state, session, history, state.returned & ~elsewhere, "already read")
    );
  }
  // Somebody is at removing it, or has.
  if ((places & (1 << PURGED)) !== 0) return "";
  if (forked === 1) return `the fork ${session} of [${inherited.join()}] is gone`;
  return (
    missing(state, session, [], state.acknowledged & ~elsewhere, "acknowledged") ||
    missing(state, session, [], state.returned & ~elsewhere, "already read")
  );
}

/** Each record follows the one it was appended after, a batch is whole, and nothing is another's or was refused. */
export function wrongOrder(state: State, session: number, history: readonly number[]): string {
  const { inherited } = at(state.sessions, session);
  const text = `session ${session} reads [${history.join()}]`;
  if (inherited.some((record, index) => history[index] !== record))
    return `${text}, but was forked with [${inherited.join()}]`;
  let before = inherited.at(-1) ?? 0;
  for (let index = inherited.length; index < history.length; index++) {
    const record = at(history, index);
    if (record === HOLE) return `${text}: a gap`;
    const issued = at(state.issued, record - 1);
    if (issued.session !== session) return `${text}: ${record} is of session ${issued.session}`;
    if (issued.after !== before) return `${text}, which nobody appended in this order`;
    if (issued.goesOn && history[index + 1] !== record + 1) return `${text}: half a batch`;
    if ((state.refused & (1 << record)) !== 0) return `${text}: ${record} was refused`;
    before = record;
  }
  return "";
}

export function missing(
  state: State,
  session: number,
  history: readonly number[],
  owed: number,
  what: string,
): string {
  for (const [index, issued] of state.issued.entries()) {
    const record = index + 1;
    if (issued.session !== session || (owed & (1 << record)) === 0 || history.includes(record)) continue;
    return `record ${record} of session ${session} was ${what} and is lost: [${history.join()}]`;
  }
  return "";
}

/** Nothing of a dead instance is left and nobody is in the middle of anything. Nobody left to recover also counts. */
export function isSettled(state: State, world: World): boolean {
  if (!state.instances.some(({ status }) => isAlive(status) || status === UNBORN)) return true;
  for (const [index, { status, commit, task, adoption }] of state.instances.entries()) {
    const isGone = status === DEAD || status === FAILED;
    if (isGone && state.journals[index]?.named === 1) return false;
    if (isGone && state.leases.includes(index)) return false;
    if (status === CLOSED && state.journals[index]?.named === 1) return false;
    if (
      status === OPENING ||
      status === BEGINNING ||
      commit !== undefined ||
      task !== undefined ||
      adoption !== undefined
    )
      return false;
  }
  return state.sessions.every(({ places }, session) => {
    return places !== 1 << PURGED || findFile(state, world, session) === NONE;
  });
}
