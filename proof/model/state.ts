/**
 * One state of the world: the disk as it is seen and as it would survive, the instances, and what was promised to whom.
 * Plain numbers and arrays, since millions of states are made. A record is one cell of a session file and one slot of a
 * journal; a batch takes two of both.
 */

import type { Budget } from "./bounds.ts";
import type { World } from "./worlds.ts";

/** A cell that was never written, or did not survive. */
export const HOLE = -1;
/** A slot of a journal, or a copy of its head, that holds neither its old nor its new bytes. */
export const GARBAGE = -2;
/** No file, no session, no instance. */
export const NONE = -1;

/** What is on the disk of a cell: as seen; not synced, over old bytes; not synced, in new space; lost by a failed sync. */
export const CLEAN = 0;
export const DIRTY = 1;
export const DIRTY_NEW = 3;
export const DOOMED = 2;

export interface ChainLink {
  readonly number: number;
  readonly cells: number;
}

/** A header: seen, durable, lost by a failed sync. */
export const HEADER_SEEN = 1;
export const HEADER_DURABLE = 2;
export const HEADER_DOOMED = 4;
export const WHOLE_HEADER = 3;

/** An inode. Its header never changes; unless creation goes through the journal, it is durable before it has a name. */
export interface SessionFile {
  header: number;
  readonly session: number;
  /** How many files of this session were sealed before it. */
  readonly number: number;
  readonly chain: readonly ChainLink[];
  /** Record numbers, as seen. */
  readonly cells: number[];
  readonly durable: number[];
  /** CLEAN and so on, for each cell that is seen. */
  readonly marks: number[];
}

/** Done or not done at a power loss, as a whole. Durable when its directory is synced. */
export interface NameChange {
  readonly directory: number;
  /** Name, file; NONE: the name goes. */
  readonly edits: readonly (readonly [number, number])[];
  /** A sync of it has failed, in a world where that is for ever. */
  readonly doomed: boolean;
}

/** The place and the contents of what one append has put into a block. */
export interface Entry {
  readonly key: number;
  readonly session: number;
  readonly file: number;
  readonly offset: number;
  readonly records: readonly number[];
  /** It carries the session's header: applying it makes the file. */
  readonly creates: boolean;
}

export interface Block {
  readonly generation: number;
  readonly number: number;
  readonly size: number;
  readonly entries: readonly Entry[];
}

/** Nothing, garbage, the beginning of a block, or the end of one. */
export type Slot = 0 | typeof GARBAGE | Block | { readonly endOf: Block };

export interface Journal {
  named: number;
  durablyNamed: number;
  /** Two copies: a generation, 0 for blank, or GARBAGE. */
  readonly heads: number[];
  readonly durableHeads: number[];
  readonly slots: Slot[];
  readonly durableSlots: Slot[];
  /** What a failed sync has lost for ever: 1 and 2 a copy of the head, 4 the slots. */
  doomed: number;
}

export type Status = number;
export const UNBORN = 0;
export const RUNNING = 1;
export const DEAD = 2;
/** Its process lives, but the outcome of something is unknown, or it found that it was taken over: it has stopped. */
export const FAILED = 3;
export const CLOSED = 4;
export const OPENING = 5;
/** It has its mark and no journal yet, or the other way round. */
export const BEGINNING = 6;

/** What an instance knows of a session while it holds the lease. */
export interface Tenure {
  session: number;
  file: number;
  /** 1: file and name are durable, records may be journaled. */
  ready: number;
  /** So many cells are synced. */
  synced: number;
  /** Where the next record goes. */
  next: number;
  /** The last record, 0 for none. */
  last: number;
  /** Acknowledged and not yet known to be synced, from cell `synced` on; the first `landed` of them are in the file. */
  waiting: readonly number[];
  landed: number;
  /** How far the file is made: one of the constants below. */
  made: number;
  /** With two halves: so many of those that wait are covered by the older one; so many are being synced. */
  old: number;
  syncing: number;
}

/** The session is in the journal only, or not yet there; its file has a name; its header is written; it is synced. */
export const UNMADE = 0;
export const NAMED = 1;
export const HEADED = 2;
export const MADE = 3;

/** A block, or with the rule off several, on its way. */
export interface Commit {
  readonly stage: "written" | "synced" | "looked";
  readonly blocks: number;
  readonly entries: readonly Entry[];
}

export interface Task {
  readonly kind: "take" | "release" | "seal" | "move" | "purge" | "fork" | "close";
  readonly key: number;
  readonly phase: number;
  /** Fork: the child's session; move and purge: the session. */
  readonly session: number;
  /** Move: to which place. */
  readonly to: number;
}

/** Takeover of `dead`: which records of which session are to be put at their places. */
export interface Adoption {
  readonly dead: number;
  readonly phase:
    | "gate"
    | "read"
    | "copy"
    | "names"
    | "seek"
    | "make"
    | "cut"
    | "land"
    | "sync"
    | "empty"
    | "emptied"
    | "empty other"
    | "emptied other"
    | "unlink";
  readonly plan: readonly ReplayOf[];
  readonly at: number;
  /** What the head said when it was read; 0: it was not readable. */
  readonly generation: number;
}

export interface ReplayOf {
  readonly session: number;
  readonly entries: readonly Entry[];
}

export interface Instance {
  status: Status;
  readonly tenures: (Tenure | undefined)[];
  /** What a tenure left behind, for a rule that is turned off. */
  readonly remembered: (Tenure | undefined)[];
  generation: number;
  nextBlock: number;
  nextSlot: number;
  commit: Commit | undefined;
  task: Task | undefined;
  adoption: Adoption | undefined;
  /** It has changed names that it has not synced since. */
  owesNames: number;
  /** ... and the older half of its journal covers them. */
  owesOldNames: number;
  /** 1: it has looked whether it was taken over, found that it was not, and is about to change a name. */
  looked: number;
  /** Bits of sessions whose file was changed under it: it writes to them no more. */
  stopped: number;
}

export interface Issued {
  readonly session: number;
  /** The record it was appended after, 0 for none. */
  readonly after: number;
  /** The batch goes on with the next record. */
  readonly goesOn: boolean;
}

/** A reader between its two looks. */
export interface Reading {
  readonly owed: number;
  readonly plans: readonly (readonly ReplayOf[])[] | undefined;
  readonly cells: readonly (readonly [number, readonly number[]] | undefined)[] | undefined;
}

export const ACTIVE = 0;
export const ARCHIVED = 1;
export const TRASHED = 2;
export const PURGED = 3;

/** A session as it was asked for. */
export interface SessionStory {
  readonly key: number;
  /** What a fork begins with. */
  readonly inherited: readonly number[];
  /** The places it may be in: a bit for each; more than one while a move is not answered. */
  places: number;
  /** 1: its creation by fork was answered. */
  forked: number;
  /** Whose stub of it there may be: it is, or was, being made by a fork or removed for good. */
  stubOf: number;
}

export interface State {
  names: number[];
  durableNames: number[];
  nameChanges: NameChange[];
  readonly files: SessionFile[];
  readonly sessions: SessionStory[];
  readonly journals: Journal[];
  /** The holder of each key. One whose holder has no journal is free, and is written down as such at once. */
  readonly leases: number[];
  readonly instances: Instance[];
  /** Who adopts each instance. */
  readonly locks: number[];
  readonly fences: number[];
  /** 1: a takeover has removed its gate. */
  readonly gates: number[];
  /** 1: it lives and is held for dead. */
  readonly mistaken: number[];
  reading: Reading | undefined;
  issued: readonly Issued[];
  /** Bits of records: answered, returned by a reader, refused for lack of space. */
  acknowledged: number;
  returned: number;
  refused: number;
  /** Kept aside, durably: reported, and a repair can put them back. */
  aside: number;
  /** Synced in a file that another program has replaced by an older one: no longer the store's to keep. */
  excused: number;
  readonly left: Budget;
  /** What a step itself has found to be broken. */
  violation: string;
}

export function initialState({ bounds }: World): State {
  const { keys, sessions, instances, slots } = bounds;
  const fill = (count: number, value: number): number[] => Array.from({ length: count }, () => value);
  return {
    names: fill(nameCount(keys, sessions), NONE),
    durableNames: fill(nameCount(keys, sessions), NONE),
    nameChanges: [],
    files: [],
    sessions: [],
    journals: Array.from({ length: instances }, () => newJournal(slots)),
    leases: fill(keys, NONE),
    instances: Array.from({ length: instances }, () => newInstance(UNBORN, keys)),
    locks: fill(instances, NONE),
    fences: fill(instances, 0),
    gates: fill(instances, 0),
    mistaken: fill(instances, 0),
    reading: undefined,
    issued: [],
    acknowledged: 0,
    returned: 0,
    refused: 0,
    aside: 0,
    excused: 0,
    left: { ...bounds },
    violation: "",
  };
}

/** An active name for each key; for each session: archived, trashed, noted as removed, stub, and two sealed files. disk.ts counts them. */
export const NAMES_OF_A_SESSION = 6;

function nameCount(keys: number, sessions: number): number {
  return keys + sessions * NAMES_OF_A_SESSION;
}

export function newJournal(slots: number): Journal {
  const empty = (): Slot[] => Array.from({ length: slots }, () => 0);
  return {
    named: 0,
    durablyNamed: 0,
    heads: [0, 0],
    durableHeads: [0, 0],
    slots: empty(),
    durableSlots: empty(),
    doomed: 0,
  };
}

export function newInstance(status: Status, keys: number): Instance {
  const none = (): (Tenure | undefined)[] => Array.from({ length: keys }, () => undefined);
  return {
    status,
    tenures: none(),
    remembered: none(),
    generation: 1,
    nextBlock: 1,
    nextSlot: 0,
    commit: undefined,
    task: undefined,
    adoption: undefined,
    owesNames: 0,
    owesOldNames: 0,
    looked: 0,
    stopped: 0,
  };
}

/** What changes in place is copied; what is only ever replaced is shared. */
export function cloneState(state: State): State {
  return {
    ...state,
    names: [...state.names],
    durableNames: [...state.durableNames],
    nameChanges: [...state.nameChanges],
    files: state.files.map((file) => ({
      ...file,
      cells: [...file.cells],
      durable: [...file.durable],
      marks: [...file.marks],
    })),
    sessions: state.sessions.map((session) => ({ ...session })),
    journals: state.journals.map((journal) => ({
      ...journal,
      heads: [...journal.heads],
      durableHeads: [...journal.durableHeads],
      slots: [...journal.slots],
      durableSlots: [...journal.durableSlots],
    })),
    leases: [...state.leases],
    instances: state.instances.map((instance) => ({
      ...instance,
      tenures: instance.tenures.map((tenure) => tenure && { ...tenure }),
      remembered: [...instance.remembered],
    })),
    locks: [...state.locks],
    fences: [...state.fences],
    gates: [...state.gates],
    mistaken: [...state.mistaken],
    left: { ...state.left },
  };
}

/** For an index that is known to be there. */
export function at<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new Error(`the model has nothing at ${index}`);
  return value;
}

export function isAlive(status: Status): boolean {
  return status === RUNNING || status === OPENING || status === BEGINNING;
}

const LETTERS = "ABCDE";

export function letterOf(instance: number): string {
  return LETTERS.charAt(instance);
}

/** It ends, with all that it knew. Marks and locks that nobody would look at any more go, so that equal states are equal. */
export function endInstance(state: State, index: number, status: Status): void {
  state.instances[index] = newInstance(status, state.leases.length);
  state.fences[index] = 0;
  state.gates[index] = 0;
  if (status === DEAD) state.mistaken[index] = 0;
  for (const [dead, holder] of state.locks.entries()) if (holder === index) state.locks[dead] = NONE;
}
