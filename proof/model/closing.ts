/** Closing: the names, the journal emptied durably, the journal removed. With it all leases are free. */

import { SESSION_NAMES } from "./disk.ts";
import { failJournalSync, forgetIfGone, generationOf, syncJournal, writeHead } from "./journal.ts";
import { emptyAhead } from "./halves.ts";
import { freeLeases } from "./leases.ts";
import { stepSyncNames, syncOwnNames } from "./name-steps.ts";
import { at, CLOSED, endInstance, FAILED, NONE, type State, type Task } from "./state.ts";
import type { Actor } from "./step.ts";
import { isDrained, setTask } from "./tasks.ts";

export function beginClose(actor: Actor): void {
  const { state, world, index, name, step } = actor;
  const { tenures, commit, generation } = at(state.instances, index);
  const isReady = tenures.every((tenure, key) => tenure === undefined || isDrained(actor, key, tenure));
  if (!isReady || commit !== undefined) return;
  if (generationOf(at(state.journals, index)) !== generation) return;
  step(`${name} begins to close`, (next) => {
    next.left.closes--;
    setTask(next, index, {
      kind: "close",
      key: NONE,
      phase: world.rules.emptiedFirst ? 0 : 2,
      session: NONE,
      to: NONE,
    });
  });
}

export function closeSteps(actor: Actor, task: Task): void {
  const { state, world, index, name, step } = actor;
  const { generation, owesNames } = at(state.instances, index);
  if (owesNames === 1) {
    stepSyncNames(actor, "before it closes", SESSION_NAMES, (next) => syncOwnNames(next, index));
    return;
  }
  if (task.phase === 0)
    step(`${name} writes an empty generation into the head of its journal`, (next) => {
      writeHead(world, at(next.journals, index), generation + emptyAhead(world));
      setTask(next, index, { ...task, phase: 1 });
    });
  if (task.phase === 1) {
    step(`${name} syncs its journal: it is empty`, (next) => {
      syncJournal(at(next.journals, index));
      setTask(next, index, { ...task, phase: 2 });
    });
    if (state.left.failedSyncs > 0)
      step(
        `${name}: the sync of its empty journal fails`,
        (next) => {
          next.left.failedSyncs--;
          failJournalSync(at(next.journals, index));
          endInstance(next, index, FAILED);
        },
        "fault",
      );
  }
  if (task.phase === 2)
    step(`${name} removes its journal: closed`, (next) => {
      removeJournal(next, index);
      endInstance(next, index, CLOSED);
    });
}

/** With it all its leases are free. A power loss may undo the removal: it is empty by then. */
export function removeJournal(next: State, index: number): void {
  at(next.journals, index).named = 0;
  forgetIfGone(at(next.journals, index));
  freeLeases(next, index);
}
