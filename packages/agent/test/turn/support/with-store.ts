/** Stores that tests need for a moment. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonBackend, jsonlBackend, memoryBackend, openStore, type Store } from "@longhand/store";

export type BackendName = "memory" | "json" | "jsonl";

export async function withDirectory<T>(body: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "longhand-"));
  try {
    return await body(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export async function withStore<T>(name: BackendName, body: (store: Store) => Promise<T>): Promise<T> {
  return await withDirectory(async (directory) => {
    const path = join(directory, "sessions");
    const backend =
      name === "memory" ? memoryBackend() : name === "json" ? jsonBackend(path) : jsonlBackend(path);
    const store = await openStore(backend);
    try {
      return await body(store);
    } finally {
      await store.close();
    }
  });
}
