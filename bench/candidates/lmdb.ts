/** lmdb-js: a memory-mapped B-tree; it groups commits itself. Values are its default MessagePack. */

import type { Database, RootDatabase } from "lmdb";
import type { Candidate, Driver, ListedSession, OpenedStore, OpenMode } from "../candidate.ts";
import type { BenchMessage } from "../message-mix.ts";

type MessageKey = readonly [key: string, index: number];
type SessionRow = Omit<ListedSession, "key"> & { readonly first: number; readonly next: number };

const NO_SESSION: SessionRow = { title: "", count: 0, updated: "", first: 0, next: 0 };

export const lmdb: Candidate = {
  name: "lmdb",
  title: "lmdb-js",
  peer: "lmdb",
  isDurable: true,
  load: async () => {
    const { open } = await import("lmdb");
    return new LmdbDriver((path) => open({ path, maxDbs: 2 }));
  },
};

class LmdbDriver implements Driver<BenchMessage> {
  readonly #open: (path: string) => RootDatabase<unknown, string>;

  constructor(open: (path: string) => RootDatabase<unknown, string>) {
    this.#open = open;
  }

  toOwn(message: BenchMessage): BenchMessage {
    return message;
  }

  fromOwn(own: BenchMessage): BenchMessage {
    return own;
  }

  open(directory: string, mode: OpenMode): LmdbStore {
    return new LmdbStore(this.#open(directory), mode);
  }
}

class LmdbStore implements OpenedStore<BenchMessage> {
  readonly #root: RootDatabase<unknown, string>;
  readonly #mode: OpenMode;
  readonly #messages: Database<BenchMessage, MessageKey>;
  readonly #sessions: Database<SessionRow, string>;
  /** Of the sessions that were written to, ahead of what is committed. */
  readonly #rows = new Map<string, SessionRow>();

  constructor(root: RootDatabase<unknown, string>, mode: OpenMode) {
    this.#root = root;
    this.#mode = mode;
    this.#messages = root.openDB({ name: "messages" });
    this.#sessions = root.openDB({ name: "sessions" });
  }

  async append(key: string, message: BenchMessage): Promise<void> {
    await this.appendBatch(key, [message]);
  }

  /** Puts of one turn of the event loop share a transaction. */
  async appendBatch(key: string, messages: readonly BenchMessage[]): Promise<void> {
    const row = this.#rowOf(key);
    const last = messages.at(-1);
    const next = row.next + messages.length;
    messages.forEach((message, index) => void this.#messages.put([key, row.next + index], message));
    await this.#setRow(key, {
      ...row,
      next,
      count: next - row.first,
      updated: last?.created_at ?? row.updated,
    });
  }

  async setTitle(key: string, title: string): Promise<void> {
    await this.#setRow(key, { ...this.#rowOf(key), title });
  }

  tail(key: string, count: number): readonly BenchMessage[] {
    const range = { start: [key, Infinity], end: [key, -1], reverse: true, limit: count } as const;
    return Array.from(this.#messages.getRange(range), ({ value }) => value).reverse();
  }

  load(key: string): readonly BenchMessage[] {
    return Array.from(this.iterate(key));
  }

  *iterate(key: string): Iterable<BenchMessage> {
    const range = { start: [key, 0], end: [key, Infinity] } as const;
    for (const { value } of this.#messages.getRange(range)) yield value;
  }

  count(key: string): number {
    return this.#rowOf(key).count;
  }

  async truncate(key: string, keepLast: number): Promise<void> {
    const row = this.#rowOf(key);
    const first = Math.max(row.first, row.next - keepLast);
    const removed = this.#messages.transaction(() => {
      for (let index = row.first; index < first; index += 1) void this.#messages.remove([key, index]);
    });
    await Promise.all([removed, this.#setRow(key, { ...row, first, count: row.next - first })]);
    await this.#flush();
  }

  list(): readonly ListedSession[] {
    return Array.from(this.#sessions.getRange(), ({ key, value: { title, count, updated } }) => ({
      ...{ key, title, count, updated },
    }));
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #rowOf(key: string): SessionRow {
    return this.#rows.get(key) ?? this.#sessions.get(key) ?? NO_SESSION;
  }

  async #setRow(key: string, row: SessionRow): Promise<void> {
    this.#rows.set(key, row);
    await this.#sessions.put(key, row);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#mode === "sync") await this.#root.flushed;
  }
}
