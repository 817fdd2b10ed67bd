/** How much each workload does. A published figure uses FULL; QUICK shows that everything runs; TINY is for tests. */

export interface Sizes {
  readonly name: "full" | "quick" | "tiny";
  readonly repetitions: number;
  /** W1: appends before the timing, to another session; appends; appends of a reduced candidate. */
  readonly warmUp: number;
  readonly oneSession: number;
  readonly oneSessionReduced: number;
  /** W2: sessions at once, appends to each. */
  readonly sessionsAtOnce: number;
  readonly appendsEach: number;
  readonly appendsEachReduced: number;
  readonly concurrency: readonly number[];
  readonly sustainedMs: number;
  /** W3. */
  readonly unsynced: number;
  readonly unsyncedReduced: number;
  /** W4, W5, W6: one session of so many messages. */
  readonly bigMessages: number;
  readonly tail: number;
  /** W7, W8, W9: so many sessions of so many messages. */
  readonly manySessions: number;
  readonly manyMessages: number;
  readonly sweepMessages: readonly number[];
  readonly sweepSessions: readonly number[];
  readonly sweepAppends: number;
  readonly sweepRewind: number;
}

export const FULL: Sizes = {
  name: "full",
  repetitions: 3,
  ...{ warmUp: 20, oneSession: 2000, oneSessionReduced: 400 },
  ...{ sessionsAtOnce: 1000, appendsEach: 20, appendsEachReduced: 5 },
  ...{ concurrency: [1, 10, 100, 1000], sustainedMs: 30_000 },
  ...{ unsynced: 20_000, unsyncedReduced: 300 },
  ...{ bigMessages: 100_000, tail: 50 },
  ...{ manySessions: 10_000, manyMessages: 20 },
  sweepMessages: [100, 1000, 10_000, 100_000, 1_000_000],
  sweepSessions: [100, 1000, 10_000, 100_000],
  ...{ sweepAppends: 100, sweepRewind: 10 },
};

export const QUICK: Sizes = {
  ...FULL,
  name: "quick",
  repetitions: 1,
  ...{ oneSession: 300, oneSessionReduced: 60 },
  ...{ sessionsAtOnce: 100, appendsEach: 10, appendsEachReduced: 3 },
  ...{ concurrency: [1, 10, 100], sustainedMs: 1000 },
  ...{ unsynced: 2000, unsyncedReduced: 60 },
  bigMessages: 5000,
  ...{ manySessions: 200, manyMessages: 8 },
  sweepMessages: [100, 1000, 10_000],
  sweepSessions: [100, 400],
  sweepAppends: 50,
};

export const TINY: Sizes = {
  ...QUICK,
  name: "tiny",
  ...{ warmUp: 2, oneSession: 12, oneSessionReduced: 6 },
  ...{ sessionsAtOnce: 5, appendsEach: 4, appendsEachReduced: 2 },
  ...{ concurrency: [1, 3], sustainedMs: 100 },
  ...{ unsynced: 20, unsyncedReduced: 6 },
  ...{ bigMessages: 120, tail: 10 },
  ...{ manySessions: 9, manyMessages: 8 },
  sweepMessages: [50, 100],
  sweepSessions: [5, 10],
  ...{ sweepAppends: 5, sweepRewind: 3 },
};
