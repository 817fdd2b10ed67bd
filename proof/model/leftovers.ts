/** What dead instances have left half done, removed by whoever opens the store, after it has taken all of them over. */

import {
  changeNames,
  findFile,
  hasUnsyncedNames,
  noteName,
  segmentsOf,
  SESSION_NAMES,
  stubName,
  syncNames,
} from "./disk.ts";
import { sealedNamesOf } from "./purging.ts";
import { at, NONE, type State } from "./state.ts";
import type { Actor } from "./step.ts";
import type { World } from "./worlds.ts";

/** Whether there is something to be removed before it may go to work. */
export function leftoverSteps({ state, world, name, step }: Actor): boolean {
  for (const [session, { stubOf }] of state.sessions.entries()) {
    const stub = at(state.names, stubName(world, session));
    // Only of instances that have ended: whoever lives may be at it.
    if (stub === NONE || (stubOf !== NONE && state.journals[stubOf]?.named === 1)) continue;
    const isGone = !world.rules.leftoversProven || isNowhere(state, world, session, stub);
    const sealed = isGone ? sealedNamesOf(state, world, session) : [];
    if (sealed.length > 0)
      step(`${name} removes the sealed files that the stub of session ${session} speaks of`, (next) => {
        for (const sealedFile of sealed) changeNames(next, segmentsOf(session), [[sealedFile, NONE]]);
      });
    else if (isGone && hasUnsyncedNames(state, segmentsOf(session)))
      step(`${name} syncs the directory of the sealed files of session ${session}`, (next) => {
        syncNames(next, segmentsOf(session));
      });
    else
      step(`${name} removes the stub of session ${session}`, (next) => {
        changeNames(next, SESSION_NAMES, [[stubName(world, session), NONE]]);
        at(next.sessions, session).stubOf = NONE;
      });
    return true;
  }
  return false;
}

/** Proven to be nobody's: it is noted as removed, or has no name but its stub. */
function isNowhere(state: State, world: World, session: number, stub: number): boolean {
  if (state.names[noteName(world, session)] !== NONE) return true;
  const links = state.names.filter((file) => file === stub).length;
  return links === 1 && findFile(state, world, session) === NONE;
}
