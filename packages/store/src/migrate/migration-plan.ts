/** What a migration would do, found out by reading only: `longhand migrate --dry-run` shows this. */

export type MigrationFormat =
  /** PicoClaw's SessionManager: one object a file. */
  | "picoclaw-json"
  /** PicoClaw's message a line, with or without its `.meta.json`. */
  | "picoclaw-jsonl"
  | "zeroclaw-jsonl"
  /** What ZeroClaw's command line keeps of a conversation. */
  | "zeroclaw-state"
  /** The micro-kernel's, archived or not. */
  | "kernel-jsonl"
  /** Our own json backend's: its log is taken over record by record. */
  | "longhand-json";

export interface MigrationPlan {
  readonly directory: string;
  readonly sessions: readonly PlannedSession[];
  readonly leftAlone: readonly LeftAlone[];
  /** A migration was interrupted here. The next one begins it again; what it had renamed is not in this plan. */
  readonly unfinished: boolean;
  /** For the next look at the directory (looked-at.ts). */
  readonly lookedAt: LookedAt;
}

export interface PlannedSession extends MigrationSource {
  /** The same at every reading of the same files: tells what was migrated before. */
  readonly id: string;
  readonly status: "active" | "archived";
  /** Why it does not become the active session of its key, if that is not what it was. */
  readonly putAside: string | undefined;
}

/** One session as older programs left it, in one or two files. */
export interface MigrationSource {
  readonly format: MigrationFormat;
  readonly key: string;
  readonly wasArchived: boolean;
  /** In the order in which their messages are read. */
  readonly originals: readonly Original[];
  readonly messages: number;
  /** How many of them older programs no longer showed. */
  readonly hidden: number;
  readonly summary: string;
  /** ISO 8601, UTC, milliseconds; from the content, or where that has none, of the file. */
  readonly created: string;
  readonly updated: string;
  /** Its id, where the file has one. */
  readonly ownId: string | undefined;
  /** Of raw lines that are not empty. */
  readonly skip: number;
  /** What the content says about itself and has no other place: scope, aliases, times as written. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly untaken: readonly UntakenLine[];
  /** What was odd, in words. */
  readonly remarks: readonly string[];
}

export interface Original {
  readonly name: string;
  readonly holds: "lines" | "document" | "meta";
  readonly size: number;
  readonly modified: number;
  readonly sha256: string;
}

/** Bytes that do not become a message. */
export interface UntakenLine {
  readonly file: string;
  /** From 1. Of a document: the number of the message in it. */
  readonly line: number;
  readonly offset: number;
  /** 0 in a document: there it has no place of its own. */
  readonly bytes: number;
  readonly kind: "torn" | "corrupt";
  readonly reason: string;
}

export interface LeftAlone {
  readonly name: string;
  readonly kind:
    | "already-migrated"
    | "not-a-session"
    /** It resembles a session, but lacks a mark of the format, or is damaged as a whole. */
    | "similar"
    /** It would be a session in a directory of its own; beside it are files that no such program writes. */
    | "contradicted"
    /** Its key has a session in the store that is at least as new. */
    | "newer-session"
    /** Something that is no session has the name that its session would get. */
    | "place-taken";
  readonly reason: string;
}

/** What need not be looked at again. Disposable. */
export interface LookedAt {
  /** Names that could be older programs', but begin as ours do. */
  readonly ours: readonly string[];
  readonly left: readonly (LeftAlone & { readonly size: number; readonly modified: number })[];
}
