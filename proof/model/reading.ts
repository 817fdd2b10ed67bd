/** A reader without a lease: the journals of the dead first, then the files. Between the two anything may happen. */

import { isCreatedIn, isRemoved } from "./creation.ts";
import { findFile, newFile } from "./disk.ts";
import { historyOf, overlay, readable } from "./history.ts";
import { missing, wrongOrder } from "./invariants.ts";
import { countsAsDead, deadPlans, ownerOf, syncJournal } from "./journal.ts";
import { keptElsewhere } from "./put-back.ts";
import { at, NONE, type Reading, type State } from "./state.ts";
import type { Step } from "./step.ts";
import type { World } from "./worlds.ts";

export function readingSteps(state: State, world: World, step: Step): void {
  const { readerJournalsFirst } = world.rules;
  const { reading } = state;
  if (reading !== undefined)
    step("the reader finishes", (next) => {
      const plans = reading.plans ?? readJournals(next, world);
      finish(next, world, { ...reading, plans, cells: reading.cells ?? readFiles(next, world) });
    });
  else if (state.left.reads > 0)
    step("a reader begins", (next) => {
      next.left.reads--;
      const owed = owedNow(next, world);
      next.reading = readerJournalsFirst
        ? { owed, plans: readJournals(next, world), cells: undefined }
        : { owed, plans: undefined, cells: readFiles(next, world) };
    });
}

function readJournals(next: State, world: World): NonNullable<Reading["plans"]> {
  for (const [index, journal] of next.journals.entries())
    if (world.rules.deadJournalSynced && journal.named === 1 && countsAsDead(next, world, index))
      syncJournal(journal);
  return deadPlans(next, world);
}

function readFiles(state: State, world: World): NonNullable<Reading["cells"]> {
  return state.sessions.map((_, session) => {
    const file = findFile(state, world, session);
    if (file === NONE)
      return world.bounds.journaledCreates && !isRemoved(state, world, session)
        ? ([NONE, []] as const)
        : undefined;
    return [file, [...at(state.files, file).cells]] as const;
  });
}

/** What the reader must return: all that is acknowledged, but for sessions whose living owner may not have landed it. */
function owedNow(state: State, world: World): number {
  const plans = deadPlans(state, world);
  let owed = 0;
  for (let session = 0; session < state.sessions.length; session++) {
    if (ownerOf(state, world, session) !== NONE) continue;
    for (const record of historyOf(state, world, session, plans) ?? [])
      if ((state.acknowledged & (1 << record)) !== 0) owed |= 1 << record;
  }
  return owed;
}

function finish(next: State, world: World, { owed, plans, cells }: Reading): void {
  next.reading = undefined;
  for (const [session, read] of (cells ?? []).entries()) {
    if (read === undefined) continue;
    const [index, seen] = read;
    const file = index === NONE ? newFile(session, 0, []) : at(next.files, index);
    if (index === NONE && !isCreatedIn(world, plans ?? [], session)) {
      const lost = missing(next, session, [], owed, "owed to the reader");
      if (lost !== "") next.violation = `a reader: ${lost}`;
      continue;
    }
    const history = readable(next, world, file, overlay(next, world, seen, file, plans ?? []));
    const stillOwed = owed & ~keptElsewhere(next, world, session, plans ?? []);
    const wrong =
      wrongOrder(next, session, history) || missing(next, session, history, stillOwed, "owed to the reader");
    if (wrong !== "") next.violation = `a reader: ${wrong}`;
    for (const record of history) next.returned |= 1 << record;
  }
}
