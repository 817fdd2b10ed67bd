/** Records that are missing from a conversation, for a person and for a program. */

import { escapeLine } from "./escape-controls.ts";
import { countOf } from "./format-count.ts";

export interface LostRun {
  /** Both ends belong to it. */
  readonly first: number;
  readonly last: number;
  /** They are gone for good. Otherwise a place there is damaged, and was not repaired yet. */
  readonly isMended: boolean;
  /** The directory with the damaged bytes, if there are any. */
  readonly kept: string | undefined;
}

export function lostLine({ first, last, isMended, kept }: LostRun): string {
  const seqs = first === last ? `seq ${first}` : `seq ${first}–${last}`;
  const records = countOf(last - first + 1, "record");
  if (!isMended) return `— ${records} damaged here (${seqs}) —`;
  const where = kept === undefined ? "" : `, any damaged bytes are kept in ${escapeLine(kept)}`;
  return `— ${records} lost here (${seqs})${where} —`;
}

/** As `--json` gives it, among records that have no type. */
export function lostDocument({ first, last, isMended, kept }: LostRun): object {
  return { type: "lost", first, last, mended: isMended, ...(isMended && kept !== undefined ? { kept } : {}) };
}
