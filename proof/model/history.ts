/** A session as somebody reads it: the sealed parts of its chain, its file, and what has not landed laid over it. */

import { findFile, newFile, sealedName } from "./disk.ts";
import { isCreatedIn, isRemoved } from "./creation.ts";
import { entriesFor, ownerOf } from "./journal.ts";
import { fits, isChanged } from "./put-back.ts";
import { at, HEADED, HOLE, NONE, type ReplayOf, type SessionFile, type State } from "./state.ts";
import type { World } from "./worlds.ts";

/** The records that a reader of this state gets, in order. `undefined`: the session has no file. */
export function historyOf(
  state: State,
  world: World,
  session: number,
  plans: readonly (readonly ReplayOf[])[],
): readonly number[] | undefined {
  const index = findFile(state, world, session);
  if (index === NONE) return journaledHistory(state, world, session, plans);
  const file = at(state.files, index);
  const owner = ownerOf(state, world, session);
  const tenure =
    owner === NONE ? undefined : state.instances[owner]?.tenures.find((one) => one?.file === index);
  const cells =
    tenure === undefined || isChanged(state, world, tenure)
      ? overlay(state, world, file.cells, file, plans)
      : [...file.cells.slice(0, tenure.synced), ...tenure.waiting];
  return readable(state, world, file, cells);
}

/** Of a session that is in a journal and not in a file yet. */
function journaledHistory(
  state: State,
  world: World,
  session: number,
  plans: readonly (readonly ReplayOf[])[],
): readonly number[] | undefined {
  if (!world.bounds.journaledCreates) return undefined;
  const file = newFile(session, 0, []);
  const owner = ownerOf(state, world, session);
  if (owner !== NONE) {
    const tenure = at(state.instances, owner).tenures.find((one) => one?.session === session);
    const isWaiting = tenure !== undefined && tenure.made < HEADED && tenure.waiting.length > 0;
    return isWaiting ? readable(state, world, file, tenure.waiting) : undefined;
  }
  if (isRemoved(state, world, session) || !isCreatedIn(world, plans, session)) return undefined;
  return readable(state, world, file, overlay(state, world, [], file, plans));
}

/** The file with the records of these journals laid over it, in memory. */
export function overlay(
  state: State,
  world: World,
  seen: readonly number[],
  { session, number }: SessionFile,
  plans: readonly (readonly ReplayOf[])[],
): readonly number[] {
  const cells = [...seen];
  for (const plan of plans) {
    const own = plan.find((replay) => replay.session === session);
    for (const { offset, records } of entriesFor(world, own?.entries ?? [], number)) {
      if (!fits(state, world, cells, { offset, records })) continue;
      while (cells.length < offset) cells.push(HOLE);
      for (const [index, record] of records.entries()) cells[offset + index] = record;
    }
  }
  return cells;
}

/**
 * With the sealed parts before it. What ends in the middle of a record or of a batch ends before it; a hole with records
 * behind it stays in, since that is served with a report of damage.
 */
export function readable(
  state: State,
  world: World,
  { session, chain }: SessionFile,
  cells: readonly number[],
): readonly number[] {
  const history: number[] = [];
  for (const { number, cells: length } of chain) {
    const sealed = state.names[sealedName(world, session, number)] ?? NONE;
    const part = sealed === NONE ? [] : at(state.files, sealed).cells;
    if (world.rules.forkIsBounded) for (let cell = 0; cell < length; cell++) history.push(part[cell] ?? HOLE);
    else history.push(...part);
  }
  history.push(...cells);
  dropTorn(state, history);
  return history;
}

/** Holes at the end, and a batch whose last record is not there. */
export function dropTorn({ issued }: State, records: number[]): void {
  for (let last = records.at(-1); last !== undefined; last = records.at(-1)) {
    if (last !== HOLE && issued[last - 1]?.goesOn !== true) return;
    records.pop();
  }
}
