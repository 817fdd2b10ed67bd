/**
 * Compares what was read from spoiled files with what was written. Nothing may be altered or invented; what the damage did
 * not touch must all be there. How much of the touched sessions is left is for the caller to judge.
 */

import type { SessionRecord } from "@longhand/store";
import { inventedIn, recordText, type OriginalSession, type OriginalSessions } from "./original-sessions.ts";
import type { SeenSession, SeenStore } from "./read-everything.ts";

export interface Expectation {
  readonly originals: OriginalSessions;
  /** Ids of the sessions with a spoiled file. */
  readonly touched: ReadonlySet<string>;
  /** The session that a key means, for each key that is asked for; an alias means that of another key. */
  readonly idOf: ReadonlyMap<string, string>;
  /** Whole lines may stand in other places: then a touched session need not read the same in both directions. */
  readonly isShuffled?: boolean;
}

/** `undefined`: nothing is wrong. */
export function judgeSeen(seen: SeenStore, expectation: Expectation): string | undefined {
  const { originals, touched, idOf } = expectation;
  for (const info of seen.infos) {
    const original = originals.get(info.id);
    const invented = original === undefined ? "nobody made it" : inventedIn(info, original);
    if (invented !== undefined) return `the listing has a session ${info.key} (${info.id}): ${invented}`;
  }
  for (const [key, session] of seen.sessions) {
    const wrong = judgeSession(key, session, idOf.get(key), expectation);
    if (wrong !== undefined) return `${key}: ${wrong}`;
  }
  const byKey = groupByKey(originals);
  for (const { key, seq, message } of seen.hits) {
    const isKnown = (byKey.get(key) ?? []).some(({ records }) => holds(records.get(seq), message));
    if (!isKnown) return `a search finds ${JSON.stringify(message)} as seq ${seq} of ${key}; nobody wrote it`;
  }
  const listed = new Set(seen.infos.map(({ id }) => id));
  for (const [id, { key }] of originals) {
    if (!touched.has(id) && !listed.has(id)) return `${key} (${id}) is undamaged and not listed`;
  }
  return undefined;
}

function judgeSession(
  key: string,
  session: SeenSession,
  id: string | undefined,
  { originals, touched, isShuffled = false }: Expectation,
): string | undefined {
  const { info, records, failure } = session;
  const isTouched = id === undefined || touched.has(id) || touched.has(key);
  if (failure !== undefined) return isTouched ? undefined : `it is undamaged, but ${failure.message}`;
  if (info === undefined) {
    if (!isTouched) return "it is undamaged and not there";
    return records.length === 0 ? undefined : "it is not there, but has records";
  }
  if (info.id !== id) return `the session ${info.id} is read in its place`;
  const original = originals.get(info.id);
  if (original === undefined) return `nobody made the session ${info.id}`;
  const wrong =
    inventedIn(info, original) ??
    judgeRecords(records, original) ??
    judgeOtherwise(session, original, isShuffled && isTouched);
  if (wrong !== undefined) return wrong;
  if (!isTouched && records.length < original.records.size) {
    return `it is undamaged, but has ${records.length} records of ${original.records.size}`;
  }
  return undefined;
}

/** However it is read, it is the same; or, shuffled, at least nothing else than was written. */
function judgeOtherwise(
  { records, otherwise }: SeenSession,
  original: OriginalSession,
  isShuffled: boolean,
): string | undefined {
  if (otherwise === undefined) return undefined;
  const { backwards, live, messages } = otherwise;
  if (isShuffled) return judgeRecords(backwards.toReversed(), original) ?? judgeRecords(live, original);
  if (JSON.stringify(backwards.toReversed()) !== JSON.stringify(records))
    return "backwards it reads otherwise than forwards";
  const known = new Set(records.map(recordText));
  if (!live.every((record) => known.has(recordText(record)))) return "a live record is not among its records";
  const said = JSON.stringify(live.map((record) => ("message" in record ? record.message : record)));
  return JSON.stringify(messages) === said ? undefined : "its messages are not those of its live records";
}

/** In order, and each as it was written. */
export function judgeRecords(
  records: readonly SessionRecord[],
  original: OriginalSession,
): string | undefined {
  let last = 0;
  for (const record of records) {
    const text = recordText(record);
    if (record.seq <= last) return `seq ${record.seq} comes after seq ${last}`;
    last = record.seq;
    const written = original.records.get(record.seq);
    if (written === undefined) return `nobody wrote a record ${record.seq}: ${text}`;
    if (written !== text) return `record ${record.seq} is ${text}; written was ${written}`;
  }
  return undefined;
}

function holds(record: string | undefined, message: unknown): boolean {
  return record?.includes(`"message":${JSON.stringify(message)}`) ?? false;
}

function groupByKey(originals: OriginalSessions): Map<string, OriginalSession[]> {
  const groups = new Map<string, OriginalSession[]>();
  for (const original of originals.values()) {
    groups.set(original.key, [...(groups.get(original.key) ?? []), original]);
  }
  return groups;
}
