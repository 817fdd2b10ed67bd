/** Taking a key, opening or creating its session, and giving the key up. docs/decisions/0009-a-lease-for-each-key.md. */

import { isTakenOver } from "./alive-mark.ts";
import {
  activeName,
  changeNames,
  cutCells,
  failFileSync,
  newFile,
  hasUnsyncedNames,
  isHeadless,
  putAwayName,
  SEALED_NAMES,
  sealedName,
  segmentsOf,
  SESSION_NAMES,
  syncFile,
} from "./disk.ts";
import { isMade, planCreation } from "./creation.ts";
import { dropTorn } from "./history.ts";
import { stepChangeNames, stepSyncNames, syncOwnNames } from "./name-steps.ts";
import { ACTIVE, ARCHIVED, at, endInstance, FAILED, MADE, NONE, type State, type Tenure } from "./state.ts";
import type { Actor } from "./step.ts";
import type { World } from "./worlds.ts";

export function leaseSteps(actor: Actor): void {
  const { state, world, index, name, step } = actor;
  const { task } = at(state.instances, index);
  for (let key = 0; key < world.bounds.keys; key++) {
    if (task?.kind === "take" && task.key === key)
      step(`${name} removes the lease of key ${key} and makes it anew`, (next) => {
        at(next.instances, index).task = undefined;
        takeLease(next, world, index, key);
      });
    if (task !== undefined) continue;
    if (state.leases[key] === index) heldSteps(actor, key);
    else if (state.leases[key] === NONE) freeSteps(actor, key);
  }
}

function freeSteps({ state, world, index, name, step }: Actor, key: number): void {
  if (isTakenOver(state, world, index))
    step(`${name} finds that it was taken over, and stops`, (next) => endInstance(next, index, FAILED));
  else if (world.rules.leaseByNumber)
    step(`${name} takes the lease of key ${key}`, (next) => takeLease(next, world, index, key));
  else
    step(`${name} sees the lease of key ${key} free`, (next) => {
      at(next.instances, index).task = { kind: "take", key, phase: 0, session: NONE, to: NONE };
    });
}

function heldSteps(actor: Actor, key: number): void {
  const { state, world, index, name, step } = actor;
  const { tenures, commit, owesNames } = at(state.instances, index);
  const tenure = tenures[key];
  if (tenure?.ready === 0) {
    readySteps(actor, key, tenure);
    return;
  }
  const isInFlight = commit?.entries.some((entry) => entry.key === key) === true;
  if (tenure === undefined && !isInFlight) {
    if (state.names[activeName(key)] !== NONE) {
      // What it may have to cut or to undo changes names.
      if (!isStopped(state, index, key) && !isHeadless(state, at(state.names, activeName(key))))
        stepChangeNames(actor, `${name} opens the session of key ${key}`, (next) =>
          open(next, world, index, key),
        );
    } else if (state.sessions.length < world.bounds.sessions && !hasArchived(state, world, key))
      createSteps(actor, key);
  }
  const isSettled =
    tenure === undefined || !world.rules.releaseSettles || (tenure.waiting.length === 0 && isMade(tenure));
  if (state.left.releases === 0 || isInFlight || !isSettled) return;
  if (owesNames === 1 && world.rules.releaseSyncsNames) {
    stepSyncNames(actor, `before it gives up key ${key}`, SESSION_NAMES, (next) => syncOwnNames(next, index));
    return;
  }
  step(`${name} gives up the lease of key ${key}`, (next) => {
    next.left.releases--;
    const instance = at(next.instances, index);
    if (!world.rules.tenureForgets) instance.remembered[key] = instance.tenures[key];
    instance.tenures[key] = undefined;
    next.leases[key] = NONE;
  });
}

/** Its file was changed under this instance: not opened again before it is repaired. */
function isStopped(state: State, index: number, key: number): boolean {
  const file = at(state.names, activeName(key));
  return file !== NONE && (at(state.instances, index).stopped & (1 << at(state.files, file).session)) !== 0;
}

/** Of what was opened or created, before its first journal record. */
function readySteps(actor: Actor, key: number, { file, session }: Tenure): void {
  const { state, world, index, name, step } = actor;
  const { openSyncsFile, createSyncsName } = world.rules;
  if (at(state.instances, index).owesNames === 1 && createSyncsName) {
    stepSyncNames(actor, `to have session ${session} durably named`, SESSION_NAMES, (next) =>
      syncOwnNames(next, index),
    );
    return;
  }
  if (hasUnsyncedNames(state, segmentsOf(session))) {
    stepSyncNames(actor, `of the sealed files of session ${session}`, segmentsOf(session), () => undefined);
    return;
  }
  const ready = (next: State): void => {
    const tenure = at(next.instances, index).tenures[key];
    if (tenure !== undefined) tenure.ready = 1;
  };
  if (!openSyncsFile) step(`${name} may write to session ${session}`, ready);
  else
    step(`${name} syncs the file of session ${session}`, (next) => {
      syncFile(at(next.files, file));
      ready(next);
    });
  if (openSyncsFile && state.left.failedSyncs > 0)
    step(
      `${name}: the sync of the file of session ${session} fails`,
      (next) => {
        next.left.failedSyncs--;
        failFileSync(at(next.files, file));
      },
      "fault",
    );
}

function createSteps(actor: Actor, key: number): void {
  const { state, world, index, name } = actor;
  const session = state.sessions.length;
  if (at(state.instances, index).owesNames === 1 && world.rules.createSyncsFirst) {
    stepSyncNames(actor, `before it creates session ${session}`, SESSION_NAMES, (next) =>
      syncOwnNames(next, index),
    );
    return;
  }
  if (world.bounds.journaledCreates) {
    planCreation(actor, key);
    return;
  }
  stepChangeNames(actor, `${name} creates session ${session} for key ${key}: links its file`, (next) => {
    next.sessions.push({ key, inherited: [], places: 1 << ACTIVE, forked: 0, stubOf: NONE });
    next.files.push(newFile(session, 0, []));
    changeNames(next, SESSION_NAMES, [[activeName(key), next.files.length - 1]]);
    const instance = at(next.instances, index);
    instance.owesNames = 1;
    instance.tenures[key] = readTenure(
      next,
      world,
      next.files.length - 1,
      world.rules.createSyncsName ? 0 : 1,
    );
  });
}

/** A session that would be brought back instead of creating one. */
function hasArchived(state: State, world: World, key: number): boolean {
  return state.sessions.some(
    (session, id) => session.key === key && state.names[putAwayName(world, id, ARCHIVED)] !== NONE,
  );
}

function takeLease(next: State, world: World, index: number, key: number): void {
  next.leases[key] = index;
  open(next, world, index, key);
}

/** By name, reading everything again. Only a lease holder may call a tail torn and cut it. */
function open(next: State, world: World, index: number, key: number): void {
  const instance = at(next.instances, index);
  const remembered = instance.remembered[key];
  if (remembered !== undefined && !world.rules.tenureForgets) {
    instance.tenures[key] = { ...remembered, waiting: [], landed: 0 };
    return;
  }
  const file = at(next.names, activeName(key));
  if (file === NONE || isHeadless(next, file) || isStopped(next, index, key)) return;
  const isReady = !world.rules.openSyncsFile && instance.owesNames === 0;
  const tenure = readTenure(next, world, file, isReady ? 1 : 0);
  instance.tenures[key] = tenure;
  cutCells(at(next.files, file), tenure.next);
  undoSeal(next, world, file);
}

/** A seal that was cut short has left the active file its sealed name as well, which nothing relies on. */
function undoSeal(next: State, world: World, file: number): void {
  const { session, number } = at(next.files, file);
  const sealed = number < SEALED_NAMES ? sealedName(world, session, number) : NONE;
  if (next.names[sealed] === file) changeNames(next, segmentsOf(session), [[sealed, NONE]]);
}

export function readTenure(state: State, world: World, index: number, ready: number): Tenure {
  const { session, cells, chain } = at(state.files, index);
  const whole = [...cells];
  dropTorn(state, whole);
  const { length } = whole;
  const link = chain.at(-1);
  let last = cells[length - 1] ?? 0;
  if (length === 0 && link !== undefined) {
    const sealed = at(state.names, sealedName(world, session, link.number));
    last = sealed === NONE ? 0 : Math.max(0, at(state.files, sealed).cells[link.cells - 1] ?? 0);
  }
  return {
    session,
    file: index,
    ready,
    synced: length,
    next: length,
    last,
    waiting: [],
    landed: 0,
    made: MADE,
    old: 0,
    syncing: 0,
  };
}

/** Whoever has no journal holds nothing. */
export function freeLeases(state: State, index: number): void {
  for (const [key, holder] of state.leases.entries()) if (holder === index) state.leases[key] = NONE;
}
