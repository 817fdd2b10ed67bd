/**
 * The stops of the tour. Each does something to a real store, checks what came of it, and returns what it measured;
 * none says anything that was not so. A check that fails ends the tour.
 */

import type { SearchHit, SessionRecord, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { checkRecovery } from "./check-recovery.ts";
import {
  CONVERSATION,
  CONVERSATION_KEY,
  REGRETTED,
  SEARCHED,
  SUMMARY,
  TITLE,
  WRITER_KEY,
} from "./conversation.ts";
import { killWriter } from "./kill-writer.ts";

export interface Talk {
  readonly messages: number;
  readonly medianMilliseconds: number;
  readonly records: readonly SessionRecord[];
}

export async function talk(directory: string): Promise<Talk> {
  return await withStore(directory, async (store) => {
    const session = store.session(CONVERSATION_KEY);
    await session.setTitle(TITLE);
    const durations: number[] = [];
    for (const message of CONVERSATION) {
      const start = performance.now();
      await session.append(message);
      durations.push(performance.now() - start);
    }
    const records = await collect(session.records({ live: true }));
    const expected = CONVERSATION.flat();
    check(
      JSON.stringify(records.map((record) => record.op === undefined && record.message)) ===
        JSON.stringify(expected),
      "what was read back is not what was appended",
    );
    return { messages: records.length, medianMilliseconds: median(durations), records };
  });
}

export interface Kill {
  readonly pid: number;
  readonly acknowledged: number;
  readonly seqBefore: number;
  readonly seqAfter: number;
  readonly openMilliseconds: number;
}

export async function killAndRecover(directory: string): Promise<Kill> {
  const { pid, acknowledged } = await killWriter(directory, WRITER_KEY);
  const start = performance.now();
  return await withStore(directory, async (store) => {
    const openMilliseconds = performance.now() - start;
    const session = store.session(WRITER_KEY);
    const found = await collect(session.records());
    const faults = checkRecovery(acknowledged, found);
    check(faults.length === 0, `after the kill, ${faults.slice(0, 3).join("; ")}`);
    const seqAfter = found.length;
    const next = await session.append({ role: "user", content: "and on it goes" });
    check(next.seq === seqAfter + 1, `the next append got seq ${next.seq}, not ${seqAfter + 1}`);
    const seqBefore = Math.max(...acknowledged.map(({ seq }) => seq));
    return { pid, acknowledged: acknowledged.length, seqBefore, seqAfter, openMilliseconds };
  });
}

export interface Undo {
  readonly seq: number;
  readonly before: number;
  readonly after: number;
}

export async function undo(directory: string): Promise<Undo> {
  return await withStore(directory, async (store) => {
    const session = store.session(CONVERSATION_KEY);
    const { seq } = await session.append({ role: "user", content: REGRETTED });
    const before = (await session.messages()).length;
    await session.rewind({ messages: 1 });
    const view = await session.messages();
    check(view.length === before - 1 && !view.some(isRegretted), "the message was not undone");
    const log = await collect(session.records({ from: seq, to: seq }));
    const [kept] = log;
    check(
      kept !== undefined && kept.op === undefined && isRegretted(kept.message),
      "the undone message is not in the log",
    );
    return { seq, before, after: view.length };
  });
}

export interface Compaction {
  readonly before: number;
  readonly after: number;
  readonly kept: number;
  readonly summary: string;
}

export async function compact(directory: string): Promise<Compaction> {
  return await withStore(directory, async (store) => {
    const session = store.session(CONVERSATION_KEY);
    const live = await collect(session.records({ live: true }));
    const keepFrom = live.at(-2)?.seq ?? 1;
    await session.compact({ summary: SUMMARY, keepFrom });
    const state = await session.state();
    const view = await session.messages();
    check(
      state?.summary === SUMMARY && view.length === 2,
      "the view is not the summary and the last two messages",
    );
    const everything = await collect(session.records());
    const kept = everything.filter(({ op }) => op === undefined).length;
    check(kept === CONVERSATION.flat().length + 1, "compacting lost a message");
    return { before: live.length, after: view.length, kept, summary: SUMMARY };
  });
}

export interface Search {
  readonly query: string;
  readonly milliseconds: number;
  readonly hits: readonly SearchHit[];
}

export async function search(directory: string): Promise<Search> {
  return await withStore(directory, async (store) => {
    const start = performance.now();
    const hits = await store.search(SEARCHED);
    const milliseconds = performance.now() - start;
    const view = store.session(CONVERSATION_KEY).records({ live: true });
    const live = new Set((await collect(view)).map(({ seq }) => seq));
    check(
      hits.some(({ key, seq }) => key === CONVERSATION_KEY && !live.has(seq)),
      `the search for “${SEARCHED}” did not find the message that was cut from the view`,
    );
    return { query: SEARCHED, milliseconds, hits };
  });
}

/** Each stop opens the store anew: what it finds comes from the disk. */
async function withStore<T>(directory: string, use: (store: Store) => Promise<T>): Promise<T> {
  const { openStore } = await import("@longhand/store");
  const store = await openStore(directory);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function collect(records: AsyncIterable<SessionRecord>): Promise<SessionRecord[]> {
  const collected: SessionRecord[] = [];
  for await (const record of records) collected.push(record);
  return collected;
}

function isRegretted(message: { readonly content: unknown }): boolean {
  return message.content === REGRETTED;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function check(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new CommandError("TOUR_FAILED", `the tour found a fault: ${otherwise}`);
}
