/** MemorySession of OpenAI's agents SDK: in memory only, each item cloned. A message with a call is two items. */

import type { AgentInputItem, MemorySession } from "@openai/agents-core";
import type { Candidate, Driver, OpenedStore } from "../candidate.ts";
import { TOOL_NAME, type BenchMessage } from "../message-mix.ts";

export const openaiMemory: Candidate = {
  name: "openai-memory",
  title: "OpenAI MemorySession (memory only)",
  peer: "@openai/agents-core",
  isDurable: false,
  isVolatile: true,
  load: async () => {
    const { MemorySession } = await import("@openai/agents-core");
    return new OpenAiDriver(() => new MemorySession());
  },
};

type OwnMessage = readonly AgentInputItem[];
interface KnownItem {
  readonly type: "message" | "function_call" | "function_call_result";
  readonly role?: "user" | "assistant";
  readonly content?: string | readonly { readonly text: string }[];
  readonly callId?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: string;
  readonly providerData: { readonly created_at: string };
}

class OpenAiDriver implements Driver<OwnMessage> {
  readonly #newSession: () => MemorySession;

  constructor(newSession: () => MemorySession) {
    this.#newSession = newSession;
  }

  toOwn({ role, content, created_at, tool_calls = [], tool_call_id }: BenchMessage): OwnMessage {
    const providerData = { created_at };
    const status = "completed";
    if (role === "user") return [{ type: "message", role, content, providerData }];
    if (role === "tool") {
      const result = { type: "function_call_result", name: TOOL_NAME, callId: tool_call_id };
      return [{ ...result, status, output: content, providerData }];
    }
    const text = [{ type: "output_text", text: content }];
    return [
      { type: "message", role, status, content: text, providerData },
      ...tool_calls.map(({ id, name, arguments: json }) => {
        return { type: "function_call", callId: id, name, status, arguments: json, providerData };
      }),
    ];
  }

  fromOwn(items: OwnMessage): BenchMessage {
    const [first, ...calls] = items as unknown as readonly [KnownItem, ...KnownItem[]];
    const { role = "user", content = "", callId = "", output = "" } = first;
    const { created_at } = first.providerData;
    if (first.type === "function_call_result")
      return { role: "tool", content: output, created_at, tool_call_id: callId };
    return {
      role,
      content: typeof content === "string" ? content : content.map(({ text }) => text).join(""),
      created_at,
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => {
          return { id: call.callId ?? "", name: call.name ?? "", arguments: call.arguments ?? "" };
        }),
      }),
    };
  }

  open(): OpenAiStore {
    return new OpenAiStore(this.#newSession);
  }
}

class OpenAiStore implements OpenedStore<OwnMessage> {
  readonly #newSession: () => MemorySession;
  readonly #sessions = new Map<string, MemorySession>();

  constructor(newSession: () => MemorySession) {
    this.#newSession = newSession;
  }

  async append(key: string, items: OwnMessage): Promise<void> {
    await this.#session(key).addItems(items);
  }

  async load(key: string): Promise<readonly OwnMessage[]> {
    const messages: AgentInputItem[][] = [];
    for (const item of await this.#session(key).getItems()) {
      if (item["type"] === "function_call") messages.at(-1)?.push(item);
      else messages.push([item]);
    }
    return messages;
  }

  close(): void {
    this.#sessions.clear();
  }

  #session(key: string): MemorySession {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const session = this.#newSession();
    this.#sessions.set(key, session);
    return session;
  }
}
