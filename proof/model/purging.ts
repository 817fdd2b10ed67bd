/** Removing a session for good: noted first, then gone but for its stub, then its sealed files, then the stub. */

import {
  changeNames,
  NOTE,
  noteName,
  NOTES,
  putAwayName,
  SEALED_NAMES,
  sealedName,
  segmentsOf,
  SESSION_NAMES,
  stubName,
  syncNames,
} from "./disk.ts";
import { stepChangeNames, stepSyncNames, syncOwnNames } from "./name-steps.ts";
import { at, NONE, PURGED, TRASHED, type State, type Task } from "./state.ts";
import type { Actor } from "./step.ts";
import { setTask } from "./tasks.ts";
import type { World } from "./worlds.ts";

export function beginPurge({ world, index, name, step }: Actor, key: number, session: number): void {
  const begin = (next: State, phase: number): void => {
    next.left.purges--;
    setTask(next, index, { kind: "purge", key, phase, session, to: NONE });
  };
  if (world.rules.purgeNoted)
    step(`${name} notes that session ${session} is to be removed for good`, (next) => {
      changeNames(next, NOTES, [[noteName(world, session), NOTE]]);
      begin(next, 1);
    });
  else step(`${name} begins to purge session ${session}`, (next) => begin(next, 2));
}

export function purgeSteps(actor: Actor, task: Task): void {
  const { state, world, index, name } = actor;
  const { session, phase } = task;
  const move = (next: State, to: number): void => setTask(next, index, { ...task, phase: to });
  const answer = (next: State): void => {
    at(next.sessions, session).places = 1 << PURGED;
    setTask(next, index, undefined);
  };
  const sealed = phase === 4 ? sealedNamesOf(state, world, session) : [];
  if (phase === 1) syncOrFail(actor, `of the note on session ${session}`, NOTES, (next) => move(next, 2));
  if (phase === 2)
    stepChangeNames(actor, `${name} renames the file of session ${session} to a stub`, (next) => {
      const story = at(next.sessions, session);
      story.places |= 1 << PURGED;
      story.stubOf = index;
      const trashed = putAwayName(world, session, TRASHED);
      changeNames(next, SESSION_NAMES, [
        [stubName(world, session), at(next.names, trashed)],
        [trashed, NONE],
      ]);
      at(next.instances, index).owesNames = 1;
      move(next, world.rules.purgeSyncsNames ? 3 : 4);
    });
  if (phase === 3)
    stepSyncNames(actor, `: session ${session} is gone but for its stub`, SESSION_NAMES, (next) => {
      syncOwnNames(next, index);
      move(next, 4);
    });
  if (phase === 4 && sealed.length > 0)
    stepChangeNames(actor, `${name} removes the sealed files of session ${session}`, (next) => {
      for (const sealedFile of sealed) changeNames(next, segmentsOf(session), [[sealedFile, NONE]]);
      move(next, 5);
    });
  if (phase === 5)
    syncOrFail(actor, `of the sealed files of session ${session}`, segmentsOf(session), (next) =>
      move(next, 4),
    );
  if (phase === 4 && sealed.length === 0)
    stepChangeNames(actor, `${name} removes the stub of session ${session}`, (next) => {
      changeNames(next, SESSION_NAMES, [[stubName(world, session), NONE]]);
      at(next.sessions, session).stubOf = NONE;
      at(next.instances, index).owesNames = 1;
      if (world.rules.purgeSyncsStub) move(next, 6);
      else answer(next);
    });
  if (phase === 6)
    stepSyncNames(actor, `and answers that session ${session} is purged`, SESSION_NAMES, (next) => {
      syncOwnNames(next, index);
      answer(next);
    });
}

/** Nothing relies on these names yet: if the sync fails, so does the purge, and it can be asked for again. */
function syncOrFail(
  { state, world, index, name, step }: Actor,
  why: string,
  directory: number,
  after: (next: State) => void,
): void {
  step(`${name} syncs the directory ${why}`, (next) => {
    syncNames(next, directory);
    after(next);
  });
  if (state.left.failedDirectorySyncs > 0)
    step(
      `${name}: the sync of the directory ${why} fails`,
      (next) => {
        next.left.failedDirectorySyncs--;
        next.left.purges++;
        // The next attempt gives the note its name anew.
        const { task } = at(state.instances, index);
        if (directory === NOTES && task !== undefined)
          changeNames(next, NOTES, [[noteName(world, task.session), NONE]]);
        setTask(next, index, undefined);
      },
      "fault",
    );
}

export function sealedNamesOf(state: State, world: World, session: number): number[] {
  const found: number[] = [];
  for (let owner = 0; owner < state.sessions.length; owner++) {
    for (let number = 0; number < SEALED_NAMES; number++) {
      const sealed = sealedName(world, owner, number);
      const file = at(state.names, sealed);
      if (file === NONE) continue;
      const isShared = owner !== session && at(state.files, file).session === session;
      if (owner === session || (isShared && !world.rules.purgeSparesForks)) found.push(sealed);
    }
  }
  return found;
}
