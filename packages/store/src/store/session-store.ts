import type { Message } from "../format/message.ts";

/**
 * The contract of the agents that Longhand succeeds, for programs written against it. Writes never reject and reads
 * give empty values on failure; both report to `onError`. Whoever needs to know calls `save`, the barrier. A setter on
 * an unknown key creates the session. The writes of one key happen in the order of the calls, awaited or not, and a
 * read sees all writes called before it. docs/session-store.md tells which implementation is for what.
 */
export interface SessionStore {
  addMessage(key: string, role: Message["role"], content: string): Promise<void>;
  /** Also with PicoClaw's names (`tool_calls`, `tool_call_id`): it is kept, and read, with ours. */
  addFullMessage(key: string, message: Message): Promise<void>;
  /** A copy. */
  getHistory(key: string): Promise<Message[]>;
  getSummary(key: string): Promise<string>;
  setSummary(key: string, summary: string): Promise<void>;
  /** In place of all messages; the summary stays. */
  setHistory(key: string, messages: readonly Message[]): Promise<void>;
  /** 0 or less clears. The summary stays. */
  truncateHistory(key: string, keepLast: number): Promise<void>;
  /** The barrier: rejects with the first failure of that key since the last save. */
  save(key: string): Promise<void>;
  listSessions(): Promise<string[]>;
  close(): Promise<void>;
}
