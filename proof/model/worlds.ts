/** The worlds. Each of the small ones is searched completely. */

import { SMALLEST, type Bounds, type WorldTable } from "./bounds.ts";
import { PLANNED_DEEP, PLANNED_SMALL, PLANNED_WIDE } from "./planned-worlds.ts";
import { RULES, type Rules } from "./rules.ts";

export interface World {
  readonly bounds: Bounds;
  readonly rules: Rules;
}

/** Searched by the gate. */
export const SMALL: WorldTable = {
  append: { sessions: 2, slots: 3 },
  twice: { instances: 3, powerLosses: 2 },
  takeover: { instances: 3, kills: 2, powerLosses: 0, slots: 3 },
  release: { releases: 1, slots: 3 },
  return: { records: 3, releases: 2, powerLosses: 0, slots: 3 },
  recycle: { records: 4, batches: 1 },
  seal: { seals: 1, slots: 3 },
  sealRelease: { seals: 1, releases: 1 },
  sealClose: { seals: 1, closes: 1 },
  close: { closes: 1, slots: 3 },
  failedSync: { failedSyncs: 1, batches: 1 },
  failedHead: { records: 3, failedSyncs: 1, kills: 0 },
  failedNames: { failedDirectorySyncs: 1, seals: 1, kills: 0 },
  short: { shortWrites: 1, batches: 1 },
  reader: { reads: 1 },
  twoKeys: { keys: 2, sessions: 2, powerLosses: 0 },
  delete: { sessions: 2, deletes: 1 },
  deleteRelease: { sessions: 2, deletes: 1, releases: 1, kills: 0 },
  archive: { archives: 1, restores: 1 },
  purge: { sessions: 2, deletes: 1, purges: 1, kills: 0 },
  purgeKill: { sessions: 1, deletes: 1, purges: 1, restores: 1, powerLosses: 0 },
  purgeSealed: { records: 1, seals: 1, deletes: 1, purges: 1, kills: 0 },
  purgeRelease: { records: 1, releases: 1, deletes: 1, purges: 1, powerLosses: 0 },
  fork: { keys: 2, sessions: 2, forks: 1, kills: 0 },
  forkKill: { keys: 2, sessions: 2, forks: 1, powerLosses: 0 },
  forkDelete: { keys: 2, sessions: 2, instances: 1, records: 1, forks: 1, deletes: 1, purges: 1, kills: 0 },
  putBack: { putBacks: 1, slots: 3, records: 3 },
  putBackRelease: { putBacks: 1, releases: 1, slots: 3, records: 3, powerLosses: 0 },
  putBackRecycle: { putBacks: 1, records: 3, powerLosses: 0 },
  putBackRead: { putBacks: 1, reads: 1, powerLosses: 0 },
  mistaken: { instances: 3, mistakes: 1, kills: 0, powerLosses: 0 },
  mistakenCut: { mistakes: 1, kills: 0 },
  mistakenSeal: { mistakes: 1, seals: 1, kills: 0, powerLosses: 0 },
  mistakenDelete: { mistakes: 1, sessions: 2, deletes: 1, kills: 0, powerLosses: 0 },
  mistakenRecycle: { mistakes: 1, kills: 0, records: 3, slots: 1 },
  ...PLANNED_SMALL,
};

/** Searched in a long run. */
export const DEEP: WorldTable = {
  mistakenKill: { instances: 3, mistakes: 1, powerLosses: 0 },
  mistakenDeep: { instances: 3, mistakes: 1, kills: 0 },
  mistakenFork: { keys: 2, sessions: 2, forks: 1, mistakes: 1, kills: 0, powerLosses: 0 },
  mistakenSealCut: { mistakes: 1, seals: 1, kills: 0 },
  handOver: { instances: 3, releases: 1, kills: 2 },
  deleteDeep: { instances: 3, sessions: 2, deletes: 1, releases: 1 },
  sealDeep: { instances: 3, records: 3, seals: 1 },
  failDeep: { instances: 3, failedSyncs: 2 },
  namesDeep: { instances: 3, sessions: 2, failedDirectorySyncs: 1, deletes: 1 },
  shortDeep: { instances: 3, shortWrites: 2, batches: 1 },
  recycleDeep: { instances: 3, records: 3, batches: 1 },
  keysDeep: { keys: 2, sessions: 2, records: 3 },
  closeDeep: { instances: 3, closes: 1, releases: 1 },
  readDeep: { instances: 3, reads: 2 },
  archiveDeep: { instances: 3, sessions: 2, archives: 1, restores: 1 },
  purgeDeep: { instances: 3, sessions: 2, deletes: 1, purges: 1 },
  forkDeep: { keys: 2, sessions: 2, forks: 1, deletes: 1, purges: 1 },
  putBackDeep: { instances: 3, putBacks: 1, releases: 1, records: 3, slots: 3 },
  putBackTwice: { instances: 3, putBacks: 2, releases: 1, slots: 3, powerLosses: 0 },
  forkSeal: { keys: 2, sessions: 2, records: 3, forks: 1, seals: 1, kills: 0 },
  ...PLANNED_DEEP,
};

/** Too large to be searched: a long run walks through them by chance, when it has searched the others. */
export const WIDE: WorldTable = {
  wideFailing: {
    keys: 2,
    sessions: 4,
    instances: 5,
    slots: 3,
    records: 9,
    batches: 2,
    kills: 2,
    powerLosses: 2,
    failedSyncs: 2,
    failedDirectorySyncs: 1,
    shortWrites: 2,
    releases: 3,
    seals: 2,
    archives: 2,
    deletes: 2,
    restores: 2,
    purges: 2,
    forks: 2,
    closes: 1,
  },
  wideReading: {
    keys: 2,
    sessions: 4,
    instances: 5,
    slots: 3,
    records: 9,
    batches: 2,
    kills: 3,
    powerLosses: 3,
    shortWrites: 2,
    releases: 4,
    seals: 2,
    archives: 2,
    deletes: 2,
    restores: 2,
    purges: 2,
    forks: 2,
    closes: 1,
    reads: 4,
  },
  ...PLANNED_WIDE,
};

/** Known to break: what is not promised. Each must be found broken, or this table is no longer true. */
export const LIMITS: WorldTable = {
  /** The instance stops, but whoever takes it over cannot know which of the names that it sees are lost. */
  namesStayLost: { failedDirectorySyncs: 1, kills: 0, namesStayLost: true },
  /** A reader may return what a failed sync of the journal has lost, until an adopter has landed it. */
  readAfterFailure: { failedSyncs: 1, reads: 1, kills: 0 },
};

const ALL: WorldTable = { ...SMALL, ...DEEP, ...WIDE, ...LIMITS };

export function worldOf(name: string, rules: Rules = RULES): World {
  const bounds = ALL[name];
  if (bounds === undefined) throw new Error(`there is no world ${name}`);
  return { bounds: { ...SMALLEST, ...bounds }, rules };
}
