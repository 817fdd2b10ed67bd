/** The public face of the memory: what docs and callers speak of. Meanings are in docs/memory.md. */

import type { LonghandError } from "../errors.ts";
import type { Damage } from "../format/session-record.ts";
import type { AskModel, TokenEstimator } from "../context/types.ts";
import type { Session, Store } from "../contract/types.ts";

/**
 * Whose it is. Two scopes are the same only if every field is exactly the same: nothing is joined, cut or folded. With no
 * field at all it is global.
 */
export interface Scope {
  readonly user?: string;
  readonly channel?: string;
  readonly agent?: string;
}

/** "core": a lasting fact. "daily": what happened, by date. */
export type MemoryKind = "core" | "daily";

export type MemorySource =
  | {
      readonly by: "conversation";
      readonly key: string;
      readonly id: string;
      readonly from: number;
      readonly to: number;
    }
  /** The user asked to have it remembered; `said`: in which turn, where it is known. */
  | {
      readonly by: "request";
      readonly said?: {
        readonly key: string;
        readonly id: string;
        readonly from: number;
        readonly to: number;
      };
    }
  /** Somebody edited the Markdown. */
  | { readonly by: "hand"; readonly file: string };

export interface MemoryEntry {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly scope: Scope;
  readonly text: string;
  readonly source: MemorySource;
  /** ISO 8601. A daily entry belongs to the day it begins with. */
  readonly at: string;
  /** From 0 to 1. */
  readonly confidence: number;
  /** The ids of those whose place it takes. */
  readonly supersedes: readonly string[];
  /** "superseded" and "undone" ones are kept and shown on request, never told to a model. */
  readonly status: "current" | "superseded" | "undone";
}

export interface NewMemory {
  readonly text: string;
  readonly kind?: MemoryKind;
  readonly scope: Scope;
  readonly source?: MemorySource;
  readonly confidence?: number;
  readonly supersedes?: readonly string[];
}

export interface MemoryOptions {
  /** Where the Markdown for people goes, and the store that holds the truth (`DIRECTORY/store`). */
  readonly directory: string;
  /** The sessions that can be recalled. */
  readonly sessions: Store;
  /** As those of openStore, for the store that holds the truth. @default process.emitWarning */
  readonly onDamage?: (damage: Damage) => void;
  readonly onError?: (error: LonghandError) => void;
  /** Hears of edits by hand when they are taken in, whoever asked for that: opening and closing do it too. */
  readonly onTakenIn?: (taken: TakenIn) => void;
  /** Nothing is written, not even the Markdown, and edits by hand are not taken in: every change is STORE_READ_ONLY. @default false */
  readonly readOnly?: boolean;
}

/** What came of edits by hand. */
export interface TakenIn {
  /** Of lines that were added or changed. */
  readonly added: readonly MemoryEntry[];
  /** Whose lines were removed, as they were before. */
  readonly undone: readonly MemoryEntry[];
}

export interface Memory extends AsyncDisposable {
  remember(entry: NewMemory): Promise<MemoryEntry>;
  /** Of exactly this scope, oldest first. @default only current ones, of every kind */
  entries(options: { scope: Scope; kind?: MemoryKind; all?: boolean }): Promise<readonly MemoryEntry[]>;
  /** Of every scope, for the person whose machine this is. */
  everything(options?: { all?: boolean }): Promise<readonly MemoryEntry[]>;
  entry(id: string): Promise<MemoryEntry | undefined>;
  /** Takes an entry back; what it superseded is current again. Undoing twice changes nothing. */
  undo(id: string): Promise<MemoryEntry>;
  /** Really removes it: the text is in no file of the memory any more. A line stays that says when, not what. */
  forget(id: string): Promise<Forgotten>;
  /** What an agent may be told: the scope's own entries and those of wider scopes (`visibleScopes`), as fenced data. */
  promptSection(options: PromptSectionOptions): Promise<PromptSection>;
  /** Every word must be found. Over the entries that are visible to the scope and the sessions consolidated under it. */
  recall(query: string, options: RecallOptions): Promise<readonly Recollection[]>;
  /**
   * Complete turns that are not consolidated yet, as many as fit into one question, in at most one request to the model. Removes the
   * session's mark when nothing is left, and writes a failure to it.
   */
  consolidate(session: Session, options: ConsolidateOptions): Promise<Consolidated>;
  /** Marks a session as one whose turns are to be consolidated: call it under the session's lock, before the turn is written. Idempotent. */
  markDue(session: { readonly key: string; readonly scope: Scope }): Promise<void>;
  /** The sessions that are marked, the one that has waited longest first. Reads no session. */
  due(): Promise<readonly DueSession[]>;
  /**
   * After an undo or a redo in a session: withdraws entries whose turns are taken back, and restores those whose turns are back.
   * `from`: the first record that was taken out or brought back.
   */
  reconcile(session: Session, options: { readonly from: number }): Promise<Reconciled>;
  /** Takes in what was edited by hand, then writes the Markdown anew where it differs. Answers with the new entries. */
  refresh(): Promise<readonly MemoryEntry[]>;
  close(): Promise<void>;
}

/** A session whose turns wait to be consolidated. */
export interface DueSession {
  readonly key: string;
  readonly scope: Scope;
  /** When the first of its turns began, ISO 8601. */
  readonly since: string;
  /** Tries that failed since then. */
  readonly failures: number;
  /** Those of them in which the model answered with something other than the JSON that was asked for. */
  readonly badAnswers: number;
  /** When the last try failed, and why. */
  readonly failedAt?: string;
  readonly failure?: string;
  /** Absent also in a mark that an older version has written. */
  readonly failureKind?: FailureKind;
  /** When it was last looked at, only its last turn was left, which had no answer: it can be consolidated once it has one. */
  readonly hasOpenTurn?: true;
}

/** "cut-short": the caller's signal ended the try. "unreachable" includes a model that does not answer within the time limit. */
export type FailureKind = "unreachable" | "bad-answer" | "cut-short";

export interface Reconciled {
  readonly withdrawn: readonly MemoryEntry[];
  readonly restored: readonly MemoryEntry[];
  /** Daily entries that tell of other turns too: they stay as they are. */
  readonly partial: readonly MemoryEntry[];
}

export interface Forgotten {
  readonly id: string;
  readonly at: string;
}

export interface PromptSectionOptions {
  readonly scope: Scope;
  /** @default 2000 */
  readonly maxTokens?: number;
  /** What the conversation is about: facts that share words with it come first. */
  readonly about?: string;
  readonly estimator?: TokenEstimator;
}

export interface PromptSection {
  /** "" where nothing is known. */
  readonly text: string;
  readonly entries: readonly MemoryEntry[];
}

export interface RecallOptions {
  readonly scope: Scope;
  /** @default 10 */
  readonly limit?: number;
  /** @default "all" */
  readonly in?: "memory" | "sessions" | "all";
}

/** The citation can be opened: `session(key).records({ from: seq, to: seq })`. */
export type Recollection =
  | { readonly from: "memory"; readonly entry: MemoryEntry; readonly snippet: string; readonly score: number }
  | {
      readonly from: "session";
      readonly key: string;
      readonly seq: number;
      readonly snippet: string;
      readonly score: number;
    };

export interface ConsolidateOptions {
  readonly scope: Scope;
  readonly model: AskModel;
  /** Milliseconds for the model's answer. @default 60000 */
  readonly timeLimit?: number;
  /**
   * What becomes of the turns when the model's answer is not the JSON that was asked for. "plain": a daily entry in the user's own
   * words, no fact. "keep": nothing is written and the turns wait for the next time. @default "plain"
   */
  readonly onBadAnswer?: "plain" | "keep";
  readonly signal?: AbortSignal;
}

export interface Consolidated {
  /** Of the turns that are consolidated now; `undefined`: none, since there was nothing new or the model failed. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
  readonly entries: readonly MemoryEntry[];
  /** Why the model could not be used; see `onBadAnswer` for an answer that is not JSON. */
  readonly failure: string | undefined;
  readonly failureKind: FailureKind | undefined;
  /** Turns are left for the next call: they did not fit into this question, or the model failed. */
  readonly hasMore: boolean;
  /** The last turn has no answer yet: it is consolidated when the conversation has gone on. */
  readonly hasOpenTurn: boolean;
}
