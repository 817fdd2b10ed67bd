/** Worlds of the planned protocol. `worlds.ts` adds them to its own. */

import type { WorldTable } from "./bounds.ts";

function creating(table: WorldTable): WorldTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, bounds]) => [name, { ...bounds, journaledCreates: true }]),
  );
}

function inHalves(table: WorldTable): WorldTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, bounds]) => [name, { ...bounds, halves: true }]),
  );
}

export const PLANNED_SMALL: WorldTable = {
  ...creating({
    create: { sessions: 2, slots: 3 },
    createTakeover: { instances: 3, kills: 2, powerLosses: 0 },
    createRelease: { sessions: 2, releases: 1, slots: 3 },
    createRecycle: { records: 3, batches: 1 },
    createSeal: { seals: 1, slots: 3 },
    createDelete: { sessions: 2, deletes: 1, releases: 1 },
    createArchive: { sessions: 2, archives: 1, restores: 1, releases: 1, kills: 0 },
    createPurge: { sessions: 2, deletes: 1, purges: 1, releases: 1, kills: 0 },
    createPurgeKill: { sessions: 2, deletes: 1, purges: 1, releases: 1, powerLosses: 0 },
    createMoves: { instances: 3, records: 1, releases: 1, archives: 2, restores: 1, powerLosses: 0 },
    createClose: { closes: 1, releases: 1, kills: 0 },
    createRead: { reads: 1 },
    createShort: { shortWrites: 1, batches: 1, powerLosses: 0 },
    createFailedSync: { failedSyncs: 1 },
    createFailedNames: { sessions: 2, failedDirectorySyncs: 1, releases: 1, kills: 0 },
    createKeys: { keys: 2, sessions: 2, kills: 0, slots: 2 },
    createForeign: { putBacks: 1, sessions: 2, slots: 3 },
    deferred: { putBacks: 1, records: 3, slots: 3, powerLosses: 0 },
    createMistaken: { instances: 3, mistakes: 1, kills: 0, powerLosses: 0 },
    createMistakenCut: { mistakes: 1, kills: 0 },
    createMistakenDelete: { mistakes: 1, deletes: 1, records: 1, kills: 0 },
    createMistakenSeal: { mistakes: 1, seals: 1, kills: 0 },
    aliveMistaken: { aliveMark: true, instances: 3, mistakes: 1, kills: 0, powerLosses: 0 },
    aliveMistakenCut: { aliveMark: true, mistakes: 1, kills: 0 },
  }),
  ...inHalves({
    halves: { records: 4 },
    halvesBatch: { records: 4, batches: 1, slots: 4, kills: 0 },
    halvesFailed: { records: 3, failedSyncs: 1, kills: 0 },
    halvesKillFailed: { records: 3, failedSyncs: 1, powerLosses: 0 },
    halvesRelease: { records: 3, releases: 1 },
    halvesSeal: { records: 3, seals: 1, kills: 0 },
    halvesClose: { records: 3, closes: 1 },
    halvesRead: { records: 3, reads: 1, powerLosses: 0 },
    halvesMistaken: { records: 3, mistakes: 1, kills: 0, powerLosses: 0 },
    halvesMistakenCut: { records: 3, mistakes: 1, kills: 0 },
    halvesMistakenSeal: { mistakes: 1, seals: 1, kills: 0, powerLosses: 0 },
    halvesPutBack: { records: 3, putBacks: 1, powerLosses: 0 },
    halvesCreate: { records: 3, sessions: 2, journaledCreates: true },
    halvesCreateKeys: { records: 3, keys: 2, sessions: 2, kills: 0, instances: 1, journaledCreates: true },
    halvesCreateFailed: { records: 3, failedSyncs: 1, kills: 0, journaledCreates: true },
  }),
  alive: { aliveMark: true, slots: 3 },
  aliveClose: { aliveMark: true, closes: 1 },
  aliveFailed: { aliveMark: true, failedSyncs: 1 },
  aliveLost: { aliveMark: true, lostMarks: 1, slots: 3 },
  aliveMistakenSeal: { aliveMark: true, mistakes: 1, seals: 1, kills: 0, powerLosses: 0 },
};

export const PLANNED_DEEP: WorldTable = {
  ...creating({
    createMistakenRecoverer: { instances: 3, mistakes: 1, archives: 1, records: 1, powerLosses: 0 },
    createTwice: { instances: 3, powerLosses: 2 },
    createHandOver: { instances: 3, sessions: 2, releases: 1, kills: 2 },
    createKeysDeep: { keys: 2, sessions: 2 },
    createForkKill: { keys: 2, sessions: 2, forks: 1, powerLosses: 0 },
    createDeleteDeep: { instances: 3, sessions: 2, deletes: 1, releases: 1 },
    createPutBack: { putBacks: 1, slots: 3, records: 3 },
    createReadDeep: { instances: 3, reads: 2 },
    aliveMistakenDeep: { aliveMark: true, instances: 3, mistakes: 1, kills: 0, lostMarks: 1 },
  }),
  ...inHalves({
    halvesKeys: { records: 3, keys: 2, sessions: 2, kills: 0 },
    halvesDeep: { instances: 3, records: 4, batches: 1, slots: 4 },
    halvesFailedDeep: { records: 4, failedSyncs: 2 },
    halvesCreateDeep: { records: 4, sessions: 2, deletes: 1, releases: 1, journaledCreates: true },
    allPlans: { records: 3, sessions: 2, releases: 1, journaledCreates: true, aliveMark: true },
  }),
  aliveLostDeep: { aliveMark: true, instances: 3, lostMarks: 1, kills: 2 },
};

export const PLANNED_WIDE: WorldTable = {
  ...creating({
    widePlanned: {
      keys: 2,
      sessions: 5,
      instances: 5,
      slots: 6,
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
      forks: 1,
      closes: 1,
      reads: 3,
      halves: true,
      aliveMark: true,
    },
  }),
};
