/** Longhand itself, through its public door. */

import type { Message, Store, StoreOptions } from "@longhand/store";
import type { Candidate, Driver, FoundMessage, ListedSession, OpenedStore } from "../candidate.ts";
import type { BenchMessage } from "../message-mix.ts";

type OpenStore = (directory: string, options: StoreOptions) => Promise<Store>;
/** Its extra field is kept as given. */
type OwnMessage = Message & { readonly created_at: string };

const MORE_HITS_THAN_THERE_ARE = 1_000_000;

export const longhand: Candidate = {
  name: "longhand",
  title: "Longhand",
  isDurable: true,
  load: async () => {
    const { openStore } = await import("@longhand/store");
    return new LonghandDriver(openStore);
  },
};

class LonghandDriver implements Driver<OwnMessage> {
  readonly #openStore: OpenStore;

  constructor(openStore: OpenStore) {
    this.#openStore = openStore;
  }

  toOwn({ tool_calls, tool_call_id, ...message }: BenchMessage): OwnMessage {
    return {
      ...message,
      ...(tool_calls && { toolCalls: tool_calls }),
      ...(tool_call_id !== undefined && { toolCallId: tool_call_id }),
    };
  }

  fromOwn({ role, content, created_at, toolCalls, toolCallId }: OwnMessage): BenchMessage {
    return {
      ...{ role, content, created_at },
      ...(toolCalls && { tool_calls: toolCalls }),
      ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    } as BenchMessage;
  }

  async open(directory: string, mode: "sync" | "os"): Promise<LonghandStore> {
    const problems: string[] = [];
    const store = await this.#openStore(directory, {
      durability: mode,
      onDamage: ({ file, reason }) => problems.push(`${file}: ${reason}`),
      onError: ({ message }) => problems.push(message),
    });
    return new LonghandStore(store, problems);
  }
}

class LonghandStore implements OpenedStore<OwnMessage> {
  readonly #store: Store;
  /** What the store reports beside its calls. There must be nothing when it is closed. */
  readonly #problems: readonly string[];

  constructor(store: Store, problems: readonly string[]) {
    this.#store = store;
    this.#problems = problems;
  }

  async append(key: string, message: OwnMessage): Promise<void> {
    await this.#store.session(key).append(message);
  }

  async appendBatch(key: string, messages: readonly OwnMessage[]): Promise<void> {
    await this.#store.session(key).append(messages);
  }

  async setTitle(key: string, title: string): Promise<void> {
    await this.#store.session(key).setTitle(title);
  }

  async tail(key: string, count: number): Promise<readonly OwnMessage[]> {
    return (await this.#store.session(key).messages({ last: count })) as OwnMessage[];
  }

  async load(key: string): Promise<readonly OwnMessage[]> {
    return (await this.#store.session(key).messages()) as OwnMessage[];
  }

  iterate(key: string): AsyncIterable<OwnMessage> {
    return this.#store.session(key).iterate() as AsyncIterable<OwnMessage>;
  }

  async count(key: string): Promise<number> {
    return (await this.#store.session(key).state())?.count ?? 0;
  }

  async truncate(key: string, keepLast: number): Promise<void> {
    await this.#store.session(key).truncate({ keepLast });
  }

  async rewind(key: string, messages: number): Promise<void> {
    await this.#store.session(key).rewind({ messages });
  }

  async fork(key: string, newKey: string): Promise<void> {
    await this.#store.session(key).fork(newKey);
  }

  async list(): Promise<readonly ListedSession[]> {
    const listed: ListedSession[] = [];
    for await (const { key, title = "", count, updated } of this.#store.list())
      listed.push({ key, title, count, updated });
    return listed;
  }

  async search(word: string): Promise<readonly FoundMessage<OwnMessage>[]> {
    const hits = await this.#store.search(word, { limit: MORE_HITS_THAN_THERE_ARE });
    return hits.map(({ key, message }) => ({ key, message: message as OwnMessage }));
  }

  async close(): Promise<void> {
    await this.#store.close();
    if (this.#problems.length > 0) throw new Error(`the store reports: ${this.#problems.join("; ")}`);
  }
}
