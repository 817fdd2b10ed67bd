/** Changes of names, and the syncs of directories: what an instance owes, and what becomes of it when one fails. */

import { isTakenOver, looksForTakeover } from "./alive-mark.ts";
import { failNameSync, SESSION_NAMES, syncNames } from "./disk.ts";
import { at, endInstance, FAILED, type State } from "./state.ts";
import type { Actor } from "./step.ts";

/**
 * A rename, a link or an unlink: a look for the fence or the mark, then the change through the gate. Between the two another
 * may take the instance over. Where no look can find anything, the two are one step.
 */
export function stepChangeNames(actor: Actor, label: string, change: (next: State) => void): void {
  const { state, world, index, name, step } = actor;
  if (!looksForTakeover(world)) {
    step(label, change);
    return;
  }
  if (at(state.instances, index).looked === 0) {
    step(`${name} looks for its fence before it changes a name`, (next) => {
      if (isTakenOver(next, world, index)) endInstance(next, index, FAILED);
      else at(next.instances, index).looked = 1;
    });
    return;
  }
  if (world.rules.gate && stopWithoutGate(actor)) return;
  step(label, (next) => {
    at(next.instances, index).looked = 0;
    change(next);
  });
}

/** Whether its gate is removed. Then no change through it is possible, and the only step is to stop. */
export function stopWithoutGate({ state, index, name, step }: Actor): boolean {
  if (state.gates[index] === 0) return false;
  step(`${name} finds its gate removed, and stops`, (next) => endInstance(next, index, FAILED));
  return true;
}

/** A sync of a directory; if it fails, nobody can tell which names are on the disk, and the instance stops. */
export function stepSyncNames(
  { state, world, index, name, step }: Actor,
  why: string,
  directory: number,
  after: (next: State) => void,
): void {
  step(`${name} syncs the directory ${why}`, (next) => {
    syncNames(next, directory);
    after(next);
  });
  if (state.left.failedDirectorySyncs === 0) return;
  step(
    `${name}: the sync of the directory ${why} fails`,
    (next) => {
      next.left.failedDirectorySyncs--;
      failNameSync(next, world, directory);
      if (world.rules.failedNamesStop) endInstance(next, index, FAILED);
      else after(next);
    },
    "fault",
  );
}

/** Where nothing is owed nothing is synced. */
export function syncOwnNames(next: State, index: number): void {
  syncNames(next, SESSION_NAMES);
  Object.assign(at(next.instances, index), { owesNames: 0, owesOldNames: 0 });
}
