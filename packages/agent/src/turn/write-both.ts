/** Two writes of a turn with one wait for the disk. */

import type { Session, WriteOptions, Written } from "@longhand/store";

export interface BothWritten {
  readonly first: Written;
  /** Rejected with SEQ_CONFLICT: a record that is not of the turn came between the two. */
  readonly second: PromiseSettledResult<Written>;
}

/**
 * Asks for both at once, so that they become durable together. `second` is written with an `expectedSeq` right behind `first`: the log
 * never has it without that. Rejects if `first` could not be written; waits for both in any case.
 */
export async function writeBoth(
  session: Session,
  first: () => Promise<Written>,
  second: (options: WriteOptions) => Promise<Written>,
): Promise<BothWritten> {
  const seq = (await session.state())?.seq ?? 0;
  const [one, other] = await Promise.allSettled([first(), second({ expectedSeq: seq + 1 })]);
  if (one.status === "rejected") throw one.reason;
  return { first: one.value, second: other };
}
