import type { SessionRecord } from "../format/session-record.ts";

/**
 * Whether a record changes which of the earlier messages are seen, or the summary. Messages that arrive do not: they come
 * behind what was decided on.
 */
const CHANGES_VIEW: Readonly<Record<NonNullable<SessionRecord["op"]>, boolean>> = {
  summary: true,
  truncate: true,
  rewind: true,
  compact: true,
  reset: true,
  meta: false,
  note: false,
  // Of a newer version: it may.
  unknown: true,
};

export function changesView({ op }: SessionRecord): boolean {
  return op !== undefined && CHANGES_VIEW[op];
}
