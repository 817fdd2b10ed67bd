/**
 * Planned: creation through the journal. The record at offset 0 carries the header. It is acknowledged when its block is
 * durable; applying it makes the file under its final name; replay makes it if the session is nowhere.
 */

import {
  activeName,
  changeNames,
  findFile,
  isHeadless,
  newFile,
  noteName,
  SESSION_NAMES,
  writeCells,
  writeCellsShort,
} from "./disk.ts";
import { readJournal } from "./journal.ts";
import { stepSyncNames, stopWithoutGate, syncOwnNames } from "./name-steps.ts";
import { changedStep } from "./put-back.ts";
import {
  ACTIVE,
  at,
  DEAD,
  endInstance,
  HEADED,
  HEADER_DURABLE,
  HEADER_SEEN,
  MADE,
  NAMED,
  NONE,
  UNMADE,
  type Entry,
  type ReplayOf,
  type SessionFile,
  type State,
  type Tenure,
} from "./state.ts";
import type { Actor } from "./step.ts";
import type { World } from "./worlds.ts";

// The writer

/** The session gets its id. Nothing is written; its inode is counted from here on, without a name and without a header. */
export function planCreation({ state, index, name, step }: Actor, key: number): void {
  const session = state.sessions.length;
  step(`${name} chooses the id of a new session ${session} for key ${key}`, (next) => {
    next.sessions.push({ key, inherited: [], places: 1 << ACTIVE, forked: 0, stubOf: NONE });
    next.files.push({ ...newFile(session, 0, []), header: 0 });
    const file = next.files.length - 1;
    at(next.instances, index).tenures[key] = {
      session,
      file,
      ready: 1,
      synced: 0,
      next: 0,
      last: 0,
      waiting: [],
      landed: 0,
      made: UNMADE,
      old: 0,
      syncing: 0,
    };
  });
}

/** Its file is made and synced, or nothing of it was journaled. */
export function isMade({ made, next }: Tenure): boolean {
  return made === MADE || next === 0;
}

/** May seal, archive, delete and fork begin? */
export function mayBeMoved(state: State, { bounds, rules }: World, index: number, tenure: Tenure): boolean {
  if (!bounds.journaledCreates) return true;
  if (tenure.made < NAMED || (tenure.made < MADE && rules.barrierSettles)) return false;
  return !rules.barrierSyncsMade || at(state.instances, index).owesNames === 0;
}

/** May journal space be reused, as far as names are concerned? */
export function areMadeNamesSynced(state: State, { bounds, rules }: World, index: number): boolean {
  if (!bounds.journaledCreates || !rules.recycleSyncsMade) return true;
  const { owesNames, owesOldNames } = at(state.instances, index);
  return bounds.halves ? owesOldNames === 0 : owesNames === 0;
}

/** In the background, at any time. */
export function syncMadeNames(actor: Actor): void {
  const { state, world, index } = actor;
  const { owesNames, task, tenures } = at(state.instances, index);
  if (!world.bounds.journaledCreates || owesNames === 0 || task !== undefined) return;
  if (!tenures.some((tenure) => tenure !== undefined && tenure.made >= NAMED)) return;
  stepSyncNames(actor, "of the files that it has made", SESSION_NAMES, (next) => syncOwnNames(next, index));
}

/** Applying a record at offset 0: the file gets its name, then header and records in one write. */
export function makingSteps(actor: Actor, key: number, tenure: Tenure): void {
  const { state, world, index } = actor;
  const { commit } = at(state.instances, index);
  const isInFlight = commit?.stage === "written" && commit.entries.some((entry) => entry.key === key);
  const mayMake = tenure.waiting.length > 0 || (isInFlight && !world.rules.makeAfterCommit);
  if (tenure.made === UNMADE && mayMake) makeStep(actor, key, tenure);
  if (tenure.made === NAMED && tenure.waiting.length > 0) fillSteps(actor, key, tenure);
}

function makeStep(actor: Actor, key: number, tenure: Tenure): void {
  const { state, world, index, name, step } = actor;
  const { makeExclusive, makeGated } = world.rules;
  if (makeGated && stopWithoutGate(actor)) return;
  const there = at(state.names, activeName(key));
  const isForeign =
    there !== NONE && !isHeadless(state, there) && at(state.files, there).session !== tenure.session;
  if (isForeign && makeExclusive) {
    changedStep(actor, key, tenure);
    return;
  }
  const isTaken = there !== NONE && makeExclusive;
  step(`${name} ${isTaken ? "finds" : "makes"} the file of session ${tenure.session}`, (next) => {
    const instance = at(next.instances, index);
    const own = instance.tenures[key];
    if (own === undefined) return;
    own.made = NAMED;
    if (isTaken) {
      own.file = there;
      return;
    }
    changeNames(next, SESSION_NAMES, [[activeName(key), tenure.file]]);
    instance.owesNames = 1;
    if (own.old > 0) instance.owesOldNames = 1;
  });
}

function fillSteps(
  { state, index, name, step }: Actor,
  key: number,
  { file, waiting, session }: Tenure,
): void {
  const what = `the header and [${waiting.join()}] into the file of session ${session}`;
  step(`${name} writes ${what}`, (next) => {
    writeHeader(at(next.files, file));
    writeCells(at(next.files, file), 0, waiting);
    Object.assign(at(next.instances, index).tenures[key] ?? {}, { made: HEADED, landed: waiting.length });
  });
  if (state.left.kills > 0)
    step(
      `${name} is killed while it writes ${what}`,
      (next) => {
        next.left.kills--;
        writeHeader(at(next.files, file));
        writeCellsShort(at(next.files, file), 0, waiting);
        endInstance(next, index, DEAD);
      },
      "fault",
    );
  if (state.left.shortWrites > 0)
    step(
      `${name} writes ${what}: only a part gets in`,
      (next) => {
        next.left.shortWrites--;
        writeHeader(at(next.files, file));
        writeCellsShort(at(next.files, file), 0, waiting);
      },
      "fault",
    );
}

/** Written again after a failed sync, it is new to the disk. */
export function writeHeader(file: SessionFile): void {
  file.header = (file.header & HEADER_DURABLE) | HEADER_SEEN;
}

// Replay and reading

/** Is the session removed for good? */
export function isRemoved(state: State, world: World, session: number): boolean {
  return state.names[noteName(world, session)] !== NONE && world.rules.replayHeedsNotes;
}

export function createsSession(world: World, entries: readonly Entry[]): boolean {
  return world.bounds.journaledCreates && entries.some(({ creates }) => creates);
}

/** The session's file, or one under its key's name that nobody can tell whose it is: only its creation can have left it there. */
export function fileForReplay(
  state: State,
  world: World,
  session: number,
  entries: readonly Entry[],
): number {
  const found = findFile(state, world, session);
  if (found !== NONE || !createsSession(world, entries)) return found;
  const active = at(state.names, activeName(at(state.sessions, session).key));
  const isOwn = isHeadless(state, active) && !isRemoved(state, world, session);
  return isOwn && world.rules.replayTakesHeadless ? active : NONE;
}

/** Does one of these journals create it, for a reader who has found no file of it? */
export function isCreatedIn(world: World, plans: readonly (readonly ReplayOf[])[], session: number): boolean {
  if (!world.rules.readerSeesJournaled) return false;
  return plans.some((plan) =>
    plan.some((replay) => replay.session === session && createsSession(world, replay.entries)),
  );
}

// Invariants

/** A name whose file has no header must be one that some journal still has to complete. */
export function orphanedName(state: State, world: World): string {
  if (!world.bounds.journaledCreates) return "";
  if (state.aside !== 0 && world.bounds.putBacks === 0 && world.bounds.mistakes === 0)
    return "records were kept aside though no other program has changed a file";
  for (let key = 0; key < world.bounds.keys; key++) {
    if (!isHeadless(state, at(state.names, activeName(key)))) continue;
    const isCreated = state.journals.some(
      (journal) =>
        journal.named === 1 &&
        readJournal(world, journal).blocks.some(({ entries }) =>
          entries.some(
            (entry) => entry.creates && entry.key === key && findFile(state, world, entry.session) === NONE,
          ),
        ),
    );
    if (!isCreated) return `key ${key} is blocked: its file has no header, and no journal has it`;
  }
  return "";
}
