/** Every step that can be taken in a state, and every fault that can strike there. */

import { beginMarked, completeMarked, lostMarkSteps } from "./alive-mark.ts";
import { beginBarriers, taskSteps } from "./barriers.ts";
import { beginForks, forkSteps } from "./forking.ts";
import { countsAsDead, writeHead, syncJournal } from "./journal.ts";
import { leaseSteps } from "./leases.ts";
import { leftoverSteps } from "./leftovers.ts";
import { powerLosses } from "./power-loss.ts";
import { putBackSteps } from "./put-back.ts";
import { readingSteps } from "./reading.ts";
import {
  at,
  BEGINNING,
  cloneState,
  DEAD,
  endInstance,
  FAILED,
  isAlive,
  letterOf,
  OPENING,
  RUNNING,
  UNBORN,
  type State,
} from "./state.ts";
import type { Actor, Step } from "./step.ts";
import { adoptionSteps, beginAdoptions } from "./takeover.ts";
import type { World } from "./worlds.ts";
import { writingSteps } from "./writing.ts";

export type Emit = (label: string, next: State, isFault: boolean) => void;

/** The states themselves, one for each outcome of a power loss. */
export function successors(state: State, world: World, emit: Emit): void {
  eachStep(state, world, (label, change, kind) => {
    const next = cloneState(state);
    change(next);
    emit(label, next, kind === "fault");
  });
  if (mayLosePower(state)) powerLosses(state, (next) => emit("power loss", next, true));
}

export function mayLosePower({ left, instances }: State): boolean {
  return left.powerLosses > 0 && instances.some(({ status }) => status !== UNBORN);
}

/** All but a power loss. */
export function eachStep(state: State, world: World, step: Step): void {
  for (const [index, { status }] of state.instances.entries()) {
    const actor = { state, world, index, name: letterOf(index), step };
    if (status === UNBORN) openStep(actor);
    else if (isAlive(status)) aliveSteps(actor);
  }
  readingSteps(state, world, step);
  putBackSteps(state, world, step);
  lostMarkSteps(state, world, step);
}

/** In the order of their letters, since they are alike; the third only when one of the others is gone, or said to be. */
function openStep(actor: Actor): void {
  const { state, world, index, name, step } = actor;
  if (index > 0 && state.instances[index - 1]?.status === UNBORN) return;
  const isNeeded =
    state.mistaken.includes(1) || state.instances.some(({ status }) => status === DEAD || status === FAILED);
  if (index >= 2 && !isNeeded) return;
  if (world.bounds.aliveMark) {
    beginMarked(actor);
    return;
  }
  const { openerAdoptsFirst, journalNameSynced } = world.rules;
  step(`${name} opens the store: makes its journal`, (next) => {
    at(next.instances, index).status = openerAdoptsFirst ? OPENING : RUNNING;
    const journal = at(next.journals, index);
    journal.named = 1;
    writeHead(world, journal, 1);
    syncJournal(journal);
    if (journalNameSynced) journal.durablyNamed = 1;
  });
}

function aliveSteps(actor: Actor): void {
  const { state, world, index, name, step } = actor;
  const { status, adoption, task } = at(state.instances, index);
  if (state.left.kills > 0)
    step(
      `${name} is killed`,
      (next) => {
        next.left.kills--;
        endInstance(next, index, DEAD);
      },
      "fault",
    );
  if (state.left.mistakes > 0 && state.mistaken[index] === 0)
    step(
      `${name} stalls and is wrongly held for dead`,
      (next) => {
        next.left.mistakes--;
        next.mistaken[index] = 1;
      },
      "fault",
    );
  if (status === BEGINNING) {
    completeMarked(actor);
    return;
  }
  if (adoption !== undefined) {
    adoptionSteps(actor, adoption);
    return;
  }
  if (task === undefined && at(state.instances, index).commit === undefined) beginAdoptions(actor);
  if (status === OPENING) {
    if (!hasDeadNeighbour(state, world, index) && !leftoverSteps(actor))
      step(`${name} finds nobody to adopt, and goes to work`, (next) => {
        at(next.instances, index).status = RUNNING;
      });
    return;
  }
  leaseSteps(actor);
  writingSteps(actor);
  if (task === undefined) {
    beginBarriers(actor);
    beginForks(actor);
  } else if (task.kind === "fork") forkSteps(actor, task);
  else taskSteps(actor, task);
}

function hasDeadNeighbour(state: State, world: World, index: number): boolean {
  return state.journals.some(
    ({ named }, dead) => dead !== index && named === 1 && countsAsDead(state, world, dead),
  );
}
