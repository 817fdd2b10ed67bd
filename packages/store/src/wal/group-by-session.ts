import { fileNameOf } from "../format/key.ts";
import type { Id } from "../format/session-id.ts";

interface OfSession {
  readonly session: Id;
  /** The name of the session's active file, which its key leads to. */
  readonly name: string;
}

/**
 * Records of one session, each group in the order of the records. A session is its id and its key: another program may have copied a file
 * under another key, and what was said to one key is never shown to the other.
 */
export function groupBySession<T extends OfSession>(records: Iterable<T>): T[][] {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const session = `${record.session}/${record.name}`;
    const group = groups.get(session);
    if (group === undefined) groups.set(session, [record]);
    else group.push(record);
  }
  return [...groups.values()];
}

/** Those of the session of this header, in their order. */
export function recordsOf<T extends OfSession>(
  records: readonly T[],
  { id, key }: { readonly id: Id; readonly key: string },
): T[] {
  const own = fileNameOf(key);
  return records.filter(({ session, name }) => session === id && name === own);
}
