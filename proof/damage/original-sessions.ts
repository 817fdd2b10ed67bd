/** What was really written: the measure of everything that is read from spoiled files. */

import type { SessionInfo, SessionRecord, Store } from "@longhand/store";

export interface OriginalSession {
  readonly key: string;
  readonly id: string;
  readonly seq: number;
  /** Records as JSON, by seq. */
  readonly records: ReadonlyMap<number, string>;
  /** Every value that its records have ever set. A damaged record leaves the one before it in force. */
  readonly summaries: ReadonlySet<string>;
  readonly titles: ReadonlySet<string | undefined>;
  readonly tags: ReadonlySet<string>;
}

/** By id. */
export type OriginalSessions = ReadonlyMap<string, OriginalSession>;

/** As the store gives it while nothing is damaged. */
export async function originalOf(store: Store, key: string): Promise<OriginalSession> {
  const info = await store.session(key).state();
  if (info === undefined) throw new Error(`there is no session ${key} to remember`);
  const records = new Map<number, string>();
  const summaries = new Set([""]);
  const titles = new Set<string | undefined>([undefined]);
  const tags = new Set([JSON.stringify([])]);
  for await (const record of store.session(key).records()) {
    records.set(record.seq, recordText(record));
    if ("summary" in record) summaries.add(record.summary);
    if ("title" in record) titles.add(record.title);
    if ("tags" in record) tags.add(JSON.stringify(record.tags));
  }
  return { key: info.key, id: info.id, seq: info.seq, records, summaries, titles, tags };
}

/** Equal for equal records: the store gives their fields in one order. */
export function recordText(record: SessionRecord): string {
  return JSON.stringify(record);
}

/** What a listing says of a session that can only come from its records. `undefined`: nothing is invented. */
export function inventedIn(info: SessionInfo, original: OriginalSession): string | undefined {
  if (info.key !== original.key) return `its key is ${JSON.stringify(info.key)}`;
  if (!original.summaries.has(info.summary)) return `its summary is ${JSON.stringify(info.summary)}`;
  if (!original.titles.has(info.title)) return `its title is ${JSON.stringify(info.title)}`;
  if (!original.tags.has(JSON.stringify(info.tags))) return `its tags are ${JSON.stringify(info.tags)}`;
  return undefined;
}
