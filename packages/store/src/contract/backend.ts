/**
 * What a backend gives. The front (store.ts, session.ts) is thick: it checks options, keys and messages, decides what
 * a write adds, and shapes what a read returns. A backend is thin: it keeps entries in order, folds them, and runs one
 * decision at a time for a session. What it cannot do is a declared capability, never a method that quietly does less.
 */

import type { LonghandError } from "../errors.ts";
import type { Body, Entry } from "../format/entry.ts";
import type { SessionState } from "../format/fold.ts";
import type { Damage, SessionInfo } from "../format/session-record.ts";
import type { Migrated, OnProgress, Reclaimed, VerifyReport, Written } from "./types.ts";

export interface BackendCapabilities extends Readonly<Record<string, boolean>> {
  /** What was acknowledged is there after the process ends. */
  readonly durable: boolean;
  /** An append costs the same however long the session is. */
  readonly flatAppend: boolean;
  /** Sessions can be archived, restored and deleted. */
  readonly archive: boolean;
  /** Sessions can be forked. */
  readonly fork: boolean;
  /** Several stores may have the same place open for writing at once, and learn of each other's writes. */
  readonly manyWriters: boolean;
  /** `{ readOnly: true }` is possible, also while another process writes. */
  readonly readOnly: boolean;
}

export interface Backend {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  open(options: BackendOptions): Promise<OpenBackend>;
}

export interface BackendOptions {
  readonly durability: "sync" | "os";
  readonly readOnly: boolean;
  readonly onDamage: (damage: Damage) => void;
  readonly onError: (error: LonghandError) => void;
  /** Take over sessions of other programs, where the backend's place can hold any. @default false */
  readonly migrate?: boolean;
  /** Absent: the caller does not want to know. */
  readonly onForeign?: (files: readonly string[]) => void;
  readonly onMigrated?: (migrated: Migrated) => void;
}

/** For whoever looks for something in all sessions. */
export interface WantedSessions {
  /** `lines`: all lines of a session as they are in its file. False: nothing that is looked for is in them. */
  mayBeIn(lines: Buffer): boolean;
  /** A session was left out. */
  onLeftOut(): void;
}

/** Keys have been checked; they are non-empty and safe to store. */
export interface OpenBackend {
  readonly directory: string | undefined;
  /**
   * Runs the decision alone for this session and makes what it adds durable, whole or not at all. Rejects with what the
   * decision threw; then nothing was written. Writes of one session happen in the order of the calls.
   */
  write(key: string, operation: Operation): Promise<Written>;
  /**
   * The session as it is now, the archived one if none is active: acknowledged records only, all of them. `undefined`:
   * there is no such session.
   */
  snapshot(key: string): Promise<Snapshot | undefined>;
  /**
   * Every session, put away or not, in no order. One that cannot be read is reported and left out. `onCount` is told, as
   * soon as that is known, how many there are to look at. Those that are not `wanted` may be left out.
   */
  snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot>;
  /**
   * What `snapshots` has of every session, without the sessions: for a backend that knows it without reading them. Absent:
   * it does not.
   */
  readonly infos?: ((onProgress: OnProgress) => Promise<readonly SessionInfo[]>) | undefined;
  /** Present if the capability `archive` is declared. */
  readonly putAway: PutAway | undefined;
  /**
   * Present if the capability `fork` is declared. Reads the key as `snapshot` does, an archived one too, and leaves it as
   * it is; a batch may be cut in two. Looks in this order: SESSION_NOT_FOUND, SESSION_EXISTS, and OPTION_INVALID for an
   * `at` beyond the end (backends/check-fork.ts), then RECORD_DROPPED.
   */
  readonly fork: ((key: string, newKey: string, at: number | undefined) => Promise<void>) | undefined;
  /**
   * Waits in line until this store alone may write to the key, other processes included, and resolves with what gives
   * the place up again. SESSION_LOCKED after `wait` milliseconds; rejects with the signal's reason if that aborts first.
   */
  lock(key: string, options: BackendLockOptions): Promise<() => Promise<void>>;
  /**
   * Resolves when the session may no longer be as it was at `seen`, or when the signal aborts. Too early is allowed, at
   * a cost; too late by more than a moment is not. `undefined`: there was none.
   */
  changed(key: string, seen: SeenSession | undefined, signal: AbortSignal): Promise<void>;
  readonly upkeep: Upkeep;
  /** Waits for pending writes; idempotent. Rejects if something acknowledged could not be put in its place. */
  close(): Promise<void>;
}

export interface BackendLockOptions {
  /** `undefined`: the backend's usual patience. */
  readonly wait: number | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface SeenSession {
  readonly id: string;
  readonly seq: number;
  readonly status: SessionInfo["status"];
}

/** What keeps a store in good order. Where nothing can be damaged or compressed, there is nothing to report or to do. */
export interface Upkeep {
  verify(options: BackendUpkeepOptions): Promise<VerifyReport>;
  repair(options: BackendUpkeepOptions): Promise<VerifyReport>;
  reclaim(options: BackendReclaimOptions): Promise<Reclaimed>;
}

export interface BackendUpkeepOptions {
  /** `undefined`: everything. */
  readonly keys: ReadonlySet<string> | undefined;
  readonly onProgress: OnProgress;
}

export interface BackendReclaimOptions extends BackendUpkeepOptions {
  readonly drop: DropBefore | undefined;
  /** Seal active files first, however short. */
  readonly seal: boolean;
  readonly dryRun: boolean;
}

/** A time in milliseconds, or a seq: what ends before it. */
export type DropBefore = { readonly time: number } | { readonly seq: number };

/** A write to an archived key brings it back first; a write to a deleted one begins a new session. */
export interface PutAway {
  /** SESSION_NOT_FOUND if there is no active session. */
  archive(key: string): Promise<void>;
  /** The newest archived session, else the newest deleted one; or the one with this id. SESSION_EXISTS, SESSION_NOT_FOUND. */
  restore(key: string, id: string | undefined): Promise<void>;
  /** To the trash, active and archived alike; `forever`: nothing of the key is left, in the trash neither. */
  delete(key: string, forever: boolean): Promise<void>;
  /** What was trashed before `before` (milliseconds) goes for good, all of it if not given; or is only named. */
  purge(before: number | undefined, dryRun: boolean): Promise<readonly SessionInfo[]>;
}

export interface Snapshot extends EntryReader {
  readonly info: SessionInfo;
  readonly state: SessionState;
}

export interface EntryReader {
  /** In blocks of any length. Inclusive bounds; ascending unless `reverse`. Reads as it is consumed, a block ahead at most. */
  entries(range: EntryRange): AsyncIterable<readonly Entry[]>;
  /** The state as it was after this record; the empty one for 0. RECORD_DROPPED if that can no longer be told. */
  stateAfter(seq: number): Promise<SessionState>;
  /** The first record that is still kept: 1, unless older ones were dropped. */
  readonly firstSeq: number;
}

export interface EntryRange {
  readonly from: number;
  readonly to: number;
  readonly reverse: boolean;
}

/**
 * A write before it has a seq. Most decisions need only the state, so that many of them can share one commit; one that
 * must look into the log runs alone, with everything before it durable.
 */
export type Operation =
  | { readonly reads: false; decide(state: SessionState): Decision }
  | { readonly reads: true; decide(state: SessionState, log: EntryReader): Promise<Decision> };

export type Decision =
  /** One atomic batch; empty: nothing to write, the answer is the present seq. The id goes to the first entry. */
  | {
      readonly add: readonly Body[];
      readonly id: string | undefined;
      /** One for each body, where they were written elsewhere before. @default now */
      readonly times?: readonly string[];
    }
  /** It was written before; the answer is that seq again. */
  | { readonly already: number };
