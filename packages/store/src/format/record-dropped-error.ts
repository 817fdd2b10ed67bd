import { LonghandError } from "../errors.ts";

/** `seq` was asked for, and only what begins with `firstSeq` is left. */
export function recordDropped(seq: number, firstSeq: number, lastSeq: number): LonghandError {
  const left = firstSeq > lastSeq ? "none are still there" : `${firstSeq} to ${lastSeq} are still there`;
  const message = `record ${seq} was dropped by reclaim; of the session's records ${left}`;
  return new LonghandError("RECORD_DROPPED", message, { seq, firstSeq, lastSeq });
}
