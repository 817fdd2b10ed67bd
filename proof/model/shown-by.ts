/** The world in which a rule's absence shows; the smallest one, as a rule. */

import type { Rule } from "./rules.ts";

export const SHOWN_BY: Readonly<Partial<Record<Rule, string>>> = {
  openerAdoptsFirst: "append",
  journalNameSynced: "append",
  leaseByNumber: "append",
  tenureForgets: "release",
  onlyTheDead: "append",
  releaseSettles: "release",
  syncBeforeAnswer: "append",
  oneInFlight: "append",
  fenceCheck: "mistaken",
  shortBlockNoticed: "short",
  shortBlockOverwritten: "short",
  recordsNameIds: "purge",
  recordsNameFiles: "seal",
  failedJournalStops: "failedSync",
  failedDeclaresItself: "failedSync",
  landAfterCommit: "reader",
  landAtOffset: "short",
  rewriteAfterFailedSync: "failedSync",
  recycleAfterSync: "recycle",
  headSynced: "recycle",
  headHasTwoCopies: "close",
  blocksNameGeneration: "recycle",
  failedHeadStops: "failedHead",
  createSyncsName: "append",
  failedNamesStop: "failedNames",
  barrierSettles: "seal",
  sealedNameSynced: "seal",
  sealSyncsNames: "seal",
  putAwaySyncsNames: "delete",
  forkedNamesSynced: "fork",
  forkSyncsName: "fork",
  forkIsBounded: "fork",
  purgeNoted: "purgeKill",
  purgeSyncsNames: "purgeSealed",
  purgeSyncsStub: "purge",
  purgeSparesForks: "forkDelete",
  leftoversProven: "fork",
  adoptionLock: "mistaken",
  fenceFirst: "mistaken",
  deadJournalSynced: "reader",
  deadJournalCopied: "failedSync",
  adoptionSyncsNames: "delete",
  adoptionIsWhole: "twoKeys",
  adoptionSyncsFiles: "append",
  emptiedFirst: "mistakenCut",
  emptiedInBothCopies: "mistakenRecycle",
  leasesFreeLast: "takeover",
  replaySkipsNothing: "append",
  replayCutsNothing: "release",
  readerJournalsFirst: "reader",
};

/** Nothing breaks within the bounds without one of these alone; why each is kept. */
export const OPTIONAL: Readonly<Partial<Record<Rule, string>>> = {
  releaseSyncsNames:
    "every operation syncs its names before it is answered, so that nothing is owed then; the second line",
  createSyncsFirst:
    "for the same reason: whoever held the key before has synced its names, or his adopter has",
  openSyncsFile:
    "what was landed is synced by its holder or his adopter; this keeps what opening itself has cut",
};
