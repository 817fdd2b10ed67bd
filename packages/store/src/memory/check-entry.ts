/** What may become an entry. Checked before anything is written, so that bad input changes nothing. */

import { LonghandError } from "../errors.ts";
import type { EntryToAdd } from "./memory-log.ts";
import type { ScopeView } from "./scope-view.ts";
import { isSource, isTime } from "./stored-entry.ts";

export function checkEntry(entry: EntryToAdd, view: ScopeView): void {
  const { text, kind, source, confidence, supersedes, at } = entry;
  if (typeof text !== "string" || text.trim() === "") {
    throw invalid("text", "a string that says something");
  }
  if (!["core", "daily"].includes(kind)) throw invalid("kind", '"core" or "daily"');
  if (!isSource(source)) throw invalid("source", "of a conversation, of a request, or of a hand's edit");
  if (confidence !== undefined && !isShare(confidence)) {
    throw invalid("confidence", "a number from 0 to 1");
  }
  if (at !== undefined && !isTime(at)) throw invalid("at", "a time such as 2026-11-15T19:24:12.123Z");
  if (supersedes !== undefined && !Array.isArray(supersedes)) throw invalid("supersedes", "an array of ids");
  const replaced: readonly unknown[] = supersedes ?? [];
  for (const id of replaced) {
    const status = typeof id === "string" ? view.entry(id)?.status : undefined;
    if (status === "current") continue;
    const problem = status === undefined ? "there is no such entry in this scope" : `it is ${status} itself`;
    throw new LonghandError("OPTION_INVALID", `the entry ${String(id)} cannot be superseded: ${problem}`, {
      option: "supersedes",
      id,
    });
  }
}

function isShare(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function invalid(option: string, expected: string): LonghandError {
  return new LonghandError("OPTION_INVALID", `${option} of an entry must be ${expected}`, { option });
}
