/** `@longhand/store/memory`: what outlives a conversation. docs/memory.md */

import { join } from "node:path";
import { layoutOf } from "./format/layout.ts";
import { jsonlBackend } from "./backends/jsonl/jsonl-backend.ts";
import { nodeHost } from "./host/node-host.ts";
import type { MemoryWorld } from "./memory/memory-log.ts";
import { readDue } from "./memory/consolidation-queue.ts";
import { openMemory as open } from "./memory/open-memory.ts";
import type { MemoryMessage } from "./memory/stored-entry.ts";
import type { DueSession, Memory, MemoryOptions } from "./memory/types.ts";
import { openStore } from "./open-store.ts";
import { reportOnce } from "./store/report-once.ts";
import { warnOfDamage } from "./store/warn.ts";

export async function openMemory(options: MemoryOptions): Promise<Memory> {
  const { onDamage, onError } = options;
  const tell = onDamage ?? reportOnce(warnOfDamage, ({ file }) => file);
  const world: MemoryWorld = {
    host: nodeHost,
    damagedBytesIn: (directory) => layoutOf(directory).damaged,
    openStore: async (directory, { onDamage: notice, readOnly }) =>
      await openStore(jsonlBackend(directory), {
        readOnly,
        onDamage: (damage) => {
          notice(damage);
          tell(damage);
        },
        ...(onError === undefined ? {} : { onError }),
      }),
  };
  return await open(world, options);
}

/**
 * The sessions whose turns wait to be consolidated into the memory of this directory, for a report: opens its store for reading
 * only, and needs no sessions. [] where nothing was ever remembered.
 */
export async function readDueSessions(directory: string): Promise<readonly DueSession[]> {
  const path = join(directory, "store");
  if ((await nodeHost.files.stat(path)) === undefined) return [];
  const store = await openStore<MemoryMessage>(jsonlBackend(path), {
    readOnly: true,
    onDamage: () => undefined,
  });
  try {
    return await readDue(store);
  } finally {
    await store.close();
  }
}

export { visibleScopes } from "./memory/scope.ts";
export type { AskModel, Question, TokenEstimator } from "./context/types.ts";
export type {
  Consolidated,
  ConsolidateOptions,
  DueSession,
  FailureKind,
  Forgotten,
  Memory,
  MemoryEntry,
  MemoryKind,
  MemoryOptions,
  MemorySource,
  NewMemory,
  PromptSection,
  PromptSectionOptions,
  RecallOptions,
  Recollection,
  Reconciled,
  Scope,
  TakenIn,
} from "./memory/types.ts";
