/**
 * The rules of the commit protocol as switches. All in force, the model does what the engine
 * does; a search with one of them turned off shows what it is for.
 */

import { PLANNED_RULES, type PlannedRules } from "./planned-rules.ts";

export interface Rules extends PlannedRules {
  // Instances and leases
  /** An opener adopts every dead journal before it takes a lease. */
  readonly openerAdoptsFirst: boolean;
  /** The journal's own name is durable before its first block. */
  readonly journalNameSynced: boolean;
  /** A lease is taken by linking the next number: of two who try, one has it. */
  readonly leaseByNumber: boolean;
  /** Nothing remembered from an earlier tenure is trusted. */
  readonly tenureForgets: boolean;
  /** Only an instance whose death is proven is taken over. */
  readonly onlyTheDead: boolean;
  /** A tenure ends only when everything is landed and synced. */
  readonly releaseSettles: boolean;
  /** ... and every name that its holder has changed is durable. */
  readonly releaseSyncsNames: boolean;

  // Commit
  /** A block is durable before anyone is answered. */
  readonly syncBeforeAnswer: boolean;
  /** The next block is written only after the one before it is durable. */
  readonly oneInFlight: boolean;
  /** The instance looks for its gate, or its mark, after the durable write, before the answer. */
  readonly fenceCheck: boolean;
  /** A block that was written short is no block: nobody is answered for it. */
  readonly shortBlockNoticed: boolean;
  /** ... and the next block is written over it. */
  readonly shortBlockOverwritten: boolean;
  /** Journal records name session ids, not keys. */
  readonly recordsNameIds: boolean;
  /** ... and which of the session's files they belong to. */
  readonly recordsNameFiles: boolean;
  /** A failed sync of the journal stops the instance. */
  readonly failedJournalStops: boolean;
  /** An instance that has failed declares itself dead. */
  readonly failedDeclaresItself: boolean;

  // Landing and the journal's space
  /** Session files get records only after the commit. */
  readonly landAfterCommit: boolean;
  /** Landing writes at the record's own offset, also when it is tried again. */
  readonly landAtOffset: boolean;
  /** After a failed sync of a session file everything since the last good one is written again. */
  readonly rewriteAfterFailedSync: boolean;
  /** Journal space is used again only after the files it covers are synced. */
  readonly recycleAfterSync: boolean;
  /** The next generation is durable in the head before old space is overwritten. */
  readonly headSynced: boolean;
  /** The head has two copies that are written in turn. */
  readonly headHasTwoCopies: boolean;
  /** A block of another generation is not the next block. */
  readonly blocksNameGeneration: boolean;
  /** A failed sync of the journal's head stops the instance. */
  readonly failedHeadStops: boolean;

  // Names
  /** Before the first record for a session its file is synced (what its last holder left is cut and mended). */
  readonly openSyncsFile: boolean;
  /** A new session's name is durable before its first record. */
  readonly createSyncsName: boolean;
  /** A name must be free on the disk before a session is created there. */
  readonly createSyncsFirst: boolean;
  /** Each change of a name goes through a directory of the instance's own, which a takeover removes. */
  readonly gate: boolean;
  /** ... before it reads the journal or syncs names. */
  readonly gateFirst: boolean;
  /** A failed sync of a directory stops the instance. */
  readonly failedNamesStop: boolean;
  /** Seal, fork and putting away land and sync first. */
  readonly barrierSettles: boolean;
  /** A sealed name is durable before the next file is renamed over the old one. */
  readonly sealedNameSynced: boolean;
  /** Sealing is over only when the directory is synced. */
  readonly sealSyncsNames: boolean;
  /** Archiving, restoring and deleting are answered when the names are durable. */
  readonly putAwaySyncsNames: boolean;
  /** The files that a fork shares are durably named before the fork itself is. */
  readonly forkedNamesSynced: boolean;
  /** A fork is answered when its name is durable. */
  readonly forkSyncsName: boolean;
  /** A fork's chain says how far each file counts. */
  readonly forkIsBounded: boolean;
  /** That a session is removed for good is durable before anything of it goes. */
  readonly purgeNoted: boolean;
  /** The session is gone durably, but for its stub, before its sealed files go. */
  readonly purgeSyncsNames: boolean;
  /** A purge is answered when the stub is gone durably. */
  readonly purgeSyncsStub: boolean;
  /** A purge removes the sealed files of that session only, not those that a fork shares with it. */
  readonly purgeSparesForks: boolean;

  // Takeover and reading
  /** Of a stub that a dead instance has left, the sealed files go only if the session is proven to be nobody's. */
  readonly leftoversProven: boolean;
  /** One adopter at a time. */
  readonly adoptionLock: boolean;
  /** The fence is set, or the mark is removed, before the journal is read. */
  readonly fenceFirst: boolean;
  /** A dead journal is synced before it is read, by adopters and by readers. */
  readonly deadJournalSynced: boolean;
  /** ... and replaced by a durable copy before anything is landed from it: a sync of it may have failed. */
  readonly deadJournalCopied: boolean;
  /** The names that the dead one has changed are synced before its leases are anybody's. */
  readonly adoptionSyncsNames: boolean;
  /** The whole journal is replayed, not only the wanted session. */
  readonly adoptionIsWhole: boolean;
  /** Replayed files are synced before the journal is emptied. */
  readonly adoptionSyncsFiles: boolean;
  /** A journal is emptied durably before it is removed. */
  readonly emptiedFirst: boolean;
  /** ... in both copies of its head, far ahead: its owner, if it lives after all, may be at its next generation. */
  readonly emptiedInBothCopies: boolean;
  /** Leases are free only when the journal is gone. */
  readonly leasesFreeLast: boolean;
  /** Replay skips nothing because something later seems to be there. */
  readonly replaySkipsNothing: boolean;
  /** Replay cuts nothing. */
  readonly replayCutsNothing: boolean;
  /** A reader looks at the journals before it reads the session file. */
  readonly readerJournalsFirst: boolean;

  // An older file put back by another program
  /** Before it applies or syncs records, an instance looks whether the file is still the one they were written after. */
  readonly applyLooks: boolean;
  /** ... and if it is not, keeps them aside, durably, before it forgets them. */
  readonly changeKeepsAside: boolean;
  /** Replay writes a record only behind the record it was written after; otherwise it is kept aside. */
  readonly replayChecksPrefix: boolean;
  /** Replay never writes over another record; its own is kept aside instead. */
  readonly replaySparesOthers: boolean;
  /** After it has synced a file, replay looks whether its records are in it; if not, it begins again. */
  readonly replayLooksAgain: boolean;
}

export type Rule = keyof Rules;

export const RULES: Rules = {
  ...PLANNED_RULES,
  openerAdoptsFirst: true,
  journalNameSynced: true,
  leaseByNumber: true,
  tenureForgets: true,
  onlyTheDead: true,
  releaseSettles: true,
  releaseSyncsNames: true,
  syncBeforeAnswer: true,
  oneInFlight: true,
  fenceCheck: true,
  shortBlockNoticed: true,
  shortBlockOverwritten: true,
  recordsNameIds: true,
  recordsNameFiles: true,
  failedJournalStops: true,
  failedDeclaresItself: true,
  landAfterCommit: true,
  landAtOffset: true,
  rewriteAfterFailedSync: true,
  recycleAfterSync: true,
  headSynced: true,
  headHasTwoCopies: true,
  blocksNameGeneration: true,
  failedHeadStops: true,
  openSyncsFile: true,
  createSyncsName: true,
  createSyncsFirst: true,
  gate: true,
  gateFirst: true,
  failedNamesStop: true,
  barrierSettles: true,
  sealedNameSynced: true,
  sealSyncsNames: true,
  putAwaySyncsNames: true,
  forkedNamesSynced: true,
  forkSyncsName: true,
  forkIsBounded: true,
  purgeNoted: true,
  purgeSyncsNames: true,
  purgeSyncsStub: true,
  purgeSparesForks: true,
  leftoversProven: true,
  adoptionLock: true,
  fenceFirst: true,
  deadJournalSynced: true,
  deadJournalCopied: true,
  adoptionSyncsNames: true,
  adoptionIsWhole: true,
  adoptionSyncsFiles: true,
  emptiedFirst: true,
  emptiedInBothCopies: true,
  leasesFreeLast: true,
  replaySkipsNothing: true,
  replayCutsNothing: true,
  readerJournalsFirst: true,
  applyLooks: true,
  changeKeepsAside: true,
  replayChecksPrefix: true,
  replaySparesOthers: true,
  replayLooksAgain: true,
};

export function without(...rules: readonly Rule[]): Rules {
  return { ...RULES, ...Object.fromEntries(rules.map((rule) => [rule, false])) };
}
