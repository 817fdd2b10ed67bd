/**
 * Planned: the inverted fence. An instance has a mark that must exist; takeover removes it. In these worlds `fences` says of
 * a living instance that its mark is missing. Mark and gate are made in one step. A takeover removes the mark, then the gate;
 * a program that removes the mark leaves the gate.
 */

import { syncJournal, writeHead } from "./journal.ts";
import { at, BEGINNING, isAlive, letterOf, OPENING, type State } from "./state.ts";
import type { Actor, Step } from "./step.ts";
import type { World } from "./worlds.ts";

/** What the instance finds before it changes a name: one look at its mark, or at its fence and its journal. */
export function isTakenOver(state: State, world: World, index: number): boolean {
  if (state.fences[index] === 1) return true;
  return !world.bounds.aliveMark && state.journals[index]?.named === 0;
}

/** What it finds before it answers: one look at its mark, or at its gate. */
export function mayNotAnswer({ fences, gates }: State, { bounds }: World, index: number): boolean {
  return (bounds.aliveMark ? fences : gates)[index] === 1;
}

/** Does an instance look at all? Only where something can be found. */
export function looksForTakeover({ bounds }: World): boolean {
  return bounds.mistakes > 0 || bounds.aliveMark;
}

/** The first of two steps. */
export function beginMarked({ world, index, name, step }: Actor): void {
  if (world.rules.markBeforeJournal)
    step(`${name} opens the store: makes its mark`, (next) => {
      at(next.instances, index).status = BEGINNING;
    });
  else
    step(`${name} opens the store: makes its journal`, (next) => {
      at(next.instances, index).status = BEGINNING;
      next.fences[index] = 1;
      next.gates[index] = 1;
      makeJournal(next, world, index);
    });
}

/** The second. */
export function completeMarked({ world, index, name, step }: Actor): void {
  if (world.rules.markBeforeJournal)
    step(`${name} makes its journal`, (next) => {
      at(next.instances, index).status = OPENING;
      makeJournal(next, world, index);
    });
  else
    step(`${name} makes its mark`, (next) => {
      at(next.instances, index).status = OPENING;
      next.fences[index] = 0;
      next.gates[index] = 0;
    });
}

function makeJournal(next: State, world: World, index: number): void {
  const journal = at(next.journals, index);
  journal.named = 1;
  writeHead(world, journal, 1);
  syncJournal(journal);
  if (world.rules.journalNameSynced) journal.durablyNamed = 1;
}

/** A mark without a journal is tidied up if its instance counts as dead; another program may remove any mark. */
export function lostMarkSteps(state: State, world: World, step: Step): void {
  if (!world.bounds.aliveMark) return;
  for (const [index, { status }] of state.instances.entries()) {
    if (!isAlive(status) || state.fences[index] === 1) continue;
    if (status === BEGINNING && state.mistaken[index] === 1)
      step(`the mark of ${letterOf(index)}, which has no journal, is tidied up`, (next) => {
        next.fences[index] = 1;
      });
    if (state.left.lostMarks > 0)
      step(
        `another program removes the mark of ${letterOf(index)}`,
        (next) => {
          next.left.lostMarks--;
          next.fences[index] = 1;
        },
        "fault",
      );
  }
}
