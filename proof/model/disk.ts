/**
 * Session files and names on a disk that keeps nothing before it is synced. What power-loss.ts may take back is what the
 * functions here leave as dirty, doomed or pending.
 */

import {
  at,
  CLEAN,
  DIRTY,
  DIRTY_NEW,
  DOOMED,
  HEADER_DOOMED,
  HEADER_SEEN,
  HOLE,
  NAMES_OF_A_SESSION,
  NONE,
  type NameChange,
  type SessionFile,
  type State,
  WHOLE_HEADER,
} from "./state.ts";
import type { World } from "./worlds.ts";

// Session files

export function newFile(session: number, number: number, chain: SessionFile["chain"]): SessionFile {
  return { header: WHOLE_HEADER, session, number, chain, cells: [], durable: [], marks: [] };
}

/** Writes records at their place, over what is there. A file that ends before grows by holes. */
export function writeCells(file: SessionFile, offset: number, records: readonly number[]): void {
  while (file.cells.length < offset) {
    file.marks.push(DIRTY_NEW);
    file.cells.push(HOLE);
  }
  for (const [index, record] of records.entries()) {
    const place = offset + index;
    const isNew = place >= file.cells.length || file.marks[place] === DIRTY_NEW;
    file.marks[place] = isNew ? DIRTY_NEW : DIRTY;
    file.cells[place] = record;
  }
}

/** The same, but the last record got in only in part: unless it was there already, nobody can read it. */
export function writeCellsShort(file: SessionFile, offset: number, records: readonly number[]): void {
  const last = offset + records.length - 1;
  const isThere = file.cells[last] === records.at(-1);
  writeCells(file, offset, isThere ? records : [...records.slice(0, -1), HOLE]);
}

export function cutCells(file: SessionFile, length: number): void {
  if (file.cells.length <= length) return;
  file.cells.length = length;
  file.marks.length = length;
}

export function syncFile(file: SessionFile): void {
  syncFileUpTo(file, file.cells.length);
}

/** What lies behind was written after the sync began: a power loss may take it back. */
export function syncFileUpTo(file: SessionFile, end: number): void {
  for (const [place, mark] of file.marks.entries()) {
    if (place >= end) continue;
    if (mark === DIRTY || mark === DIRTY_NEW) {
      file.durable[place] = at(file.cells, place);
      file.marks[place] = CLEAN;
    } else if (mark === DOOMED && place >= file.durable.length) {
      file.durable[place] = HOLE;
    }
  }
  if (end >= file.cells.length) file.durable.length = file.cells.length;
  if (file.header === HEADER_SEEN) file.header = WHOLE_HEADER;
}

/** What it should have kept reads well and is never saved by a later sync. Written again, it is new. */
export function failFileSync(file: SessionFile): void {
  for (const [place, mark] of file.marks.entries()) if (mark !== CLEAN) file.marks[place] = DOOMED;
  if (file.header === HEADER_SEEN) file.header |= HEADER_DOOMED;
}

// Names

/** Where session files lie: active, archived, trashed. Renames between them are atomic and one sync keeps all. */
export const SESSION_NAMES = 0;
/** The notes of what was removed for good. */
export const NOTES = 1;
/** The sealed files of one session. */
export function segmentsOf(session: number): number {
  return 2 + session;
}

/** The key's active file. */
export function activeName(key: number): number {
  return key;
}

/** `place`: ARCHIVED or TRASHED. */
export function putAwayName(world: World, session: number, place: number): number {
  return world.bounds.keys + session * NAMES_OF_A_SESSION + place - 1;
}

/** What a note's name stands for: it is no session file. */
export const NOTE = -3;

export function noteName(world: World, session: number): number {
  return world.bounds.keys + session * NAMES_OF_A_SESSION + 2;
}

/** A session that is being made by a fork, or removed for good: its file under a temporary name. */
export function stubName(world: World, session: number): number {
  return world.bounds.keys + session * NAMES_OF_A_SESSION + 3;
}

export function sealedName(world: World, session: number, number: number): number {
  return world.bounds.keys + session * NAMES_OF_A_SESSION + 4 + number;
}

export const SEALED_NAMES = 2;

export function changeNames(state: State, directory: number, edits: NameChange["edits"]): void {
  for (const [name, file] of edits) state.names[name] = file;
  state.nameChanges.push({ directory, edits, doomed: false });
}

/** One that a failed sync has lost stays lost: in a world where that is so, it is never durable. */
export function syncNames(state: State, directory: number): void {
  const pending: NameChange[] = [];
  for (const change of state.nameChanges) {
    if (change.directory !== directory || change.doomed) pending.push(change);
    else for (const [name, file] of change.edits) state.durableNames[name] = file;
  }
  state.nameChanges = pending;
}

export function hasUnsyncedNames(state: State, directory: number): boolean {
  return state.nameChanges.some((change) => change.directory === directory);
}

export function failNameSync(state: State, world: World, directory: number): void {
  if (!world.bounds.namesStayLost) return;
  state.nameChanges = state.nameChanges.map((change) =>
    change.directory === directory ? { ...change, doomed: true } : change,
  );
}

/** Nobody can tell whose file it is: it was just made, or a power loss took its header. */
export function isHeadless(state: State, file: number): boolean {
  return file !== NONE && (at(state.files, file).header & HEADER_SEEN) === 0;
}

/** The file of a session, by the id in its header, wherever it is. NONE: there is none. */
export function findFile(state: State, world: World, session: number): number {
  const key = state.sessions[session]?.key ?? 0;
  const active = at(state.names, activeName(key));
  if (active !== NONE && at(state.files, active).session === session && !isHeadless(state, active))
    return active;
  const archived = at(state.names, putAwayName(world, session, 1));
  return archived === NONE ? at(state.names, putAwayName(world, session, 2)) : archived;
}
