/**
 * An entry as it lies in the log: a message whose content is the text, so that it is read and searched like any other,
 * with everything else in its field `memory`. Undoing and forgetting are notes.
 */

import { isJsonObject } from "../format/json.ts";
import type { Message } from "../format/message.ts";
import type { MemoryKind, MemorySource } from "./types.ts";

export const UNDONE = "longhand/memory-undone";
/** Takes a withdrawal back. */
export const RESTORED = "longhand/memory-restored";
export const FORGOTTEN = "longhand/memory-forgotten";
export const PROGRESS = "longhand/memory-progress";

/** Everything of the session `id` of `key` up to seq `to` is consolidated. */
export interface Progress {
  readonly key: string;
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** The time of its first record, by which its forks are known. */
  readonly began?: string;
}

export interface StoredEntry {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly at: string;
  readonly confidence: number;
  readonly source: MemorySource;
  readonly supersedes: readonly string[];
  /** With the first entry of a batch: what the batch was made from. */
  readonly progress?: Progress;
}

export interface MemoryMessage extends Message {
  readonly memory?: StoredEntry;
}

export interface UndoneNote {
  readonly ids: readonly string[];
  readonly at: string;
  /** The turn they came from was undone: they come back with it. */
  readonly withdrawn?: boolean;
}

/** The audit line. Nothing is left of the text; the rest keeps what was replaced replaced, and turns consolidated. */
export interface ForgottenNote {
  readonly id: string;
  readonly at: string;
  readonly supersedes: readonly string[];
  readonly progress?: Progress;
}

/** `undefined`: not an entry of ours. */
export function readStoredEntry(value: unknown): StoredEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, kind, at, confidence, source, supersedes, progress } = value;
  if (typeof id !== "string" || !isTime(at) || typeof confidence !== "number") return undefined;
  if (kind !== "core" && kind !== "daily") return undefined;
  if (!isSource(source) || !isTexts(supersedes)) return undefined;
  const entry = { id, kind, at, confidence, source, supersedes } as const;
  return isProgress(progress) ? { ...entry, progress } : entry;
}

export function readUndoneNote(value: unknown): UndoneNote | undefined {
  if (!isJsonObject(value) || !isTexts(value["ids"]) || typeof value["at"] !== "string") return undefined;
  return { ids: value["ids"], at: value["at"], withdrawn: value["withdrawn"] === true };
}

/** Where an entry was said; `undefined`: it does not say. */
export function citedRange(
  source: MemorySource,
): { readonly key: string; readonly id: string; readonly from: number; readonly to: number } | undefined {
  switch (source.by) {
    case "conversation":
      return source;
    case "request":
      return isProgress(source.said) ? source.said : undefined;
    case "hand":
      return undefined;
  }
}

export function readForgottenNote(value: unknown): ForgottenNote | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, at, supersedes, progress } = value;
  if (typeof id !== "string" || typeof at !== "string" || !isTexts(supersedes)) return undefined;
  return isProgress(progress) ? { id, at, supersedes, progress } : { id, at, supersedes };
}

export function isProgress(value: unknown): value is Progress {
  return (
    isJsonObject(value) &&
    typeof value["key"] === "string" &&
    typeof value["id"] === "string" &&
    Number.isSafeInteger(value["from"]) &&
    Number.isSafeInteger(value["to"])
  );
}

/** Days, and the names of their pages, are told by how a time begins: it must be written in one way only. */
export function isTime(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

export function isSource(value: unknown): value is MemorySource {
  if (!isJsonObject(value)) return false;
  switch (value["by"]) {
    case "conversation":
      return isProgress(value);
    case "request":
      return true;
    case "hand":
      return typeof value["file"] === "string";
    default:
      return false;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
