/** The parts of LangChain's packages that the benchmark uses. */
declare module "@langchain/core/messages" {
  export interface MessageFields {
    readonly content: string;
    readonly additional_kwargs?: Readonly<Record<string, unknown>>;
    readonly tool_calls?: readonly LangChainToolCall[];
    readonly tool_call_id?: string;
  }
  export interface LangChainToolCall {
    readonly id: string;
    readonly name: string;
    readonly args: unknown;
    readonly type?: "tool_call";
  }
  export interface StoredMessage {
    readonly type: string;
    readonly data: unknown;
  }
  export class BaseMessage {
    constructor(fields: MessageFields);
    readonly type: string;
    readonly content: string;
    readonly additional_kwargs: Readonly<Record<string, unknown>>;
    readonly tool_calls?: readonly LangChainToolCall[];
    readonly tool_call_id?: string;
  }
  export class HumanMessage extends BaseMessage {}
  export class AIMessage extends BaseMessage {}
  export class ToolMessage extends BaseMessage {}
  export function mapChatMessagesToStoredMessages(messages: readonly BaseMessage[]): StoredMessage[];
}

declare module "@langchain/community/stores/message/file_system" {
  import type { BaseMessage } from "@langchain/core/messages";
  export class FileSystemChatMessageHistory {
    constructor(options: { readonly sessionId: string; readonly userId: string; readonly filePath: string });
    addMessage(message: BaseMessage): Promise<void>;
    getMessages(): Promise<BaseMessage[]>;
    getAllSessions(): Promise<readonly { readonly id: string }[]>;
  }
}

declare module "@langchain/langgraph-checkpoint" {
  export interface Checkpoint {
    readonly v: number;
    readonly id: string;
    readonly ts: string;
    readonly channel_values: Readonly<Record<string, unknown>>;
    readonly channel_versions: Readonly<Record<string, number>>;
    readonly versions_seen: Readonly<Record<string, never>>;
  }
  export function emptyCheckpoint(): Checkpoint;
  export function uuid6(clockSequence: number): string;
}

declare module "@langchain/langgraph-checkpoint-sqlite" {
  import type { Checkpoint } from "@langchain/langgraph-checkpoint";
  export interface Config {
    readonly configurable: {
      readonly thread_id?: string;
      readonly checkpoint_ns?: string;
      readonly checkpoint_id?: string;
    };
  }
  export interface CheckpointTuple {
    readonly config: Config;
    readonly checkpoint: Checkpoint;
    readonly metadata: Readonly<Record<string, unknown>>;
  }
  export class SqliteSaver {
    static fromConnString(path: string): SqliteSaver;
    readonly db: { close(): unknown };
    put(config: Config, checkpoint: Checkpoint, metadata: Readonly<Record<string, unknown>>): Promise<Config>;
    getTuple(config: Config): Promise<CheckpointTuple | undefined>;
    list(config: { readonly configurable: object }): AsyncIterable<CheckpointTuple>;
  }
}
