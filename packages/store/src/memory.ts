/** `@longhand/store/memory`: what outlives a conversation. docs/memory.md */

import { layoutOf } from "./backends/jsonl/files/layout.ts";
import { jsonlBackend } from "./backends/jsonl/jsonl-backend.ts";
import { nodeHost } from "./host/node-host.ts";
import type { MemoryWorld } from "./memory/memory-log.ts";
import { openMemory as open } from "./memory/open-memory.ts";
import type { Memory, MemoryOptions } from "./memory/types.ts";
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
  TakenIn,
} from "./memory/types.ts";
