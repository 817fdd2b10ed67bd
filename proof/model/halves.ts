/**
 * Planned: the journal in two halves. While a generation fills one half, the files that the generation before it covers are
 * synced in the background; its half is then used for the next generation. One head names the newest generation: the one
 * before it lies in the other half. A sync begins and ends, and records are applied in between.
 */

import { failFileSync, syncFileUpTo, writeCells } from "./disk.ts";
import { at, HEADED, MADE, NAMED, type Instance, type State, type Tenure } from "./state.ts";
import type { Actor } from "./step.ts";
import type { World } from "./worlds.ts";

export function slotsOfGeneration({ bounds }: World): number {
  return bounds.halves ? bounds.slots / 2 : bounds.slots;
}

export function firstSlotOf(world: World, generation: number): number {
  return world.bounds.halves && generation % 2 === 0 ? slotsOfGeneration(world) : 0;
}

/** So far ahead that neither half counts any more, in the copy of the head that is not the newest. */
export function emptyAhead({ bounds, rules }: World): number {
  return bounds.halves && rules.emptyFarAhead ? 3 : 1;
}

/** Is all that the older half covers applied and synced? */
export function isOldSynced({ rules }: World, { old, landed }: Tenure): boolean {
  return old === 0 || (!rules.recycleAfterSync && landed >= old);
}

/** What waits now is covered by the half that is full. */
export function beginHalf({ bounds }: World, instance: Instance): void {
  if (!bounds.halves) return;
  instance.owesOldNames = instance.owesNames;
  for (const tenure of instance.tenures) if (tenure !== undefined) tenure.old = tenure.waiting.length;
}

/** A sync in the background. */
export function backgroundSyncSteps(actor: Actor, key: number, tenure: Tenure): void {
  const { state, world, index, name, step } = actor;
  const { file, session, syncing, landed, waiting, synced, old } = tenure;
  const { syncCountsFromStart, rewriteBothHalves, rewriteAfterFailedSync, rewriteHeader } = world.rules;
  const own = (next: State): Tenure => {
    const found = at(next.instances, index).tenures[key];
    if (found === undefined) throw new Error(`nobody holds key ${key}`);
    return found;
  };
  if (syncing === 0) {
    if (landed > 0)
      step(`${name} begins to sync session ${session}`, (next) => {
        own(next).syncing = landed;
      });
    return;
  }
  step(`${name} has synced session ${session}`, (next) => {
    syncFileUpTo(at(next.files, file), synced + syncing);
    const count = syncCountsFromStart ? syncing : landed;
    Object.assign(own(next), {
      synced: synced + count,
      waiting: waiting.slice(count),
      landed: landed - count,
      old: Math.max(0, old - count),
      syncing: 0,
      made: MADE,
    });
  });
  if (state.left.failedSyncs > 0)
    step(
      `${name}: the sync of session ${session} fails`,
      (next) => {
        next.left.failedSyncs--;
        failFileSync(at(next.files, file));
        const after = own(next);
        after.syncing = 0;
        if (!rewriteBothHalves) writeCells(at(next.files, file), synced, waiting.slice(0, syncing));
        else if (rewriteAfterFailedSync) after.landed = 0;
        if (rewriteHeader && tenure.made === HEADED) after.made = NAMED;
      },
      "fault",
    );
}
