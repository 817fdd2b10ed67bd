/**
 * What a store shows beside its records must follow from them: the live messages, the newest note, and the same by another
 * name. Worked out anew from the records alone, as docs/format.md says, so that no state that a checkpoint has carried along
 * is believed.
 */

import type { SessionRecord, Store } from "@longhand/store";
import { NOTE_KIND } from "./perform-step.ts";
import type { Workload } from "./step.ts";
import type { View } from "./view.ts";

/** `undefined`: all of it fits. */
export async function judgeViews(
  store: Store,
  view: View,
  { aliases = {} }: Pick<Workload, "aliases">,
): Promise<string | undefined> {
  for (const [key, { records }] of view) {
    const wrong = await judgeKey(store, key, records);
    if (wrong !== undefined) return `${key}: ${wrong}`;
  }
  for (const [alias, key] of Object.entries(aliases)) {
    const found = JSON.stringify(await recordsOf(store, alias));
    const expected = view.get(key)?.recordsText;
    if (found !== expected) return `${alias}, another name of ${key}, reads ${found} instead of ${expected}`;
  }
  return undefined;
}

async function judgeKey(
  store: Store,
  key: string,
  records: readonly SessionRecord[],
): Promise<string | undefined> {
  // What was dropped may have said what is live.
  if (records[0]?.seq !== 1) return undefined;
  const session = store.session(key);
  const live = liveSeqs(records);
  const expected = records.flatMap((record) =>
    record.op === undefined && live.has(record.seq) ? [record.message] : [],
  );
  const messages = await session.messages();
  if (JSON.stringify(messages) !== JSON.stringify(expected))
    return `its messages are ${JSON.stringify(messages)}; from its records follow ${JSON.stringify(expected)}`;
  const newest = records.findLast((record) => record.op === "note" && record.kind === NOTE_KIND);
  const note = await session.lastNote(NOTE_KIND);
  return JSON.stringify(note) === JSON.stringify(newest)
    ? undefined
    : `its newest note is ${JSON.stringify(note)}; among its records it is ${JSON.stringify(newest)}`;
}

interface Cuts {
  /** What no rewind and no reset has taken back. */
  readonly kept: ReadonlySet<number>;
  /** The first seq that is seen, by each truncate and compact that was not undone. */
  readonly keepFrom: readonly number[];
}

const NOTHING: Cuts = { kept: new Set(), keepFrom: [] };

function liveSeqs(records: readonly SessionRecord[]): ReadonlySet<number> {
  const after: Cuts[] = [NOTHING];
  for (const record of records) after.push(apply(record, after.at(-1) ?? NOTHING, after));
  const { kept, keepFrom } = after.at(-1) ?? NOTHING;
  const first = keepFrom.at(-1) ?? 1;
  return new Set([...kept].filter((seq) => seq >= first));
}

/** `after`: how it was behind each record, by its seq. */
function apply(record: SessionRecord, before: Cuts, after: readonly Cuts[]): Cuts {
  switch (record.op) {
    case undefined:
      return { ...before, kept: new Set([...before.kept, record.seq]) };
    case "truncate":
    case "compact":
      return { ...before, keepFrom: [...before.keepFrom, record.keepFrom] };
    case "rewind":
      return record.undoesCut === true
        ? { ...before, keepFrom: before.keepFrom.slice(0, -1) }
        : (after[record.to] ?? NOTHING);
    case "reset":
      return { kept: new Set(), keepFrom: [] };
    case "summary":
    case "meta":
    case "note":
    case "unknown":
      return before;
  }
}

async function recordsOf(store: Store, key: string): Promise<SessionRecord[]> {
  const records: SessionRecord[] = [];
  for await (const record of store.session(key).records()) records.push(record);
  return records;
}
