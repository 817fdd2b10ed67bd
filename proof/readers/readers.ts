/**
 * Every way to read a store, each with what must hold for it while sessions are moved: what exists during the whole call is
 * not missed, nothing is there twice, nothing is wrong, and whoever reaches records that were dropped is told.
 */

import { isLonghandError, type SessionRecord, type Store } from "@longhand/store";
import type { Mover } from "./movers.ts";
import { contentOf, MESSAGES, type Scene } from "./scene.ts";

export interface Reading {
  readonly store: Store;
  readonly scene: Scene;
  readonly mover: Mover;
  /** Aborts when the mover is done: a watch of a session that is gone would wait for ever. */
  readonly signal: AbortSignal;
}

/** Reads, and says what is wrong; `undefined`: nothing is. */
export type Reader = (reading: Reading) => Promise<string | undefined>;

export const READERS: Readonly<Record<string, Reader>> = {
  list: async ({ store, scene: { ids }, mover }) => {
    const listed: string[] = [];
    for await (const { id } of store.list({ status: "any" })) listed.push(id);
    if (new Set(listed).size < listed.length) return `a session is listed twice: ${listed.join(", ")}`;
    const missing = ids.filter((id) => !listed.includes(id));
    return missing.length > (mover.removes ? 1 : 0) ? `${missing.join(", ")} is not listed` : undefined;
  },
  verify: async ({ store, scene: { ids }, mover }) => {
    const { sessions, damage } = await store.verify();
    if (damage.length > 0) return `verify finds ${JSON.stringify(damage)}`;
    const least = ids.length - (mover.removes ? 1 : 0);
    const most = ids.length + (mover.forks ?? 0);
    return sessions < least || sessions > most ? `verify counts ${sessions} sessions` : undefined;
  },
  search: async ({ store, mover }) => {
    const hits = await store.search("word", { limit: 1000 });
    const found = hits.map(({ key, seq }) => `${key} ${seq}`);
    if (new Set(found).size < found.length) return `a message is found twice: ${found.join(", ")}`;
    const wrong = hits.find(({ key, seq, message }) => message.content !== contentOf(originOf(key), seq));
    if (wrong !== undefined) return `a hit is wrong: ${JSON.stringify(wrong)}`;
    const keys = mover.drops === true || mover.trashes === true ? ["b"] : ["a", "b"];
    for (const key of keys) {
      for (let seq = 1; seq <= MESSAGES; seq++)
        if (!found.includes(`${key} ${seq}`)) return `record ${seq} of ${key} is not found`;
    }
    return undefined;
  },
  state: async ({ store, scene: { idOfA }, mover }) => {
    const id = (await store.session("a").state())?.id;
    if (id === undefined) return mover.trashes ? undefined : "state() says that there is no session";
    return id === idOfA || mover.exchanges ? undefined : "state() is that of an older session";
  },
  messages: async (reading) => {
    const read = async function* (): AsyncIterable<unknown> {
      for (const { content } of await reading.store.session("a").messages()) yield content;
    };
    return await judgeContents(read(), reading);
  },
  iterate: async (reading) => {
    const read = async function* (): AsyncIterable<unknown> {
      for await (const { content } of reading.store.session("a").iterate()) yield content;
    };
    return await judgeContents(read(), reading);
  },
  records: async (reading) => await judgeContents(contents(reading.store.session("a").records()), reading),
  "records backwards": async (reading) =>
    await judgeContents(contents(reading.store.session("a").records({ reverse: true })), reading, true),
  watch: async (reading) => {
    const signal = reading.mover.trashes ? { signal: reading.signal } : {};
    return await judgeContents(contents(reading.store.session("a").watch(signal), true), reading);
  },
};

/** A fork has the words of the session that it was forked from. */
function originOf(key: string): string {
  return key === "b" ? "b" : "a";
}

/** `isEndless`: it does not end by itself. */
async function* contents(records: AsyncIterable<SessionRecord>, isEndless = false): AsyncIterable<unknown> {
  for await (const record of records) {
    if (record.op === undefined) yield record.message.content;
    if (isEndless && record.seq >= MESSAGES) return;
  }
}

/** One after the other, without a gap, from the first that is kept to the last, or to where the reader is told. */
async function judgeContents(
  read: AsyncIterable<unknown>,
  { mover }: Reading,
  isReverse = false,
): Promise<string | undefined> {
  const seen: unknown[] = [];
  let code: string | undefined;
  try {
    for await (const content of read) seen.push(content);
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    ({ code } = error);
  }
  const isTold =
    (code === "RECORD_DROPPED" && mover.drops === true) ||
    (code === "SESSION_NOT_FOUND" && mover.removes === true);
  if (code !== undefined && !isTold) return `it fails with ${code} after ${seen.join(", ")}`;
  if (mover.exchanges && seen.length === 1 && seen[0] === "other") return undefined;
  const inOrder = isReverse ? seen.toReversed() : seen;
  const numbers = inOrder.map((content) => SEQS.get(content) ?? -1);
  const story = `it reads ${numbers.join(", ")}${code === undefined ? "" : `, then ${code}`}`;
  if (numbers.some((seq, index) => seq === -1 || (index > 0 && seq !== (numbers[index - 1] ?? 0) + 1)))
    return story;
  const first = numbers[0] ?? MESSAGES + 1;
  const last = numbers.at(-1) ?? 0;
  // It may have begun after the drop; it may have been in the trash, or have gone there.
  const isBegun = first === 1 || mover.drops || mover.trashes || (isReverse && isTold);
  const isEnded = last === MESSAGES || mover.trashes || (!isReverse && isTold);
  return isBegun && isEnded ? undefined : story;
}

const SEQS: ReadonlyMap<unknown, number> = new Map(
  Array.from({ length: MESSAGES }, (_, index) => [contentOf("a", index + 1), index + 1] as const),
);
