/**
 * The seeds' contract over a store: each write is in the log, durable, when it ends, and `save` waits, tells, and
 * compresses what is cold. What a cut hides stays in the log.
 */

import { isLonghandError, type LonghandError } from "../errors.ts";
import { mapOpenAIShape } from "../messages/openai.ts";
import type { Message } from "../record/message.ts";
import { callback, checkOptions } from "./check-options.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { SessionStore } from "./session-store.ts";
import type { Session, Store } from "./types.ts";
import { reportTo, warnOfError } from "./warn.ts";

export interface JsonlSessionsOptions {
  /** Told of each write and read that failed. @default process.emitWarning */
  readonly onError?: (error: LonghandError) => void;
}

export class JsonlSessions implements SessionStore {
  readonly #store: Store;
  readonly #report: (error: unknown) => void;
  readonly #writes: PendingWrites;

  constructor(store: Store, options: JsonlSessionsOptions = {}) {
    checkOptions("JsonlSessions", options, { onError: callback });
    this.#store = store;
    this.#report = reportTo(options.onError ?? warnOfError);
    this.#writes = new PendingWrites(this.#report);
  }

  async addMessage(key: string, role: Message["role"], content: string): Promise<void> {
    await this.addFullMessage(key, { role, content });
  }

  async addFullMessage(key: string, message: Message): Promise<void> {
    await this.#write(key, (session) => session.append(mapOpenAIShape(message)));
  }

  async getHistory(key: string): Promise<Message[]> {
    return await this.#read<Message[]>(key, [], (session) => session.messages());
  }

  async getSummary(key: string): Promise<string> {
    return await this.#read(key, "", async (session) => (await session.state())?.summary ?? "");
  }

  async setSummary(key: string, summary: string): Promise<void> {
    await this.#write(key, (session) => session.setSummary(summary));
  }

  async setHistory(key: string, messages: readonly Message[]): Promise<void> {
    await this.#write(key, (session) =>
      session.replace(
        Array.isArray(messages) ? messages.map((message: Message) => mapOpenAIShape(message)) : messages,
      ),
    );
  }

  async truncateHistory(key: string, keepLast: number): Promise<void> {
    await this.#write(key, (session) => session.truncate({ keepLast: Math.max(0, keepLast) }));
  }

  async save(key: string): Promise<void> {
    await this.#writes.barrier(key);
    try {
      await this.#store.reclaim({ keys: [key] });
    } catch (error) {
      // A store that only reads has no space to save; had something been written to it, the barrier had told.
      if (!isLonghandError(error, "STORE_READ_ONLY")) throw error;
    }
  }

  async listSessions(): Promise<string[]> {
    await this.#writes.settled();
    const keys: string[] = [];
    try {
      for await (const { key } of this.#store.list({ order: "key" })) keys.push(key);
      return keys;
    } catch (error) {
      this.#report(error);
      return [];
    }
  }

  /** Closes the store too, and rejects if that fails. */
  async close(): Promise<void> {
    await this.#writes.settled();
    await this.#store.close();
  }

  async #write(key: string, write: (session: Session) => Promise<unknown>): Promise<void> {
    await this.#writes.add(key, async () => await write(this.#store.session(key)));
  }

  async #read<T>(key: string, empty: T, read: (session: Session) => Promise<T>): Promise<T> {
    await this.#writes.settled(key);
    try {
      return await read(this.#store.session(key));
    } catch (error) {
      this.#report(error);
      return empty;
    }
  }
}
