import { LonghandError } from "../errors.ts";
import type { Body, Entry } from "./entry.ts";
import type { SessionState } from "./fold.ts";
import { MAX_SEQ } from "./format.ts";

/** Gives bodies their seqs and their time, or each its own. More than one make an atomic batch; the id goes to the first. */
export function toEntries(
  state: SessionState,
  bodies: readonly Body[],
  id: string | undefined,
  at: string,
  times?: readonly string[],
): Entry[] {
  if (state.seq + bodies.length > MAX_SEQ)
    throw new LonghandError(
      "SESSION_DAMAGED",
      `the session's last record would be number ${state.seq}, which no session reaches; restore its file from a backup`,
    );
  return bodies.map((body, index) => ({
    seq: state.seq + 1 + index,
    at: times?.[index] ?? at,
    ...(id === undefined || index > 0 ? {} : { id }),
    ...(bodies.length === 1 ? {} : { batch: { index: index + 1, size: bodies.length } }),
    body,
  }));
}
