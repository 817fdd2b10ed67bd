/** Seal, archive, restore, delete: each drains the session before a name changes, and syncs the name after. */

import { beginClose, closeSteps } from "./closing.ts";
import {
  activeName,
  changeNames,
  newFile,
  putAwayName,
  SEALED_NAMES,
  sealedName,
  segmentsOf,
  SESSION_NAMES,
} from "./disk.ts";
import { stepChangeNames, stepSyncNames, syncOwnNames } from "./name-steps.ts";
import { beginPurge, purgeSteps } from "./purging.ts";
import { ACTIVE, ARCHIVED, at, NONE, TRASHED, type State, type Task, type Tenure } from "./state.ts";
import type { Actor } from "./step.ts";
import { isDrained, setTask } from "./tasks.ts";

/** The barriers that may begin now. */
export function beginBarriers(actor: Actor): void {
  const { state, world, index } = actor;
  const { tenures } = at(state.instances, index);
  for (let key = 0; key < world.bounds.keys; key++) {
    const tenure = tenures[key];
    // One that was taken over does not know that it has lost the lease of a session that it has open.
    const believes = state.mistaken[index] === 1 && tenure !== undefined;
    if (state.leases[key] !== index && !believes) continue;
    if (tenure === undefined) {
      putAwayBarriers(actor, key);
      continue;
    }
    const isEmpty = tenure.next === 0 && at(state.files, tenure.file).chain.length === 0;
    if (isEmpty || !isDrained(actor, key, tenure)) continue;
    if (state.left.seals > 0 && tenure.next > 0) beginSeal(actor, key, tenure);
    if (state.left.archives > 0) beginMove(actor, key, tenure.session, ACTIVE, ARCHIVED);
    if (state.left.deletes > 0) beginMove(actor, key, tenure.session, ACTIVE, TRASHED);
  }
  if (state.left.closes > 0) beginClose(actor);
}

export function taskSteps(actor: Actor, task: Task): void {
  if (task.kind === "seal") sealSteps(actor, task);
  if (task.kind === "move") moveSteps(actor, task);
  if (task.kind === "purge") purgeSteps(actor, task);
  if (task.kind === "close") closeSteps(actor, task);
}

// Seal

function beginSeal(actor: Actor, key: number, tenure: Tenure): void {
  const { state, world, index, name } = actor;
  const { session, file } = tenure;
  const { number } = at(state.files, file);
  if (number >= SEALED_NAMES) return;
  stepChangeNames(actor, `${name} seals session ${session}: links the sealed name`, (next) => {
    next.left.seals--;
    const sealed = sealedName(world, session, number);
    // Left over from a seal that was cut short: made anew.
    if (next.names[sealed] !== NONE) changeNames(next, segmentsOf(session), [[sealed, NONE]]);
    changeNames(next, segmentsOf(session), [[sealed, file]]);
    const phase = world.rules.sealedNameSynced ? 1 : 2;
    setTask(next, index, { kind: "seal", key, phase, session, to: NONE });
  });
}

function sealSteps(actor: Actor, task: Task): void {
  const { state, world, index, name } = actor;
  const { session, key, phase } = task;
  const move = (next: State, to: number): void => setTask(next, index, { ...task, phase: to });
  if (phase === 1)
    stepSyncNames(actor, `of the sealed name of session ${session}`, segmentsOf(session), (next) =>
      move(next, 2),
    );
  if (phase === 2)
    stepChangeNames(
      actor,
      `${name} renames the next file of session ${session} over the sealed one`,
      (next) => {
        const tenure = at(next.instances, index).tenures[key];
        if (tenure === undefined) return;
        const { number, chain } = at(state.files, tenure.file);
        next.files.push(newFile(session, number + 1, [...chain, { number, cells: tenure.next }]));
        const file = next.files.length - 1;
        changeNames(next, SESSION_NAMES, [[activeName(key), file]]);
        Object.assign(tenure, { file, synced: 0, next: 0, waiting: [], landed: 0 });
        if (world.rules.sealSyncsNames) move(next, 3);
        else setTask(next, index, undefined);
      },
    );
  if (phase === 3)
    stepSyncNames(actor, `: session ${session} is sealed`, SESSION_NAMES, (next) =>
      setTask(next, index, undefined),
    );
}

// Archive, restore, delete

/** For a key without an active session. */
function putAwayBarriers(actor: Actor, key: number): void {
  const { state, world } = actor;
  for (const [session, story] of state.sessions.entries()) {
    if (story.key !== key) continue;
    const isIn = (place: number): boolean => state.names[putAwayName(world, session, place)] !== NONE;
    const isFree = state.names[activeName(key)] === NONE;
    if (state.left.restores > 0 && isFree && isIn(ARCHIVED)) beginMove(actor, key, session, ARCHIVED, ACTIVE);
    if (state.left.restores > 0 && isFree && isIn(TRASHED)) beginMove(actor, key, session, TRASHED, ACTIVE);
    if (state.left.deletes > 0 && isIn(ARCHIVED)) beginMove(actor, key, session, ARCHIVED, TRASHED);
    if (state.left.purges > 0 && isIn(TRASHED)) beginPurge(actor, key, session);
  }
}

const MOVES = ["restores", "archives", "deletes"] as const;

function beginMove(actor: Actor, key: number, session: number, from: number, to: number): void {
  const { world, index, name } = actor;
  const move = at(MOVES, to);
  const nameOf = (place: number): number =>
    place === ACTIVE ? activeName(key) : putAwayName(world, session, place);
  stepChangeNames(actor, `${name} ${move} session ${session}: renames its file`, (next) => {
    next.left[move]--;
    const file = at(next.names, nameOf(from));
    changeNames(next, SESSION_NAMES, [
      [nameOf(from), NONE],
      [nameOf(to), file],
    ]);
    at(next.sessions, session).places |= 1 << to;
    const instance = at(next.instances, index);
    instance.owesNames = 1;
    instance.tenures[key] = undefined;
    if (world.rules.putAwaySyncsNames) setTask(next, index, { kind: "move", key, phase: 0, session, to });
    else at(next.sessions, session).places = 1 << to;
  });
}

function moveSteps(actor: Actor, { session, to }: Task): void {
  const { index } = actor;
  stepSyncNames(actor, `and answers that session ${session} was moved`, SESSION_NAMES, (next) => {
    syncOwnNames(next, index);
    at(next.sessions, session).places = 1 << to;
    setTask(next, index, undefined);
  });
}
