/**
 * LangGraph's SqliteSaver: each append is a checkpoint with the whole list of messages, as a graph with a `messages`
 * channel writes it. It sets WAL and no `synchronous`, which better-sqlite3 builds as NORMAL: not durable at once.
 */

import { join } from "node:path";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { BuildStore, Candidate, Driver, ListedSession, OpenedStore } from "../candidate.ts";
import { sessionTitle, sessionNumber, type BenchMessage } from "../message-mix.ts";

interface Modules {
  readonly emptyCheckpoint: () => Checkpoint;
  readonly uuid6: (clockSequence: number) => string;
  readonly SqliteSaver: { fromConnString(path: string): SqliteSaver };
}

export const langgraphSqlite: Candidate = {
  name: "langgraph-sqlite",
  title: "LangGraph SqliteSaver",
  peer: "@langchain/langgraph-checkpoint-sqlite",
  isDurable: false,
  isReduced: true,
  load: async () => {
    const { emptyCheckpoint, uuid6 } = await import("@langchain/langgraph-checkpoint");
    const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
    return new LangGraphDriver({ emptyCheckpoint, uuid6, SqliteSaver });
  },
};

class LangGraphDriver implements Driver<BenchMessage> {
  readonly #modules: Modules;

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  toOwn(message: BenchMessage): BenchMessage {
    return message;
  }

  fromOwn(own: BenchMessage): BenchMessage {
    return own;
  }

  open(directory: string): LangGraphStore {
    return new LangGraphStore(this.#modules, directory);
  }

  /** One checkpoint a session, with all of its messages: those before it would only be read past. */
  openForBuild(directory: string): BuildStore<BenchMessage> {
    const store = this.open(directory);
    const waiting = new Map<string, BenchMessage[]>();
    const write = async (): Promise<void> => {
      for (const [key, messages] of waiting) await store.put(key, messages);
      waiting.clear();
    };
    return {
      appendBatch: async (key, messages) => {
        if (!waiting.has(key)) await write();
        waiting.set(key, [...(waiting.get(key) ?? []), ...messages]);
      },
      close: async () => {
        await write();
        store.close();
      },
    };
  }
}

class LangGraphStore implements OpenedStore<BenchMessage> {
  readonly #modules: Modules;
  readonly #saver: SqliteSaver;
  /** What the graph has in memory while it runs. */
  readonly #messages = new Map<string, BenchMessage[]>();

  constructor(modules: Modules, directory: string) {
    this.#modules = modules;
    this.#saver = modules.SqliteSaver.fromConnString(join(directory, "checkpoints.db"));
  }

  async append(key: string, message: BenchMessage): Promise<void> {
    const messages = this.#messages.get(key) ?? [...(await this.load(key))];
    messages.push(message);
    this.#messages.set(key, messages);
    await this.put(key, messages);
  }

  async put(key: string, messages: readonly BenchMessage[]): Promise<void> {
    const checkpoint = {
      ...this.#modules.emptyCheckpoint(),
      id: this.#modules.uuid6(0),
      ts: messages.at(-1)?.created_at ?? "",
      channel_values: { messages },
      channel_versions: { messages: messages.length },
    };
    const metadata = { source: "loop", step: messages.length, title: sessionTitle(sessionNumber(key)) };
    await this.#saver.put({ configurable: { thread_id: key, checkpoint_ns: "" } }, checkpoint, metadata);
  }

  async tail(key: string, count: number): Promise<readonly BenchMessage[]> {
    return (await this.load(key)).slice(-count);
  }

  async load(key: string): Promise<readonly BenchMessage[]> {
    const tuple = await this.#saver.getTuple({ configurable: { thread_id: key, checkpoint_ns: "" } });
    return tuple === undefined ? [] : messagesIn(tuple.checkpoint);
  }

  async list(): Promise<readonly ListedSession[]> {
    const listed: ListedSession[] = [];
    for await (const { config, checkpoint, metadata } of this.#saver.list({ configurable: {} })) {
      const count = messagesIn(checkpoint).length;
      const title = metadata["title"] as string;
      listed.push({ key: config.configurable.thread_id ?? "", title, count, updated: checkpoint.ts });
    }
    return listed;
  }

  close(): void {
    this.#saver.db.close();
  }
}

function messagesIn(checkpoint: Checkpoint): readonly BenchMessage[] {
  return checkpoint.channel_values["messages"] as readonly BenchMessage[];
}
