/** `@longhand/store/memory`: what outlives a conversation. docs/memory.md */

import { jsonlBackend } from "./backends/jsonl/jsonl-backend.ts";
import { nodeHost } from "./host/node-host.ts";
import { openMemory as open } from "./memory/open-memory.ts";
import type { Memory, MemoryOptions } from "./memory/types.ts";
import { openStore } from "./open-store.ts";

export async function openMemory(options: MemoryOptions): Promise<Memory> {
  const { onDamage, onError } = options;
  const hooks = {
    ...(onDamage === undefined ? {} : { onDamage }),
    ...(onError === undefined ? {} : { onError }),
  };
  const world = {
    host: nodeHost,
    openStore: async (directory: string) => await openStore(jsonlBackend(directory), hooks),
  };
  return await open(world, options);
}

export { visibleScopes } from "./memory/scope.ts";
export type { AskModel, Question, TokenEstimator } from "./context/types.ts";
export type {
  Consolidated,
  ConsolidateOptions,
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
  Scope,
} from "./memory/types.ts";
