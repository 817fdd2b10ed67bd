/** The public face of the store: what docs and callers speak of. Meanings are in docs/store.md. */

import type { LonghandError } from "../errors.ts";
import type { Message } from "../record/message.ts";
import type { Damage, SessionInfo, SessionRecord } from "../record/session-record.ts";

export interface StoreOptions {
  /** "sync": acknowledged means on the disk. "os": a power cut may lose the last moments. @default "sync" */
  readonly durability?: "sync" | "os";
  /** Reads only, takes no lock, creates nothing. @default false */
  readonly readOnly?: boolean;
  /** Told of each damaged place once. @default process.emitWarning */
  readonly onDamage?: (damage: Damage) => void;
  /** Told of failures that no call can report, such as a landing that must be tried again. @default process.emitWarning */
  readonly onError?: (error: LonghandError) => void;
}

export interface ListOptions {
  readonly status?: "active" | "archived" | "trashed" | "any";
  readonly order?: "updated" | "created" | "key";
  readonly prefix?: string;
  readonly limit?: number;
  /** The key of the last one seen; or its id, where a key has several sessions. */
  readonly after?: string;
}

export interface SearchOptions {
  readonly limit?: number;
  readonly keys?: readonly string[];
}

export interface SearchHit<M extends Message = Message> {
  readonly key: string;
  readonly seq: number;
  readonly snippet: string;
  readonly score: number;
  readonly message: M;
}

export interface Store<M extends Message = Message> extends AsyncDisposable {
  readonly directory: string | undefined;
  /** No I/O until it is used. */
  session(key: string): Session<M>;
  /** Newest activity first, unless asked otherwise. */
  list(options?: ListOptions): AsyncIterable<SessionInfo>;
  /** Over everything kept: tool output and cut messages too. Never fails on the text of a query. */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit<M>[]>;
  /** Waits for pending writes, lands and syncs them; idempotent. */
  close(): Promise<void>;
}

export interface Written {
  readonly seq: number;
}

export interface WriteOptions {
  /** The seq this write builds on; 0: the session must not exist yet. Otherwise SEQ_CONFLICT, and nothing is written. */
  readonly expectedSeq?: number;
}

export interface IdentifiedWriteOptions extends WriteOptions {
  /** Makes a retry safe: the same id with the same body is written once. */
  readonly id?: string;
}

export interface Session<M extends Message = Message> {
  readonly key: string;
  /** An array is one atomic batch; it resolves with the seq of its last message. */
  append(message: M | readonly M[], options?: IdentifiedWriteOptions): Promise<Written>;
  /** The live view, oldest first; each message deep-equal to what was appended. */
  messages(options?: { last?: number; from?: number; to?: number }): Promise<M[]>;
  /** The live view as it was when the iteration began, in constant memory. */
  iterate(options?: { from?: number; reverse?: boolean }): AsyncIterable<M>;
  /** The log itself, with seq and time: every record that is still kept, or (`live`) only the messages of the view. */
  records(options?: {
    last?: number;
    from?: number;
    to?: number;
    reverse?: boolean;
    live?: boolean;
  }): AsyncIterable<SessionRecord<M>>;
  state(): Promise<SessionInfo | undefined>;
  exists(): Promise<boolean>;
  setSummary(summary: string, options?: WriteOptions): Promise<Written>;
  setTitle(title: string, options?: WriteOptions): Promise<Written>;
  setTags(tags: readonly string[], options?: WriteOptions): Promise<Written>;
  /** A durable fact in the session's order that is no message. The model never sees it. */
  note(kind: string, data: unknown, options?: IdentifiedWriteOptions): Promise<Written>;
  truncate(cut: { keepLast: number } | { keepFrom: number }, options?: WriteOptions): Promise<Written>;
  rewind(cut: { messages: number } | { to: number }, options?: WriteOptions): Promise<Written>;
  compact(cut: { summary: string; keepFrom: number }, options?: WriteOptions): Promise<Written>;
  /** The whole history, atomically; { summary } sets that too. */
  replace(messages: readonly M[], options?: WriteOptions & { summary?: string }): Promise<Written>;
  /** Puts the active session away. Reading its key reads it; writing to its key restores it first. */
  archive(): Promise<void>;
  /** The newest archived session, else the newest in the trash; or the one with this id. */
  restore(options?: { id?: string }): Promise<void>;
  /** To the trash, with all archived ones of the key; `forever`: from the trash too. The next write begins anew. */
  delete(options?: { forever?: boolean }): Promise<void>;
}
