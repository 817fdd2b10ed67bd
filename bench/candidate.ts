/** What a candidate is: a store under measurement, behind the few operations that the workloads need. */

import type { BenchMessage } from "./message-mix.ts";

export type MaybePromise<T> = T | Promise<T>;

/** "sync": an append resolves when it is durable, if the candidate can do that at all. "os": no sync is asked for. */
export type OpenMode = "sync" | "os";

export interface Candidate {
  /** In kebab-case; what it is called on the command line and in the JSON. */
  readonly name: string;
  readonly title: string;
  /** The package that must be installed; absent: none. */
  readonly peer?: string;
  /** Whether an append opened with "sync" survives a power cut once it resolved. */
  readonly isDurable: boolean;
  /** Its cost grows with each append, so that W1 to W3 use the reduced sizes. */
  readonly isReduced?: boolean;
  /** Keeps its data in memory only: results are checked without closing and opening it again. */
  readonly isVolatile?: boolean;
  /** The data sets of another candidate that it reads. @default its own */
  readonly sharesDataOf?: string;
  /** Imports the package. Its time is reported as `importMs`. */
  readonly load: () => Promise<Driver>;
}

/**
 * `Own` is the candidate's form of a message. Methods, not properties: they are compared bivariantly, so that a
 * `Driver<TheirMessage>` is a `Driver`.
 */
export interface Driver<Own = unknown> {
  toOwn(message: BenchMessage): Own;
  fromOwn(own: Own): BenchMessage;
  /** Ready for a first call when it resolves. The directory exists. */
  open(directory: string, mode: OpenMode): MaybePromise<OpenedStore<Own>>;
  /** For data sets, which are built outside of any timing. @default `open` with "os" */
  openForBuild?(directory: string): MaybePromise<BuildStore<Own>>;
}

export interface BuildStore<Own = unknown> {
  appendBatch(key: string, messages: readonly Own[]): MaybePromise<void>;
  setTitle?(key: string, title: string): MaybePromise<void>;
  close(): MaybePromise<void>;
}

/** An operation that a candidate lacks is absent; the workloads name the candidates that have it. */
export interface OpenedStore<Own = unknown> extends Partial<BuildStore<Own>> {
  append?(key: string, message: Own): MaybePromise<void>;
  tail?(key: string, count: number): MaybePromise<readonly Own[]>;
  /** All messages as retained objects. */
  load?(key: string): MaybePromise<readonly Own[]>;
  /** All messages, one at a time, none retained. */
  iterate?(key: string): AsyncIterable<Own> | Iterable<Own>;
  count?(key: string): MaybePromise<number>;
  /** Keeps only the last messages. */
  truncate?(key: string, keepLast: number): MaybePromise<void>;
  /** Removes the last messages. */
  rewind?(key: string, messages: number): MaybePromise<void>;
  fork?(key: string, newKey: string): MaybePromise<void>;
  list?(): MaybePromise<readonly ListedSession[]>;
  search?(word: string): MaybePromise<readonly FoundMessage<Own>[]>;
  close(): MaybePromise<void>;
}

export interface ListedSession {
  readonly key: string;
  /** The title; where a store has none, the beginning of the first message. */
  readonly title: string;
  readonly count: number;
  readonly updated: string;
}

export interface FoundMessage<Own = unknown> {
  readonly key: string;
  readonly message: Own;
}
