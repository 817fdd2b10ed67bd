/**
 * The fixed face of @longhand/store: the names, parameters and results that other programs are written against, set
 * down a second time and on purpose without importing them. face-matches.ts compares the package with it, so that a
 * change there which would break a caller is a compile error here. It grows with the store and is never loosened.
 */

export interface FaceMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly FacePart[];
  readonly name?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  readonly toolCallId?: string;
  readonly isError?: boolean;
  readonly reasoning?: string;
  readonly model?: string;
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens?: number;
  };
  readonly stopReason?: string;
}

export type FacePart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      readonly mediaType: string;
      readonly data: string;
      readonly name?: string;
    }
  | { readonly type: string; readonly [field: string]: unknown };

export interface FaceStoreOptions {
  readonly durability?: "sync" | "os";
  readonly readOnly?: boolean;
  readonly migrate?: boolean;
  readonly onForeign?: (files: readonly string[]) => void;
  readonly onMigrated?: (migrated: {
    readonly keys: readonly string[];
    readonly originals: readonly string[];
  }) => void;
  readonly onDamage?: (damage: FaceDamage) => void;
  readonly onError?: (error: FaceError) => void;
}

export interface FaceStore<M extends FaceMessage = FaceMessage> {
  readonly directory: string | undefined;
  session(key: string): FaceSession<M>;
  list(options?: {
    status?: "active" | "archived" | "trashed" | "any";
    order?: "updated" | "created" | "key";
    prefix?: string;
    limit?: number;
    after?: string;
  }): AsyncIterable<FaceSessionInfo>;
  search(
    query: string,
    options?: { limit?: number; keys?: readonly string[] },
  ): Promise<readonly FaceSearchHit<M>[]>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): PromiseLike<void>;
}

interface Written {
  readonly seq: number;
}
interface Write {
  readonly expectedSeq?: number;
}
interface IdentifiedWrite extends Write {
  readonly id?: string;
}

export interface FaceSession<M extends FaceMessage = FaceMessage> {
  readonly key: string;
  append(message: M | readonly M[], options?: IdentifiedWrite): Promise<Written>;
  messages(options?: { last?: number; from?: number; to?: number }): Promise<M[]>;
  iterate(options?: { from?: number; reverse?: boolean }): AsyncIterable<M>;
  records(options?: {
    last?: number;
    from?: number;
    to?: number;
    reverse?: boolean;
    live?: boolean;
  }): AsyncIterable<FaceRecord<M>>;
  state(): Promise<FaceSessionInfo | undefined>;
  exists(): Promise<boolean>;
  setSummary(summary: string, options?: Write): Promise<Written>;
  setTitle(title: string, options?: Write): Promise<Written>;
  setTags(tags: readonly string[], options?: Write): Promise<Written>;
  note(kind: string, data: unknown, options?: IdentifiedWrite): Promise<Written>;
  truncate(cut: { keepLast: number } | { keepFrom: number }, options?: Write): Promise<Written>;
  rewind(cut: { messages: number } | { to: number }, options?: Write): Promise<Written>;
  compact(cut: { summary: string; keepFrom: number }, options?: Write): Promise<Written>;
  replace(messages: readonly M[], options?: Write & { summary?: string }): Promise<Written>;
  archive(): Promise<void>;
  restore(options?: { id?: string }): Promise<void>;
  delete(options?: { forever?: boolean }): Promise<void>;
}

export interface FaceSessionInfo {
  readonly key: string;
  readonly id: string;
  readonly status: "active" | "archived" | "trashed";
  readonly seq: number;
  readonly count: number;
  readonly summary: string;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly created: string;
  readonly updated: string;
  readonly bytes: number;
  readonly damaged: number;
}

type Numbered<Rest> = { readonly seq: number; readonly at: string } & Rest;

export type FaceRecord<M extends FaceMessage = FaceMessage> =
  | Numbered<{ readonly op?: undefined; readonly message: M }>
  | Numbered<{ readonly op: "summary"; readonly summary: string }>
  | Numbered<{ readonly op: "truncate"; readonly keepFrom: number }>
  | Numbered<{ readonly op: "rewind"; readonly to: number }>
  | Numbered<{ readonly op: "compact"; readonly summary: string; readonly keepFrom: number }>
  | Numbered<{ readonly op: "reset"; readonly summary?: string }>
  | Numbered<{ readonly op: "meta"; readonly title?: string; readonly tags?: readonly string[] }>
  | Numbered<{ readonly op: "note"; readonly kind: string; readonly data: unknown }>
  | Numbered<{ readonly op: "unknown"; readonly raw: string }>;

export interface FaceSearchHit<M extends FaceMessage = FaceMessage> {
  readonly key: string;
  readonly seq: number;
  readonly snippet: string;
  readonly score: number;
  readonly message: M;
}

export interface FaceDamage {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly kind: "torn" | "corrupt";
  readonly reason: string;
  readonly key?: string;
}

export type FaceErrorCode =
  | "OPTION_INVALID"
  | "KEY_INVALID"
  | "MESSAGE_INVALID"
  | "MESSAGE_TOO_LARGE"
  | "SEQ_CONFLICT"
  | "ID_CONFLICT"
  | "SESSION_EXISTS"
  | "SESSION_NOT_FOUND"
  | "SESSION_LOCKED"
  | "SESSION_DAMAGED"
  | "SESSION_CHANGED"
  | "RECORD_DROPPED"
  | "STORE_CLOSED"
  | "STORE_FAILED"
  | "STORE_READ_ONLY"
  | "DIRECTORY_UNSAFE"
  | "FORMAT_TOO_NEW"
  | "DISK_FULL"
  | "IO_FAILED";

export interface FaceError extends Error {
  readonly code: FaceErrorCode;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface FaceSessionStore {
  addMessage(key: string, role: FaceMessage["role"], content: string): Promise<void>;
  addFullMessage(key: string, message: FaceMessage): Promise<void>;
  getHistory(key: string): Promise<FaceMessage[]>;
  getSummary(key: string): Promise<string>;
  setSummary(key: string, summary: string): Promise<void>;
  setHistory(key: string, messages: readonly FaceMessage[]): Promise<void>;
  truncateHistory(key: string, keepLast: number): Promise<void>;
  save(key: string): Promise<void>;
  listSessions(): Promise<string[]>;
  close(): Promise<void>;
}
