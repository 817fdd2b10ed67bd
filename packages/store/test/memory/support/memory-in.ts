/** Memories for tests: over the real disk, or over a simulated one. */

import { readFile, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { layoutOf } from "../../../src/format/layout.ts";
import type { Host } from "../../../src/host/host.ts";
import { nodeHost } from "../../../src/host/node-host.ts";
import {
  jsonlBackend,
  memoryBackend,
  openStore,
  type LonghandError,
  type LonghandErrorCode,
  type StoreOptions,
} from "../../../src/index.ts";
import type { MemoryWorld } from "../../../src/memory/memory-log.ts";
import { openMemory } from "../../../src/memory/open-memory.ts";
import type { MemoryMessage } from "../../../src/memory/stored-entry.ts";
import type { Memory } from "../../../src/memory/types.ts";
import { rejectsTyped } from "../../support/rejects-typed.ts";

export function worldOf(host: Host, options: StoreOptions = {}): MemoryWorld {
  return {
    host,
    damagedBytesIn: (directory) => layoutOf(directory).damaged,
    openStore: async (directory, { onDamage, readOnly }) =>
      await openStore<MemoryMessage>(jsonlBackend(directory, { host }), {
        ...options,
        readOnly,
        onDamage: (damage) => {
          onDamage(damage);
          options.onDamage?.(damage);
        },
      }),
  };
}

export async function memoryIn(
  directory: string,
  host: Host = nodeHost,
  options?: StoreOptions,
): Promise<Memory> {
  return await openMemory(worldOf(host, options), {
    directory,
    sessions: await openStore(memoryBackend()),
  });
}

/** A page that was saved a moment ago may be half written, so that a refresh waits for seconds; not for this one. */
export async function savedLongAgo(path: string): Promise<void> {
  const time = new Date(Date.now() - 3_600_000);
  await utimes(path, time, time);
}

/** It must reject with this code. */
export async function refusedWith(
  promise: Promise<unknown>,
  code: LonghandErrorCode,
): Promise<LonghandError> {
  const error = await rejectsTyped(promise);
  expect(error.code, error.message).toBe(code);
  return error;
}

/** Names of the files under a directory, of any kind, in which the words can be read, also compressed ones. */
export async function filesWith(directory: string, words: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    if ((isCompressed ? gunzipSync(bytes) : bytes).includes(words)) found.push(path);
  }
  return found;
}
