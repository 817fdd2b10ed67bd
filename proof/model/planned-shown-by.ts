/** For the rules of the planned protocol, what shown-by.ts has for the others. */

import type { PlannedRules } from "./planned-rules.ts";

export const PLANNED_SHOWN_BY: Readonly<Partial<Record<keyof PlannedRules, string>>> = {
  makeAfterCommit: "create",
  makeExclusive: "createForeign",
  makeGated: "createMistakenDelete",
  recovererFenced: "createMistakenRecoverer",
  rewriteHeader: "createFailedSync",
  recycleSyncsMade: "createRecycle",
  replayMakesFiles: "create",
  replayHeedsNotes: "createPurge",
  lookIsSettled: "createMoves",
  replayTakesHeadless: "create",
  replaySyncsMade: "create",
  readerSeesJournaled: "create",
  markBeforeJournal: "aliveMistakenCut",
  absenceIsNoProof: "aliveLost",
  replayReadsBothHalves: "halves",
  halvesInOrder: "halves",
  syncCountsFromStart: "halves",
  rewriteBothHalves: "halvesFailed",
};

export const PLANNED_OPTIONAL: Readonly<Partial<Record<keyof PlannedRules, string>>> = {
  emptyFarAhead:
    "all that a closed instance has journaled is synced, and replaying it does no harm; it keeps the journal empty",
  barrierSyncsMade:
    "the rename's own sync makes both name changes durable, and until then replay makes the file again; the second line",
};
