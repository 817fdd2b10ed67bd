/**
 * What is remembered in one scope: a fold over the records of its session, continued record by record. An entry is
 * current unless it was undone, or another, that was not undone itself, has taken its place.
 */

import { isJsonObject } from "../format/json.ts";
import type { SessionRecord } from "../format/session-record.ts";
import {
  FORGOTTEN,
  isProgress,
  PROGRESS,
  RESTORED,
  readForgottenNote,
  readStoredEntry,
  readUndoneNote,
  UNDONE,
  type ForgottenNote,
  type MemoryMessage,
  type Progress,
  type StoredEntry,
  type UndoneNote,
} from "./stored-entry.ts";
import type { MemoryEntry, Scope } from "./types.ts";

/** One moment of a scope; never changes. */
export interface ScopeView {
  readonly scope: Scope;
  /** Of every status, oldest first. */
  readonly entries: readonly MemoryEntry[];
  entry(id: string): MemoryEntry | undefined;
  /** The audit line of an entry that is not here any more. */
  forgotten(id: string): ForgottenNote | undefined;
  /** Up to which seq this session was consolidated into this scope; 0: not at all. */
  consolidatedTo(key: string, id: string): number;
  /** The sessions that were consolidated into this scope. */
  readonly sessions: readonly Progress[];
  /** Undone with the turn it came from, and not by a person. */
  isWithdrawn(id: string): boolean;
}

export class ScopeFold {
  readonly #scope: Scope;
  readonly #stored = new Map<string, { readonly stored: StoredEntry; readonly text: string }>();
  readonly #undone = new Set<string>();
  readonly #withdrawn = new Set<string>();
  readonly #forgotten = new Map<string, ForgottenNote>();
  readonly #progress = new Map<string, Progress>();
  #view: ScopeView | undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  add(record: SessionRecord<MemoryMessage>): void {
    if (record.op === undefined) this.#addMessage(record.message);
    else if (record.op === "note") this.#addNote(record.kind, record.data);
    else return;
    this.#view = undefined;
  }

  view(): ScopeView {
    return (this.#view ??= this.#makeView());
  }

  #addMessage({ content, memory }: MemoryMessage): void {
    // Also of an entry that a newer version has written and this one does not understand: its turns are consolidated.
    if (isJsonObject(memory) && isProgress(memory["progress"])) this.#addProgress(memory["progress"]);
    const stored = readStoredEntry(memory);
    if (stored === undefined || typeof content !== "string") return;
    this.#stored.set(stored.id, { stored, text: content });
  }

  #addNote(kind: string, data: unknown): void {
    if (kind === UNDONE) this.#addUndone(readUndoneNote(data));
    if (kind === RESTORED) this.#addRestored(readUndoneNote(data));
    if (kind === PROGRESS && isProgress(data)) this.#addProgress(data);
    const forgotten = kind === FORGOTTEN ? readForgottenNote(data) : undefined;
    if (forgotten === undefined) return;
    this.#forgotten.set(forgotten.id, forgotten);
    if (forgotten.progress !== undefined) this.#addProgress(forgotten.progress);
  }

  #addUndone(note: UndoneNote | undefined): void {
    for (const id of note?.ids ?? []) {
      this.#undone.add(id);
      if (note?.withdrawn === true) this.#withdrawn.add(id);
      else this.#withdrawn.delete(id);
    }
  }

  #addRestored(note: UndoneNote | undefined): void {
    for (const id of note?.ids ?? []) if (this.#withdrawn.delete(id)) this.#undone.delete(id);
  }

  #addProgress(progress: Progress): void {
    const code = sessionCode(progress.key, progress.id);
    const known = this.#progress.get(code);
    if (known === undefined || known.to < progress.to) this.#progress.set(code, progress);
  }

  #makeView(): ScopeView {
    const superseded = this.#superseded();
    const byId = new Map<string, MemoryEntry>();
    for (const { stored, text } of this.#stored.values()) {
      const { id, kind, at, confidence, source, supersedes } = stored;
      const replaced = superseded.has(id) ? "superseded" : "current";
      const status = this.#undone.has(id) ? "undone" : replaced;
      byId.set(id, { id, kind, scope: this.#scope, text, source, at, confidence, supersedes, status });
    }
    const forgotten = new Map(this.#forgotten);
    const progress = new Map(this.#progress);
    const withdrawn = new Set(this.#withdrawn);
    return {
      scope: this.#scope,
      entries: [...byId.values()],
      entry: (id) => byId.get(id),
      forgotten: (id) => forgotten.get(id),
      consolidatedTo: (key, id) => progress.get(sessionCode(key, id))?.to ?? 0,
      sessions: [...progress.values()],
      isWithdrawn: (id) => withdrawn.has(id),
    };
  }

  /**
   * Through several steps too: where C replaced B and B replaced A, taking B back does not bring A back beside C. A forgotten
   * entry still stands for what it replaced.
   */
  #superseded(): ReadonlySet<string> {
    const supersedes = new Map<string, readonly string[]>();
    for (const { id, supersedes: ids } of this.#forgotten.values()) supersedes.set(id, ids);
    for (const { stored } of this.#stored.values()) supersedes.set(stored.id, stored.supersedes);
    const waiting = [...supersedes].flatMap(([id, ids]) => (this.#undone.has(id) ? [] : ids));
    const superseded = new Set<string>();
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (superseded.has(id)) continue;
      superseded.add(id);
      waiting.push(...(supersedes.get(id) ?? []));
    }
    return superseded;
  }
}

function sessionCode(key: string, id: string): string {
  return JSON.stringify([key, id]);
}
