/**
 * The session manager of pi (@mariozechner/pi-coding-agent): one JSONL file a session, never synced. Its module is taken
 * from the package's files, because the package's door loads the whole agent with its terminal.
 */

import { join } from "node:path";
import type { BuildStore, Candidate, Driver, ListedSession, OpenedStore } from "../candidate.ts";
import { TOOL_NAME, type BenchMessage } from "../message-mix.ts";

const MODULE = "../../node_modules/@mariozechner/pi-coding-agent/dist/core/session-manager.js";

interface TextPart {
  readonly type: "text";
  readonly text: string;
}
interface CallPart {
  readonly type: "toolCall";
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}
interface PiMessage {
  readonly role: "user" | "assistant" | "toolResult";
  readonly content: readonly (TextPart | CallPart)[];
  readonly timestamp: number;
  readonly toolCallId?: string;
}
interface SessionManager {
  appendMessage(message: PiMessage): string;
  appendSessionInfo(name: string): string;
  buildSessionContext(): { readonly messages: readonly PiMessage[] };
}
interface SessionManagers {
  open(path: string): SessionManager;
  list(
    directory: string,
    sessions: string,
  ): Promise<
    readonly {
      readonly path: string;
      readonly name?: string;
      readonly messageCount: number;
      readonly modified: Date;
    }[]
  >;
}

const NO_USAGE = {
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const ASSISTANT = { api: "a", provider: "p", model: "m", usage: NO_USAGE, stopReason: "stop" };

export const pi: Candidate = {
  name: "pi",
  title: "pi's session manager",
  peer: "@mariozechner/pi-coding-agent",
  isDurable: false,
  load: async () => {
    const module = (await import(new URL(MODULE, import.meta.url).href)) as {
      readonly SessionManager: SessionManagers;
    };
    return new PiDriver(module.SessionManager);
  },
};

class PiDriver implements Driver<PiMessage> {
  readonly #managers: SessionManagers;

  constructor(managers: SessionManagers) {
    this.#managers = managers;
  }

  toOwn({ role, content, created_at, tool_calls = [], tool_call_id }: BenchMessage): PiMessage {
    const timestamp = Date.parse(created_at);
    const text: TextPart = { type: "text", text: content };
    if (role === "user") return { role, content: [text], timestamp };
    if (tool_call_id !== undefined) {
      const result = { toolCallId: tool_call_id, toolName: TOOL_NAME, isError: false };
      return { role: "toolResult", ...result, content: [text], timestamp };
    }
    const calls = tool_calls.map(({ id, name, arguments: json }): CallPart => {
      return { type: "toolCall", id, name, arguments: JSON.parse(json) as unknown };
    });
    return { role: "assistant", ...ASSISTANT, content: [text, ...calls], timestamp };
  }

  fromOwn({ role, content, timestamp, toolCallId }: PiMessage): BenchMessage {
    const calls = content.flatMap((part) =>
      part.type === "toolCall"
        ? [{ id: part.id, name: part.name, arguments: JSON.stringify(part.arguments) }]
        : [],
    );
    return {
      role: role === "toolResult" ? "tool" : role,
      content: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
      created_at: new Date(timestamp).toISOString(),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    };
  }

  open(directory: string): PiStore {
    return new PiStore(this.#managers, directory);
  }

  openForBuild(directory: string): BuildStore<PiMessage> {
    const store = this.open(directory);
    return {
      appendBatch: (key, messages) => messages.forEach((message) => store.append(key, message)),
      setTitle: (key, title) => store.setTitle(key, title),
      close: () => store.close(),
    };
  }
}

class PiStore implements OpenedStore<PiMessage> {
  readonly #managers: SessionManagers;
  readonly #directory: string;
  readonly #sessions = new Map<string, SessionManager>();

  constructor(managers: SessionManagers, directory: string) {
    this.#managers = managers;
    this.#directory = directory;
  }

  append(key: string, message: PiMessage): void {
    this.#session(key).appendMessage(message);
  }

  /** The last that a build does to a session. A manager holds all of its messages, so it is dropped then. */
  setTitle(key: string, title: string): void {
    this.#session(key).appendSessionInfo(title);
    this.#sessions.delete(key);
  }

  tail(key: string, count: number): readonly PiMessage[] {
    return this.load(key).slice(-count);
  }

  load(key: string): readonly PiMessage[] {
    return this.#session(key).buildSessionContext().messages;
  }

  async list(): Promise<readonly ListedSession[]> {
    const sessions = await this.#managers.list(this.#directory, this.#directory);
    return sessions.map(({ path, name = "", messageCount, modified }) => ({
      key: path.slice(path.lastIndexOf("/") + 1, -".jsonl".length),
      ...{ title: name, count: messageCount, updated: modified.toISOString() },
    }));
  }

  close(): void {
    this.#sessions.clear();
  }

  #session(key: string): SessionManager {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const session = this.#managers.open(join(this.#directory, `${key}.jsonl`));
    this.#sessions.set(key, session);
    return session;
  }
}
