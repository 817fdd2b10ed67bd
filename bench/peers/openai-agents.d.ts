/** The part of OpenAI's agents SDK that the benchmark uses. */
declare module "@openai/agents-core" {
  export type AgentInputItem = Readonly<Record<string, unknown>>;
  export class MemorySession {
    addItems(items: readonly AgentInputItem[]): Promise<void>;
    getItems(): Promise<AgentInputItem[]>;
  }
}
