/**
 * The seeds' contract over a store: each write is in the log, durable, when it ends, and `save` waits, tells, and
 * compresses what is cold. What a cut hides stays in the log.
 */

import { isLonghandError, type LonghandError } from "../errors.ts";
import { mapOpenAIShape } from "../messages/openai.ts";
import type { Message } from "../format/message.ts";
import { callback, checkOptions } from "./check-options.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { SessionStore } from "./session-store.ts";
import type { Session, Store } from "../contract/types.ts";
import { reportTo, warnOfError } from "./warn.ts";

export interface JsonlSessionsOptions {
  /** Told of each write and read that failed. @default process.emitWarning */
  readonly onError?: (error: LonghandError) => void;
}

export class JsonlSessions implements SessionStore {
  readonly #given: Store | (() => Promise<Store>);
  #opening: Promise<Store> | undefined;
  readonly #report: (error: unknown) => void;
  readonly #writes: PendingWrites;

  /** `store`: given, or opened by the first call; writes keep the order of the calls in either case. */
  constructor(store: Store | (() => Promise<Store>), options: JsonlSessionsOptions = {}) {
    checkOptions("JsonlSessions", options, { onError: callback });
    this.#given = store;
    this.#report = reportTo(options.onError ?? warnOfError);
    this.#writes = new PendingWrites(this.#report);
  }

  async addMessage(key: string, role: Message["role"], content: string): Promise<void> {
    await this.addFullMessage(key, { role, content });
  }

  async addFullMessage(key: string, message: Message): Promise<void> {
    const kept = this.#keep(message);
    await this.#write(key, (session) => session.append(mapOpenAIShape(kept)));
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
      await this.#use(async (store) => await store.reclaim({ keys: [key] }));
    } catch (error) {
      // A store that only reads has no space to save; had something been written to it, the barrier had told.
      if (!isLonghandError(error, "STORE_READ_ONLY")) throw error;
    }
  }

  async listSessions(): Promise<string[]> {
    await this.#writes.settled();
    const keys: string[] = [];
    try {
      for await (const { key } of (await this.#use(async (store) => await Promise.resolve(store))).list({
        order: "key",
      }))
        keys.push(key);
      return keys;
    } catch (error) {
      this.#report(error);
      return [];
    }
  }

  /** Closes the store too, and rejects if that fails. */
  async close(): Promise<void> {
    await this.#writes.settled();
    await this.#use(async (store) => await store.close());
  }

  async #write(key: string, write: (session: Session) => Promise<unknown>): Promise<void> {
    await this.#writes.add(
      key,
      async () => await this.#use(async (store) => await write(store.session(key))),
    );
  }

  async #read<T>(key: string, empty: T, read: (session: Session) => Promise<T>): Promise<T> {
    await this.#writes.settled(key);
    try {
      return await this.#use(async (store) => await read(store.session(key)));
    } catch (error) {
      this.#report(error);
      return empty;
    }
  }

  /** The caller may change what it gave before a store that is still being opened can copy it. */
  #keep<T>(value: T): T {
    return typeof this.#given === "function" ? copyOf(value) : value;
  }

  /** Calls reach the store in their order: at once, or all of them when it is open. */
  async #use<T>(task: (store: Store) => Promise<T>): Promise<T> {
    if (typeof this.#given !== "function") return await task(this.#given);
    this.#opening ??= this.#given();
    return await this.#opening.then(task);
  }
}

/** What cannot be copied is refused by the store, with its reason. */
function copyOf<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
