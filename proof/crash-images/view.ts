/**
 * What a store shows: every session with its state, and the records of the one that each key reads. As texts, so that
 * two views are compared at once.
 */

import type { SessionInfo, SessionRecord, Store } from "@longhand/store";

export interface ShownSession {
  readonly info: ShownInfo;
  /** `info` as a text. */
  readonly text: string;
}

/** How many bytes it takes is always 0 here: compressing changes that, and nothing else. */
export type ShownInfo = SessionInfo;

export interface KeyView {
  /** By id: active, archived and deleted ones. */
  readonly sessions: ReadonlyMap<string, ShownSession>;
  /** The session whose records are read by the key: the active one, or else the one archived last. */
  readonly read: ShownInfo | undefined;
  readonly records: readonly SessionRecord[];
  /** `records` as a text. */
  readonly recordsText: string;
  /** All of it as a text. */
  readonly text: string;
}

export type View = ReadonlyMap<string, KeyView>;

export async function readView(store: Store, keys: readonly string[]): Promise<View> {
  const infos = new Map<string, ShownInfo[]>();
  for await (const listed of store.list({ status: "any", order: "created" })) {
    const info = { ...listed, bytes: 0 };
    const others = infos.get(info.key);
    if (others === undefined) infos.set(info.key, [info]);
    else others.push(info);
  }
  const view = new Map<string, KeyView>();
  for (const key of keys) view.set(key, await readKey(store, key, infos.get(key) ?? []));
  // A key that nobody has written to must not be there.
  for (const [key, found] of infos) if (!view.has(key)) view.set(key, await readKey(store, key, found));
  return view;
}

async function readKey(store: Store, key: string, infos: readonly ShownInfo[]): Promise<KeyView> {
  const records: SessionRecord[] = [];
  const isReadable = infos.some(({ status }) => status !== "trashed");
  // Where nothing is listed, something could be read all the same; in the trash there is nothing to read by the key.
  if (isReadable || infos.length === 0)
    for await (const record of store.session(key).records()) records.push(record);
  return keyView(infos, records);
}

export function keyView(infos: readonly ShownInfo[], records: readonly SessionRecord[]): KeyView {
  const sorted = infos.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const sessions = new Map(sorted.map((info) => [info.id, { info, text: JSON.stringify(info) }]));
  const recordsText = JSON.stringify(records);
  const text = `${[...sessions.values()].map((each) => each.text).join()} ${recordsText}`;
  return { sessions, read: readOf(sorted), records, recordsText, text };
}

function readOf(infos: readonly ShownInfo[]): ShownInfo | undefined {
  const active = infos.find(({ status }) => status === "active");
  if (active !== undefined) return active;
  let newest: ShownInfo | undefined;
  for (const info of infos) {
    if (info.status !== "archived") continue;
    if (newest === undefined || info.updated >= newest.updated) newest = info;
  }
  return newest;
}

/** The first key of which two views differ, with both; `undefined`: they are the same. */
export function differenceOf(one: View, other: View): string | undefined {
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    const [first, second] = [one.get(key)?.text, other.get(key)?.text];
    if (first !== second) return `${key}: ${first ?? "nothing"}\n  against ${second ?? "nothing"}`;
  }
  return undefined;
}
