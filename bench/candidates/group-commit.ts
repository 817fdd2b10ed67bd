/** What an application can do for SQLite: all appends of one turn of the event loop share a transaction. */

import type { OpenedStore } from "../candidate.ts";
import type { BenchMessage } from "../message-mix.ts";
import type { SqliteStore } from "./sqlite-store.ts";

interface WaitingAppend {
  readonly key: string;
  readonly message: BenchMessage;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit implements OpenedStore<BenchMessage> {
  readonly #store: SqliteStore;
  #waiting: WaitingAppend[] = [];

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  async append(key: string, message: BenchMessage): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      this.#waiting.push({ key, message, resolve, reject });
    });
  }

  load(key: string): readonly BenchMessage[] {
    return this.#store.load(key);
  }

  close(): void {
    this.#store.close();
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      this.#store.transaction(() => {
        for (const { key, message } of group) this.#store.insert(key, message);
      });
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
