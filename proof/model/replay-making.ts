/** Planned: replay of a record that creates a session whose file is nowhere. */

import { abandon, moveTo } from "./adoption.ts";
import { createsSession, isRemoved } from "./creation.ts";
import {
  activeName,
  changeNames,
  hasUnsyncedNames,
  isHeadless,
  newFile,
  putAwayName,
  SESSION_NAMES,
  syncNames,
} from "./disk.ts";
import { stopWithoutGate } from "./name-steps.ts";
import { ARCHIVED, at, letterOf, NONE, TRASHED, type Adoption, type State } from "./state.ts";
import type { Actor } from "./step.ts";

/** Whether the steps are given here. `found`: the session's file, as of one moment. */
export function replayMaking(
  actor: Actor,
  adoption: Adoption,
  found: number,
  onwards: (next: State) => void,
): boolean {
  const { state, world, index, name, step } = actor;
  const { phase, plan, at: current } = adoption;
  const { session, entries } = at(plan, current);
  if (!createsSession(world, entries) || !world.rules.replayMakesFiles) return false;
  const to = (next: State, after: Adoption["phase"]): void => moveTo(next, index, { phase: after });
  const active = at(state.names, activeName(at(state.sessions, session).key));
  if (phase === "seek") {
    const isPutAway = [ARCHIVED, TRASHED].some(
      (place) => state.names[putAwayName(world, session, place)] !== NONE,
    );
    step(`${name} looks for session ${session} among archived and trashed ones`, (next) => {
      if (isPutAway) to(next, "land");
      else if (isRemoved(next, world, session)) onwards(next);
      else to(next, "make");
    });
    return true;
  }
  if (phase === "make") {
    makeStep(actor, adoption, onwards);
    return true;
  }
  if (!world.rules.lookIsSettled && phase === "land" && (found === NONE || found !== active))
    step(`${name} sees that session ${session} is not active`, (next) => to(next, "seek"));
  else if (found === NONE && isRemoved(state, world, session))
    step(`${name} finds that session ${session} was removed for good`, onwards);
  else if (found === NONE)
    step(`${name} finds session ${session} nowhere but in the journal`, (next) => to(next, "make"));
  return found === NONE;
}

/** Through the gate of the instance that replays. */
function makeStep(actor: Actor, adoption: Adoption, onwards: (next: State) => void): void {
  const { state, world, index, name, step } = actor;
  if (world.rules.makeGated && stopWithoutGate(actor)) return;
  const { session, entries } = at(adoption.plan, adoption.at);
  const { key } = at(state.sessions, session);
  const there = at(state.names, activeName(key));
  const isOwn = isHeadless(state, there)
    ? world.rules.replayTakesHeadless
    : there !== NONE && at(state.files, there).session === session;
  if (there === NONE)
    step(`${name} makes the file of session ${session}`, (next) => {
      next.files.push({ ...newFile(session, 0, []), header: 0 });
      changeNames(next, SESSION_NAMES, [[activeName(key), next.files.length - 1]]);
      moveTo(next, index, { phase: "land" });
    });
  else if (isOwn)
    step(`${name} finds that session ${session} has a file by now`, (next) =>
      moveTo(next, index, { phase: "land" }),
    );
  else
    step(
      `${name} finds another file under the name of session ${session}, and keeps its records aside`,
      (next) => {
        for (const { records } of entries) for (const record of records) next.aside |= 1 << record;
        onwards(next);
      },
    );
}

/** Whether something is to be synced before the journal may be emptied. */
export function syncReplayedNames({ state, world, index, name, step }: Actor, dead: number): boolean {
  if (!world.bounds.journaledCreates || !world.rules.replaySyncsMade) return false;
  if (!hasUnsyncedNames(state, SESSION_NAMES)) return false;
  step(`${name} syncs the names of what it has replayed of ${letterOf(dead)}`, (next) =>
    syncNames(next, SESSION_NAMES),
  );
  if (state.left.failedDirectorySyncs > 0)
    step(
      `${name}: the sync of the names of what it has replayed of ${letterOf(dead)} fails`,
      (next) => {
        next.left.failedDirectorySyncs--;
        abandon(next, index, dead);
      },
      "fault",
    );
  return true;
}
