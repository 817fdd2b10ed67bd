/**
 * Who may have a place in a session: a position in its file, when a journal is replayed or laid over the file, or a seq, when
 * a repair writes the file anew. Each record that could be there has a claim. The strongest one gets the place; what has a
 * weaker one is kept aside, and a claim as strong as another takes nothing from it. This order is the only ranking: replay,
 * readers, verify and repair all ask it. Pure.
 */

/** Strongest first. */
const STRONGEST_FIRST = [
  /** The record that counts at the next seq was written after this one. */
  "named",
  /**
   * A whole record of the session's files. No record counts behind the place, and a journal knows which one this was written
   * after, and that counts there, or which one was written after this.
   */
  "resumed",
  /** A whole line that stands at the place: a record of any history, a header, a checkpoint, a line that says what is lost. */
  "standing",
  /** A record of a journal that was written after the line that counts before the place; no record counts behind it. */
  "continuing",
  /** A record of an older journal, which only says where it goes. */
  "positioned",
  /** A whole record of the session that stands elsewhere in its files, and that nothing names. */
  "moved",
  /** Nothing, NULs, damaged bytes, the same bytes, or whole lines that are written again elsewhere. */
  "vacant",
  /** A record that was written after another line than the one that counts before the place. */
  "stray",
] as const;

export type Claim = (typeof STRONGEST_FIRST)[number];

export function outranks(one: Claim, other: Claim): boolean {
  return STRONGEST_FIRST.indexOf(one) < STRONGEST_FIRST.indexOf(other);
}
