/** Appending: a block in the journal, the answer, landing, syncing, and the journal's space used again. */

import { looksForTakeover, mayNotAnswer } from "./alive-mark.ts";
import { failFileSync, syncFile, writeCells, writeCellsShort } from "./disk.ts";
import { failJournalSync, generationOf, syncJournal, tearBlock, writeBlock, writeHead } from "./journal.ts";
import { areMadeNamesSynced, isMade, makingSteps, syncMadeNames } from "./creation.ts";
import { backgroundSyncSteps, beginHalf, firstSlotOf, isOldSynced, slotsOfGeneration } from "./halves.ts";
import { changedStep, isChanged } from "./put-back.ts";
import {
  at,
  DEAD,
  endInstance,
  FAILED,
  HEADED,
  MADE,
  NAMED,
  UNMADE,
  type Entry,
  type Instance,
  type State,
  type Tenure,
} from "./state.ts";
import type { Actor } from "./step.ts";
import type { World } from "./worlds.ts";

export function writingSteps(actor: Actor): void {
  const { state, index } = actor;
  const { tenures, task, commit } = at(state.instances, index);
  if (task?.kind !== "close") appendSteps(actor);
  if (commit !== undefined) commitSteps(actor);
  for (const [key, tenure] of tenures.entries()) {
    if (tenure === undefined) continue;
    if (actor.world.rules.applyLooks && isChanged(state, actor.world, tenure))
      changedStep(actor, key, tenure);
    else landingSteps(actor, key, tenure);
  }
  syncMadeNames(actor);
  recycleSteps(actor);
}

/** Keys, each with how many records. */
type Parts = readonly (readonly [key: number, count: number])[];

function appendSteps(actor: Actor): void {
  const { state, world, index } = actor;
  const { tenures, commit, nextSlot, generation, task } = at(state.instances, index);
  const mayFollow = !world.rules.oneInFlight && commit?.stage === "written" && commit.blocks === 1;
  if (commit !== undefined && !mayFollow) return;
  if (world.rules.headSynced && generationOf(at(state.journals, index)) !== generation) return;
  const room = Math.min(slotsOfGeneration(world) - nextSlot, state.left.records);
  const isReady = (key: number): boolean => {
    const isBusy = task !== undefined && (task.key === key || task.kind === "fork");
    return (
      tenures[key]?.ready === 1 && !isBusy && (state.leases[key] === index || state.mistaken[index] === 1)
    );
  };
  for (let key = 0; key < world.bounds.keys; key++) {
    if (!isReady(key)) continue;
    if (room >= 1) appendStep(actor, [[key, 1]]);
    if (room >= 2 && state.left.batches > 0) appendStep(actor, [[key, 2]]);
    if (room >= 2 && key === 0 && isReady(1))
      appendStep(actor, [
        [0, 1],
        [1, 1],
      ]);
  }
}

function appendStep({ state, world, index, name, step }: Actor, parts: Parts): void {
  const size = parts.reduce((sum, [, count]) => sum + count, 0);
  const what = parts
    .map(([key, count]) => `${count > 1 ? "a batch" : "a record"} for key ${key}`)
    .join(" and ");
  step(`${name} writes ${what} to its journal`, (next) => writeEntries(next, world, index, parts));
  for (let torn = 0; torn < size; torn++) {
    if (state.left.kills > 0)
      step(
        `${name} is killed while it writes ${what} to its journal`,
        (next) => {
          next.left.kills--;
          writeEntries(next, world, index, parts);
          tearBlock(at(next.journals, index), slotFor(world, at(state.instances, index)), torn);
          endInstance(next, index, DEAD);
        },
        "fault",
      );
    if (state.left.shortWrites > 0)
      step(
        `${name} writes ${what} to its journal: only a part gets in`,
        (next) => {
          next.left.shortWrites--;
          const before = at(state.instances, index);
          writeEntries(next, world, index, parts);
          tearBlock(at(next.journals, index), slotFor(world, before), torn);
          if (world.rules.shortBlockNoticed) refuse(next, index, state, world.rules.shortBlockOverwritten);
        },
        "fault",
      );
  }
}

function writeEntries(next: State, world: World, index: number, parts: Parts): void {
  const instance = at(next.instances, index);
  const entries: Entry[] = [];
  const issued = [...next.issued];
  let size = 0;
  for (const [key, count] of parts) {
    const tenure = instance.tenures[key];
    if (tenure === undefined) throw new Error(`nobody may write to key ${key}`);
    const records: number[] = [];
    for (let place = 1; place <= count; place++) {
      issued.push({ session: tenure.session, after: tenure.last, goesOn: place < count });
      tenure.last = issued.length;
      records.push(issued.length);
    }
    const file = at(next.files, tenure.file).number;
    const creates = tenure.made === UNMADE && tenure.next === 0;
    entries.push({ key, session: tenure.session, file, offset: tenure.next, records, creates });
    tenure.next += count;
    size += count;
    if (count > 1) next.left.batches--;
  }
  next.issued = issued;
  next.left.records -= size;
  const { generation, nextBlock, commit } = instance;
  writeBlock(at(next.journals, index), slotFor(world, instance), {
    generation,
    number: nextBlock,
    size,
    entries,
  });
  instance.nextSlot += size;
  instance.nextBlock++;
  const blocks = (commit?.blocks ?? 0) + 1;
  instance.commit = { stage: "written", blocks, entries: [...(commit?.entries ?? []), ...entries] };
}

function slotFor(world: World, { generation, nextSlot }: Instance): number {
  return firstSlotOf(world, generation) + nextSlot;
}

/** Nothing has happened: the callers are told so, and the place in the session and in the journal is used again. */
function refuse(next: State, index: number, before: State, isOverwritten: boolean): void {
  const instance = at(next.instances, index);
  for (let record = before.issued.length + 1; record <= next.issued.length; record++)
    next.refused |= 1 << record;
  instance.commit = undefined;
  const earlier = at(before.instances, index);
  for (const [key, tenure] of earlier.tenures.entries()) instance.tenures[key] = tenure && { ...tenure };
  if (!isOverwritten) return;
  instance.nextSlot = earlier.nextSlot;
  instance.nextBlock = earlier.nextBlock;
}

function commitSteps({ state, world, index, name, step }: Actor): void {
  const { commit } = at(state.instances, index);
  if (commit === undefined) return;
  const { syncBeforeAnswer, fenceCheck, failedJournalStops } = world.rules;
  const answer = (next: State): void => acknowledge(next, index);
  const records = commit.entries.flatMap((entry) => entry.records).join();
  const move = (next: State, stage: "synced" | "looked"): void => {
    at(next.instances, index).commit = { ...commit, stage };
  };
  if (commit.stage === "written") {
    step(`${name} syncs its journal`, (next) => {
      syncJournal(at(next.journals, index));
      move(next, "synced");
    });
    if (state.left.failedSyncs > 0)
      step(
        `${name}: the sync of its journal fails`,
        (next) => {
          next.left.failedSyncs--;
          failJournalSync(at(next.journals, index));
          if (failedJournalStops) endInstance(next, index, FAILED);
        },
        "fault",
      );
    if (!syncBeforeAnswer) step(`${name} answers for [${records}] before the sync`, answer);
    if (!world.rules.landAfterCommit) landEarly(state, index, step, name);
    return;
  }
  if (commit.stage === "synced" && looksForTakeover(world)) {
    step(`${name} looks for its ${world.bounds.aliveMark ? "mark" : "gate"}`, (next) => {
      if (fenceCheck && mayNotAnswer(next, world, index)) endInstance(next, index, FAILED);
      else move(next, "looked");
    });
    return;
  }
  step(`${name} answers for [${records}]`, answer);
}

/** What the rule forbids: records in the session files before they are durable in the journal. */
function landEarly(state: State, index: number, step: Actor["step"], name: string): void {
  const { commit, tenures } = at(state.instances, index);
  for (const { key, offset, records } of commit?.entries ?? []) {
    const file = tenures[key]?.file;
    if (file === undefined || state.files[file]?.cells[offset] === records[0]) continue;
    step(`${name} lands [${records.join()}] before the commit`, (next) => {
      writeCells(at(next.files, file), offset, records);
    });
  }
}

function acknowledge(next: State, index: number): void {
  const instance = at(next.instances, index);
  for (const { key, records } of instance.commit?.entries ?? []) {
    for (const record of records) next.acknowledged |= 1 << record;
    const tenure = instance.tenures[key];
    if (tenure !== undefined) tenure.waiting = [...tenure.waiting, ...records];
  }
  instance.commit = undefined;
}

function landingSteps(actor: Actor, key: number, tenure: Tenure): void {
  const { state, world, index, name, step } = actor;
  const { file, waiting, landed, synced, session } = tenure;
  if (tenure.made < HEADED) {
    makingSteps(actor, key, tenure);
    return;
  }
  const records = waiting.slice(landed);
  const offset = world.rules.landAtOffset ? synced + landed : at(state.files, file).cells.length;
  const own = (next: State): Tenure => {
    const found = at(next.instances, index).tenures[key];
    if (found === undefined) throw new Error(`nobody holds key ${key}`);
    return found;
  };
  if (records.length > 0) {
    step(`${name} lands [${records.join()}] in session ${session}`, (next) => {
      writeCells(at(next.files, file), offset, records);
      own(next).landed = waiting.length;
    });
    if (state.left.kills > 0)
      step(
        `${name} is killed while it lands [${records.join()}] in session ${session}`,
        (next) => {
          next.left.kills--;
          writeCellsShort(at(next.files, file), offset, records);
          endInstance(next, index, DEAD);
        },
        "fault",
      );
    if (state.left.shortWrites > 0)
      step(
        `${name} lands [${records.join()}] in session ${session}: only a part gets in`,
        (next) => {
          next.left.shortWrites--;
          writeCellsShort(at(next.files, file), offset, records);
        },
        "fault",
      );
  }
  if (world.bounds.halves) {
    backgroundSyncSteps(actor, key, tenure);
    return;
  }
  if (landed === 0) return;
  step(`${name} syncs session ${session}`, (next) => {
    syncFile(at(next.files, file));
    const after = own(next);
    after.synced += landed;
    after.waiting = waiting.slice(landed);
    after.landed = 0;
    after.made = MADE;
  });
  if (state.left.failedSyncs > 0)
    step(
      `${name}: the sync of session ${session} fails`,
      (next) => {
        next.left.failedSyncs--;
        failFileSync(at(next.files, file));
        if (world.rules.rewriteAfterFailedSync) own(next).landed = 0;
        if (world.rules.rewriteHeader && tenure.made === HEADED) own(next).made = NAMED;
      },
      "fault",
    );
}

/** When the next block would not fit, or a batch might not. No block is written in between. */
function recycleSteps({ state, world, index, name, step }: Actor): void {
  const { commit, task, tenures, nextSlot, generation } = at(state.instances, index);
  const { recycleAfterSync, headSynced, failedHeadStops } = world.rules;
  const isFull = nextSlot > 0 && nextSlot >= slotsOfGeneration(world) - (world.bounds.batches > 0 ? 1 : 0);
  const isSettled = tenures.every((tenure) => {
    if (tenure === undefined) return true;
    if (world.bounds.halves) return isOldSynced(world, tenure);
    if (recycleAfterSync && !isMade(tenure)) return false;
    return recycleAfterSync ? tenure.waiting.length === 0 : tenure.waiting.length === tenure.landed;
  });
  if (!areMadeNamesSynced(state, world, index)) return;
  if (commit !== undefined || task?.kind === "close" || !isFull || !isSettled) return;
  const journal = at(state.journals, index);
  const begin = (next: State): void => {
    const instance = at(next.instances, index);
    instance.generation++;
    instance.nextBlock = 1;
    instance.nextSlot = 0;
    beginHalf(world, instance);
  };
  const label = `generation ${generation + 1}`;
  if (generationOf(journal) === generation) {
    step(`${name} writes ${label} into the head of its journal`, (next) => {
      writeHead(world, at(next.journals, index), generation + 1);
      if (!headSynced) begin(next);
    });
    return;
  }
  step(`${name} syncs the head of its journal: ${label} begins`, (next) => {
    syncJournal(at(next.journals, index));
    begin(next);
  });
  if (state.left.failedSyncs > 0)
    step(
      `${name}: the sync of the head of its journal fails`,
      (next) => {
        next.left.failedSyncs--;
        failJournalSync(at(next.journals, index));
        if (failedHeadStops) endInstance(next, index, FAILED);
        else begin(next);
      },
      "fault",
    );
}
