/** Entries on their way into the log: as messages, with an id and a time. */

import type { Host } from "../host/host.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../format/session-id.ts";
import type { EntryToAdd } from "./memory-log.ts";
import type { MemoryMessage, Progress, StoredEntry } from "./stored-entry.ts";

/** The first carries the progress, so that it is durable with all of them. */
export function newMessages(
  host: Host,
  entries: readonly EntryToAdd[],
  progress: Progress | undefined,
): readonly (MemoryMessage & { readonly memory: StoredEntry })[] {
  return entries.map(({ text, kind, source, confidence = 1, supersedes = [], at }, index) => {
    const id = makeId(host.now(), host.randomBytes(RANDOM_BYTES_OF_AN_ID));
    const stored = { id, kind, at: at ?? timeOf(host), confidence, source, supersedes };
    const memory = index === 0 && progress !== undefined ? { ...stored, progress } : stored;
    return { role: "system", content: text, memory };
  });
}

export function timeOf(host: Host): string {
  return new Date(host.now()).toISOString();
}
