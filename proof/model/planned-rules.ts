/**
 * Rules of the planned protocol: creation through the journal, the inverted fence, a journal in two halves. A world switches
 * each plan on by itself (`Plans` in planned-worlds.ts); in a world without the plan its rules have no effect.
 */

export interface PlannedRules {
  // Creation through the journal
  /** A session's file is made only after the block that creates the session is durable. */
  readonly makeAfterCommit: boolean;
  /** A file is made only under a free name: it never replaces another file. */
  readonly makeExclusive: boolean;
  /** A file is made through the gate: the check and the creation are one system call. */
  readonly makeGated: boolean;
  /** An instance that takes the recovery lock from a recoverer that counts as dead fences the recoverer and removes its gate first. */
  readonly recovererFenced: boolean;
  /** After a failed sync of a new file its header is written again, not only its records. */
  readonly rewriteHeader: boolean;
  /** Journal space is reused only after the names of new files are synced. */
  readonly recycleSyncsMade: boolean;
  /** Seal, archive, delete and fork begin only after the name of a new file is synced. */
  readonly barrierSyncsMade: boolean;
  /** Replay makes the file of a session that was created in the journal and is nowhere. */
  readonly replayMakesFiles: boolean;
  /** Replay makes no file of a session that is noted as removed, and looks at the note last. */
  readonly replayHeedsNotes: boolean;
  /** The look for a session's file covers active, archived and trashed files as of one moment. */
  readonly lookIsSettled: boolean;
  /** Replay completes a file without a readable header that it finds under the key's name. */
  readonly replayTakesHeadless: boolean;
  /** Replay syncs the names of the files that it has made before it empties the journal. */
  readonly replaySyncsMade: boolean;
  /** A reader shows a session that only a dead instance's journal has. */
  readonly readerSeesJournaled: boolean;

  // The inverted fence
  /** An instance has its mark before its journal has a name. */
  readonly markBeforeJournal: boolean;
  /** A journal without a mark is not for that reason a dead instance's. */
  readonly absenceIsNoProof: boolean;

  // A journal in two halves
  /** Replay reads the half of the generation before the newest as well. */
  readonly replayReadsBothHalves: boolean;
  /** ... and first. */
  readonly halvesInOrder: boolean;
  /** A sync covers what was applied before it began, not what was applied before it ended. */
  readonly syncCountsFromStart: boolean;
  /** After a failed sync the records of both halves are written again, not only those that the sync was for. */
  readonly rewriteBothHalves: boolean;
  /** A close writes a generation into the head to which neither half belongs, into the older copy of it. */
  readonly emptyFarAhead: boolean;
}

export const PLANNED_RULES: PlannedRules = {
  makeAfterCommit: true,
  makeExclusive: true,
  makeGated: true,
  recovererFenced: true,
  rewriteHeader: true,
  recycleSyncsMade: true,
  barrierSyncsMade: true,
  replayMakesFiles: true,
  replayHeedsNotes: true,
  lookIsSettled: true,
  replayTakesHeadless: true,
  replaySyncsMade: true,
  readerSeesJournaled: true,
  markBeforeJournal: true,
  absenceIsNoProof: true,
  replayReadsBothHalves: true,
  halvesInOrder: true,
  syncCountsFromStart: true,
  rewriteBothHalves: true,
  emptyFarAhead: true,
};
