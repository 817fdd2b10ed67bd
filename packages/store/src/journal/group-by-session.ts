import type { Id } from "../record/session-id.ts";

/** Records under the ids of their sessions, each group in the order of the records. */
export function groupBySession<T extends { readonly session: Id }>(records: Iterable<T>): Map<Id, T[]> {
  const groups = new Map<Id, T[]>();
  for (const record of records) {
    const group = groups.get(record.session);
    if (group === undefined) groups.set(record.session, [record]);
    else group.push(record);
  }
  return groups;
}
