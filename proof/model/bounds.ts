/** The bounds of a world: how large it is, and how often each thing may happen in it. */

/** What is counted down while a world runs. */
export interface Budget {
  /** Records that may be appended. */
  records: number;
  batches: number;
  kills: number;
  powerLosses: number;
  /** Of journals, their heads, and session files. */
  failedSyncs: number;
  failedDirectorySyncs: number;
  /** Of blocks and of landings. */
  shortWrites: number;
  releases: number;
  seals: number;
  archives: number;
  deletes: number;
  restores: number;
  purges: number;
  forks: number;
  closes: number;
  reads: number;
  /** A living instance that is held for dead. */
  mistakes: number;
  /** An older version of a session's file that another program puts back. */
  putBacks: number;
  /** A mark of a living instance that another program removes. */
  lostMarks: number;
}

export interface Bounds extends Budget {
  readonly keys: number;
  /** Session ids that may be given out. */
  readonly sessions: number;
  readonly instances: number;
  readonly slots: number;
  /** Whether names lost by a failed sync of their directory are lost for ever, whatever later syncs say. */
  readonly namesStayLost: boolean;
  /** Creation goes through the journal. */
  readonly journaledCreates: boolean;
  /** The fence is a mark that must exist. */
  readonly aliveMark: boolean;
  /** The journal has two halves, of half the slots each. */
  readonly halves: boolean;
}

/** What a world has unless its table says otherwise. */
export const SMALLEST: Bounds = {
  keys: 1,
  sessions: 1,
  instances: 2,
  slots: 2,
  namesStayLost: false,
  journaledCreates: false,
  aliveMark: false,
  halves: false,
  records: 2,
  batches: 0,
  kills: 1,
  powerLosses: 1,
  failedSyncs: 0,
  failedDirectorySyncs: 0,
  shortWrites: 0,
  releases: 0,
  seals: 0,
  archives: 0,
  deletes: 0,
  restores: 0,
  purges: 0,
  forks: 0,
  closes: 0,
  reads: 0,
  mistakes: 0,
  putBacks: 0,
  lostMarks: 0,
};

export type WorldTable = Readonly<Record<string, Partial<Bounds>>>;
