/**
 * Another program puts an older version of a session's file back, over the file or in its place, while the store is open
 * or after a crash. What was synced there is that program's to answer for; what was acknowledged and not synced yet is
 * still the store's: it is read, or in a journal, or kept aside, and never among records of another history.
 */

import { activeName, newFile, SESSION_NAMES } from "./disk.ts";
import {
  ACTIVE,
  at,
  CLEAN,
  HOLE,
  NONE,
  UNMADE,
  WHOLE_HEADER,
  type Entry,
  type ReplayOf,
  type State,
  type Tenure,
} from "./state.ts";
import type { Actor, Step } from "./step.ts";
import type { World } from "./worlds.ts";

export function putBackSteps(state: State, world: World, step: Step): void {
  if (state.left.putBacks === 0) return;
  for (let key = 0; key < world.bounds.keys; key++) {
    const index = at(state.names, activeName(key));
    foreignStep(state, world, key, step);
    if (index === NONE || state.nameChanges.some(({ directory }) => directory === SESSION_NAMES)) continue;
    const { session, cells } = at(state.files, index);
    for (let length = 0; length < cells.length; length++) {
      const what = `session ${session} as it was with ${length} records`;
      step(`another program writes ${what} over it`, (next) => putBack(next, index, index, length), "fault");
      step(
        `another program puts ${what} in its place`,
        (next) => {
          next.files.push(newFile(session, at(next.files, index).number, at(next.files, index).chain));
          next.names[activeName(key)] = next.files.length - 1;
          next.durableNames[activeName(key)] = next.files.length - 1;
          putBack(next, index, next.files.length - 1, length);
        },
        "fault",
      );
    }
  }
}

/** The file of another session appears under a name that is free because its session is in a journal only. */
function foreignStep(state: State, world: World, key: number, step: Step): void {
  if (!world.bounds.journaledCreates || at(state.names, activeName(key)) !== NONE) return;
  if (state.sessions.length >= world.bounds.sessions) return;
  const session = state.sessions.length;
  step(
    `another program puts the file of another session ${session} under the name of key ${key}`,
    (next) => {
      next.left.putBacks--;
      next.sessions.push({ key, inherited: [], places: 1 << ACTIVE, forked: 1, stubOf: NONE });
      next.files.push(newFile(session, 0, []));
      next.names[activeName(key)] = next.files.length - 1;
      next.durableNames[activeName(key)] = next.files.length - 1;
    },
    "fault",
  );
}

/** Durable at once: the other program has synced it. */
function putBack(next: State, from: number, to: number, length: number): void {
  next.left.putBacks--;
  const { cells, durable } = at(next.files, from);
  for (const record of durable.slice(length)) if (record !== HOLE) next.excused |= 1 << record;
  const old = cells.slice(0, length);
  next.files[to] = {
    ...at(next.files, to),
    header: WHOLE_HEADER,
    cells: old,
    durable: [...old],
    marks: old.map(() => CLEAN),
  };
}

/** Is the file that lies under the session's name not what this instance has made of it? */
export function isChanged(state: State, world: World, tenure: Tenure): boolean {
  if (world.bounds.putBacks === 0) return false;
  const { file, session, synced, landed } = tenure;
  if (tenure.made === UNMADE) return false;
  const key = at(state.sessions, session).key;
  if (state.names[activeName(key)] !== file) return true;
  const end = synced + landed;
  if (end === 0) return false;
  let expected = tenure.last;
  for (let place = tenure.next; place > end; place--) expected = at(state.issued, expected - 1).after;
  return at(state.files, file).cells[end - 1] !== expected;
}

/** The instance finds it before it applies or syncs records, and writes to this session no more. */
export function changedStep({ state, world, index, name, step }: Actor, key: number, tenure: Tenure): void {
  const { session, waiting } = tenure;
  // Records whose commit is under way are waited for: they are kept aside with the others.
  if (at(state.instances, index).commit?.entries.some((entry) => entry.key === key) === true) return;
  step(`${name} finds session ${session} changed, and keeps [${waiting.join()}] aside`, (next) => {
    const instance = at(next.instances, index);
    if (world.rules.changeKeepsAside) for (const record of waiting) next.aside |= 1 << record;
    instance.stopped |= 1 << session;
    instance.tenures[key] = undefined;
  });
}

/** May a journal's records be written there: behind the one that they were written after, over nothing else? */
export function fits(
  state: State,
  world: World,
  cells: readonly number[],
  { offset, records }: Pick<Entry, "offset" | "records">,
): boolean {
  const { replayChecksPrefix, replaySparesOthers } = world.rules;
  const after = at(state.issued, at(records, 0) - 1).after;
  if (replayChecksPrefix && offset > 0 && cells[offset - 1] !== after) return false;
  if (!replaySparesOthers) return true;
  return records.every((record, index) => {
    const there = cells[offset + index] ?? HOLE;
    return there === HOLE || there === record;
  });
}

/** Is every one of these records in the file, or kept aside? */
export function isKept({ aside }: State, cells: readonly number[], entries: readonly Entry[]): boolean {
  return entries.every(({ offset, records }) =>
    records.every((record, index) => cells[offset + index] === record || (aside & (1 << record)) !== 0),
  );
}

/** Not read, and not lost: kept aside, or in the journal of an instance that still has to deal with it. */
export function keptElsewhere(
  state: State,
  world: World,
  session: number,
  plans: readonly (readonly ReplayOf[])[],
): number {
  let kept = state.aside | state.excused;
  if (world.bounds.putBacks === 0) return kept;
  for (const { tenures, commit } of state.instances) {
    for (const tenure of tenures)
      if (tenure?.session === session && isChanged(state, world, tenure))
        for (const record of tenure.waiting) kept |= 1 << record;
    for (const { records } of commit?.entries ?? []) for (const record of records) kept |= 1 << record;
  }
  for (const plan of plans)
    for (const replay of plan)
      if (replay.session === session)
        for (const { records } of replay.entries) for (const record of records) kept |= 1 << record;
  return kept;
}
