/** LangChain's file history: one JSON file for all sessions, read at the first use and written anew at each message. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileSystemChatMessageHistory } from "@langchain/community/stores/message/file_system";
import type { BaseMessage, StoredMessage } from "@langchain/core/messages";
import type { BuildStore, Candidate, Driver, OpenedStore } from "../candidate.ts";
import type { BenchMessage } from "../message-mix.ts";

type Messages = typeof import("@langchain/core/messages");
type Histories = typeof import("@langchain/community/stores/message/file_system");

const USER = "bench";
const FILE = "history.json";

export const langchainFile: Candidate = {
  name: "langchain-file",
  title: "LangChain FileSystemChatMessageHistory",
  peer: "@langchain/community",
  isDurable: false,
  isReduced: true,
  load: async () => {
    const messages = await import("@langchain/core/messages");
    return new LangChainDriver(messages, await import("@langchain/community/stores/message/file_system"));
  },
};

class LangChainDriver implements Driver<BaseMessage> {
  readonly #messages: Messages;
  readonly #histories: Histories;

  constructor(messages: Messages, histories: Histories) {
    this.#messages = messages;
    this.#histories = histories;
  }

  toOwn({ role, content, created_at, tool_calls = [], tool_call_id = "" }: BenchMessage): BaseMessage {
    const fields = { content, additional_kwargs: { created_at } };
    if (role === "user") return new this.#messages.HumanMessage(fields);
    if (role === "tool") return new this.#messages.ToolMessage({ ...fields, tool_call_id });
    const calls = tool_calls.map(({ id, name, arguments: json }) => {
      return { id, name, args: JSON.parse(json) as unknown, type: "tool_call" as const };
    });
    return new this.#messages.AIMessage({ ...fields, tool_calls: calls });
  }

  fromOwn({ type, content, additional_kwargs, tool_calls = [], tool_call_id }: BaseMessage): BenchMessage {
    const calls = tool_calls.map(({ id, name, args }) => ({ id, name, arguments: JSON.stringify(args) }));
    return {
      role: type === "human" ? "user" : type === "ai" ? "assistant" : "tool",
      content,
      created_at: additional_kwargs["created_at"] as string,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(tool_call_id !== undefined && { tool_call_id }),
    };
  }

  /** It loads its file at the first use: asking for the sessions is what makes it ready. */
  async open(directory: string): Promise<LangChainStore> {
    const store = new LangChainStore(this.#histories, join(directory, FILE));
    await store.ready();
    return store;
  }

  /** Its own way would write the whole file for each message: the file is written once, in its format. */
  openForBuild(directory: string): BuildStore<BaseMessage> {
    const sessions: Record<string, { messages: StoredMessage[] }> = {};
    return {
      appendBatch: (key, messages) => {
        const stored = this.#messages.mapChatMessagesToStoredMessages(messages);
        (sessions[key] ??= { messages: [] }).messages.push(...stored);
      },
      close: () => writeFileSync(join(directory, FILE), JSON.stringify({ [USER]: sessions })),
    };
  }
}

class LangChainStore implements OpenedStore<BaseMessage> {
  readonly #histories: Histories;
  readonly #filePath: string;

  constructor(histories: Histories, filePath: string) {
    this.#histories = histories;
    this.#filePath = filePath;
  }

  async ready(): Promise<void> {
    await this.#history("").getAllSessions();
  }

  async append(key: string, message: BaseMessage): Promise<void> {
    await this.#history(key).addMessage(message);
  }

  async tail(key: string, count: number): Promise<readonly BaseMessage[]> {
    return (await this.load(key)).slice(-count);
  }

  async load(key: string): Promise<readonly BaseMessage[]> {
    return await this.#history(key).getMessages();
  }

  close(): void {
    // It holds nothing open.
  }

  #history(key: string): FileSystemChatMessageHistory {
    const options = { sessionId: key, userId: USER, filePath: this.#filePath };
    return new this.#histories.FileSystemChatMessageHistory(options);
  }
}
