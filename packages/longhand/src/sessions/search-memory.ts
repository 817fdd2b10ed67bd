/** Finds entries of the memory by their words, of every scope: it is the person's own machine. */

import type { Memory, MemoryEntry } from "@longhand/store/memory";
import { type MemorySurroundings, withMemory } from "./with-memory.ts";

export interface MemoryHit {
  readonly entry: MemoryEntry;
  readonly snippet: string;
  readonly score: number;
}

/** The best first. `undefined`: nothing was ever remembered. */
export async function searchMemory(
  given: MemorySurroundings,
  query: string,
  limit: number,
): Promise<readonly MemoryHit[] | undefined> {
  return await withMemory(given, async (memory) => searchEveryScope(memory, query, limit));
}

/** What is visible to a scope has words of wider ones in it too: each entry counts once. */
async function searchEveryScope(memory: Memory, query: string, limit: number): Promise<readonly MemoryHit[]> {
  const scopes = new Map<string, MemoryEntry["scope"]>();
  for (const { scope } of await memory.everything()) scopes.set(JSON.stringify(scope), scope);
  const found = new Map<string, MemoryHit>();
  for (const scope of scopes.values()) {
    for (const hit of await memory.recall(query, { scope, in: "memory", limit })) {
      if (hit.from === "memory") found.set(hit.entry.id, hit);
    }
  }
  return [...found.values()].sort((one, other) => other.score - one.score).slice(0, limit);
}
