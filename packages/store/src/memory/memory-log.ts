/**
 * The log of a memory: for each scope one session in the memory's own store, whose records are folded into a `ScopeView`
 * and never read twice. Consolidation, recall and the prompt section work on this and on nothing else.
 *
 * Writing is a decision: a function that looks at the newest view and answers with what to add. What it adds is one atomic
 * batch, written only if nobody wrote meanwhile; otherwise the decision is made anew, on what is there now.
 */

import type { Host } from "../host/host.ts";
import type { Damage } from "../format/session-record.ts";
import type { Store } from "../contract/types.ts";
import type { ScopeView } from "./scope-view.ts";
import type { MemoryMessage, Progress } from "./stored-entry.ts";
import type { Forgotten, MemoryEntry, MemoryKind, MemorySource, Scope } from "./types.ts";

export type { ScopeView } from "./scope-view.ts";
export type { Progress } from "./stored-entry.ts";

/** What a memory needs of the world; the door binds the real ones. */
export interface MemoryWorld {
  readonly host: Host;
  /** Opens the store that holds the truth, in a directory of its own. */
  openStore(directory: string, options: MemoryStoreOptions): Promise<Store<MemoryMessage>>;
  /** Where such a store keeps damaged bytes aside. */
  damagedBytesIn(directory: string): string;
}

export interface MemoryStoreOptions {
  /** Hears of its damage beside whoever else does. */
  readonly onDamage: (damage: Damage) => void;
  readonly readOnly: boolean;
}

export interface EntryToAdd {
  readonly text: string;
  readonly kind: MemoryKind;
  readonly source: MemorySource;
  /** @default 1 */
  readonly confidence?: number;
  /** Must all be current in the same scope: OPTION_INVALID otherwise. @default none */
  readonly supersedes?: readonly string[];
  /** As `toISOString()` writes it. @default now */
  readonly at?: string;
}

export interface Additions {
  /** May be empty where there is `progress`. */
  readonly entries: readonly EntryToAdd[];
  /** What the entries were made from: durable together with them, so that no turn is repeated or left out. */
  readonly progress?: Progress;
}

export interface MemoryLog {
  /** What is remembered in exactly this scope; an empty view where nothing ever was. */
  read(scope: Scope): Promise<ScopeView>;
  /**
   * Adds what `decide` answers, as one atomic batch, and resolves with the new entries when that is durable. `decide` may be
   * called more than once, each time with a newer view, and must do nothing else; `undefined`: nothing is to be written.
   * What it throws is what this rejects with.
   */
  add(scope: Scope, decide: (view: ScopeView) => Additions | undefined): Promise<readonly MemoryEntry[]>;
  /**
   * Takes entries back; those that are already taken back, or not in this scope, are passed over. `withdrawn`: with the turn they
   * came from, so that `restore` can bring them back.
   */
  undo(scope: Scope, ids: readonly string[], options?: { readonly withdrawn?: boolean }): Promise<void>;
  /** Brings back entries that were withdrawn; others are passed over. */
  restore(scope: Scope, ids: readonly string[]): Promise<void>;
  /** Really removes it, see rewrite-scope.ts. */
  forget(scope: Scope, id: string): Promise<Forgotten>;
  /** Of every scope that has a log, wider ones first. */
  views(): Promise<readonly ScopeView[]>;
}
