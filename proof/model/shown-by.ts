/** The world in which a rule's absence shows; the smallest one, as a rule. */

import { PLANNED_OPTIONAL, PLANNED_SHOWN_BY } from "./planned-shown-by.ts";
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
  gate: "mistakenSeal",
  gateFirst: "mistakenCut",
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
  // In the world mistaken, replaySparesOthers keeps a second adopter from writing over what came after the first.
  adoptionLock: "twice",
  // With the gate, the answer rests on the gate alone; the fence is a proof of death, and tells an opening that it was too late.
  fenceFirst: "aliveMistakenSeal",
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
  applyLooks: "putBack",
  changeKeepsAside: "putBack",
  replayChecksPrefix: "putBack",
  replaySparesOthers: "putBackRelease",
  replayLooksAgain: "putBack",
  releaseSyncsNames: "createRelease",
  ...PLANNED_SHOWN_BY,
};

/** Nothing breaks within the bounds without one of these alone; why each is kept. */
export const OPTIONAL: Readonly<Partial<Record<Rule, string>>> = {
  ...PLANNED_OPTIONAL,
  createSyncsFirst:
    "for the same reason: whoever held the key before has synced its names, or his adopter has",
  openSyncsFile:
    "what was landed is synced by its holder or his adopter; this keeps what opening itself has cut",
};
