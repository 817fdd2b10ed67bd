/** The syncs of directories: what an instance owes, and what becomes of it when one fails. */

import { failNameSync, SESSION_NAMES, syncNames } from "./disk.ts";
import { at, endInstance, FAILED, type State } from "./state.ts";
import type { Actor } from "./step.ts";

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
  at(next.instances, index).owesNames = 0;
}
