/** The public face of the store: what docs and callers speak of. Meanings are in docs/store.md. */

import type { LonghandError } from "../errors.ts";
import type { Message } from "../format/message.ts";
import type { Damage, NoteRecord, SessionInfo, SessionRecord } from "../format/session-record.ts";

export interface StoreOptions {
  /** "sync": acknowledged means on the disk. "os": a power cut may lose the last moments. @default "sync" */
  readonly durability?: "sync" | "os";
  /** Reads only, takes no lock, creates nothing. @default false */
  readonly readOnly?: boolean;
  /**
   * Takes over sessions of PicoClaw, ZeroClaw and the Go micro-kernel that are in the directory. Without it files of other programs
   * are ignored. @default false
   */
  readonly migrate?: boolean;
  /**
   * Called once, with the paths of the files that look like another program's sessions and were left alone. @default
   * process.emitWarning, unless it is opened for reading only
   */
  readonly onForeign?: (files: readonly string[]) => void;
  /** Called once, after an opening with `migrate` has taken sessions over. */
  readonly onMigrated?: (migrated: Migrated) => void;
  /** Told of each damaged place once. @default process.emitWarning */
  readonly onDamage?: (damage: Damage) => void;
  /** Told of failures that no call can report, such as a landing that must be tried again. @default process.emitWarning */
  readonly onError?: (error: LonghandError) => void;
}

export interface Migrated {
  /** Of the new sessions. */
  readonly keys: readonly string[];
  /** The paths of the originals, by the names they have now. */
  readonly originals: readonly string[];
}

export interface ListOptions {
  readonly status?: "active" | "archived" | "trashed" | "any";
  readonly order?: "updated" | "created" | "key";
  readonly prefix?: string;
  readonly limit?: number;
  /** The key of the last one seen; or its id, where a key has several sessions. */
  readonly after?: string;
  /** Told in sessions, while they are looked at; the first comes after that. */
  readonly onProgress?: OnProgress;
}

export interface SearchOptions {
  readonly limit?: number;
  readonly keys?: readonly string[];
  /** Told in sessions and parts of them. */
  readonly onProgress?: OnProgress;
}

export interface SearchHit<M extends Message = Message> {
  readonly key: string;
  readonly seq: number;
  readonly snippet: string;
  readonly score: number;
  readonly message: M;
}

export interface VerifyReport {
  readonly sessions: number;
  readonly records: number;
  readonly damage: readonly Damage[];
  /** Of a repair: the records that are gone for good, of which its files say so now. Absent: none. */
  readonly lost?: readonly LostRecords[];
  /** Of a repair: the files in which the damaged bytes are kept. Absent: there were none to keep. */
  readonly kept?: readonly string[];
}

/** Both ends belong to it. */
export interface LostRecords {
  readonly key: string;
  readonly id: string;
  readonly first: number;
  readonly last: number;
}

/** How far a long task is. `total` may grow while it runs. */
export type OnProgress = (done: number, total: number) => void;

export interface UpkeepOptions {
  /** Only these sessions, whatever their status. @default everything in the store */
  readonly keys?: readonly string[];
  readonly onProgress?: OnProgress;
}

export interface ReclaimOptions extends UpkeepOptions {
  /** Seals the active files first, however short, so that they are compressed and can be dropped. @default false */
  readonly seal?: boolean;
  /** Drops whole sealed segments whose last record is older than this time, or has a lower seq. */
  readonly drop?: { readonly before: Date | number };
  /** Says what would come of it, and changes nothing. */
  readonly dryRun?: boolean;
}

export interface Reclaimed {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** What was dropped, or would be, session by session. Absent: nothing. */
  readonly dropped?: readonly DroppedRecords[];
}

/** Whole segments from the beginning of a session on. `bytes`: of their records, as if none were compressed. */
export interface DroppedRecords extends LostRecords {
  readonly bytes: number;
}

export interface PurgeOptions {
  /** Only what was deleted before this time. @default everything in the trash */
  readonly before?: Date;
  readonly dryRun?: boolean;
}

export interface LockOptions {
  /** Milliseconds to wait in line; then SESSION_LOCKED, which names the owner. @default 10000 */
  readonly wait?: number;
  readonly signal?: AbortSignal;
}

export interface WatchOptions {
  /** The first seq to yield. @default the first that is kept: 1, unless records were dropped */
  readonly from?: number;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

export interface Store<M extends Message = Message> extends AsyncDisposable {
  readonly directory: string | undefined;
  /** No I/O until it is used. */
  session(key: string): Session<M>;
  /** Newest activity first, unless asked otherwise. */
  list(options?: ListOptions): AsyncIterable<SessionInfo>;
  /** Over everything kept: tool output and cut messages too. Never fails on the text of a query. */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit<M>[]>;
  /** Reads everything and reports; changes nothing. */
  verify(options?: UpkeepOptions): Promise<VerifyReport>;
  /** Mends what verify reports; the damaged bytes are kept aside. Answers with what it found and mended. */
  repair(options?: UpkeepOptions): Promise<VerifyReport>;
  /** Seals and compresses. Drops only when asked to, whole segments only. */
  reclaim(options?: ReclaimOptions): Promise<Reclaimed>;
  /** Empties the trash; answers with what went, or would go. */
  purge(options?: PurgeOptions): Promise<readonly SessionInfo[]>;
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
  /**
   * The log itself, with seq and time: every record that is still there; or (`live`) only the messages of the view; or (`kept`)
   * those and the ones that a truncate or compact has hidden, but none that a rewind or replace has taken back.
   */
  records(options?: {
    last?: number;
    from?: number;
    to?: number;
    reverse?: boolean;
    live?: boolean;
    kept?: boolean;
  }): AsyncIterable<SessionRecord<M>>;
  state(): Promise<SessionInfo | undefined>;
  exists(): Promise<boolean>;
  setSummary(summary: string, options?: WriteOptions): Promise<Written>;
  setTitle(title: string, options?: WriteOptions): Promise<Written>;
  setTags(tags: readonly string[], options?: WriteOptions): Promise<Written>;
  /** A durable fact in the session's order that is no message. The model never sees it. */
  note(kind: string, data: unknown, options?: IdentifiedWriteOptions): Promise<Written>;
  /** The newest note of this kind, however long ago it was written. `undefined`: there is none, or it was dropped. */
  lastNote(kind: string): Promise<NoteRecord | undefined>;
  truncate(cut: { keepLast: number } | { keepFrom: number }, options?: WriteOptions): Promise<Written>;
  rewind(cut: { messages: number } | { to: number }, options?: WriteOptions): Promise<Written>;
  compact(cut: { summary: string; keepFrom: number }, options?: WriteOptions): Promise<Written>;
  /**
   * Takes back the truncate or compact with this seq, if it is the one that decides what is seen: what it hid is seen again,
   * the summary is as it was before it, and everything that has come since stays.
   */
  undoCut(seq: number, options?: WriteOptions): Promise<Written>;
  /** The whole history, atomically; { summary } sets that too. */
  replace(messages: readonly M[], options?: WriteOptions & { summary?: string }): Promise<Written>;
  /**
   * Begins the session with records that `records()` of another one gave, with their times, as one atomic batch. Seqs are given
   * anew from 1 without gaps, and cuts and rewinds refer to the new ones. SESSION_EXISTS if the key has an active or archived session.
   */
  importRecords(records: readonly SessionRecord<M>[]): Promise<Written>;
  /**
   * A second session that begins with the records of this one, up to `at` (all, if not given); seq goes on. Both grow
   * apart from there. SESSION_EXISTS if `newKey` has an active session.
   */
  fork(newKey: string, options?: { at?: number }): Promise<Session<M>>;
  /** Puts the active session away. Reading its key reads it; writing to its key restores it first. */
  archive(): Promise<void>;
  /** The newest archived session, else the newest in the trash; or the one with this id. */
  restore(options?: { id?: string }): Promise<void>;
  /** To the trash, with all archived ones of the key; `forever`: from the trash too. The next write begins anew. */
  delete(options?: { forever?: boolean }): Promise<void>;
  /**
   * Durable records from `from` on, in order, each once, also those that other processes write. Waits for a session that
   * does not exist yet; ends when the session is deleted, the signal aborts or the store is closed.
   */
  watch(options?: WatchOptions): AsyncIterable<SessionRecord<M>>;
  /**
   * Keeps the writers of other stores, other processes too, out until it is disposed; they wait in line. This store
   * itself may write; its own next lock waits as well.
   */
  lock(options?: LockOptions): Promise<AsyncDisposable>;
}
