/** One test for each backend that comes with the store. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonBackend } from "../../src/backends/json/json-backend.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import { memoryBackend } from "../../src/backends/memory.ts";
import { openStore } from "../../src/open-store.ts";
import type { Backend } from "../../src/contract/backend.ts";
import type { Store } from "../../src/contract/types.ts";
import { makeTemporaryDirectory, removeDirectory } from "./temporary-directory.ts";

export interface OpenedStore {
  /** The one that is open now. */
  readonly store: Store;
  /** Where its files are; `undefined` in memory. */
  readonly directory: string | undefined;
  /** Closes the store and opens it again; in memory it is the same store. */
  readonly reopen: () => Promise<Store>;
}

const BACKENDS = {
  memory: () => memoryBackend(),
  json: (directory: string) => jsonBackend(directory),
  jsonl: (directory: string) => jsonlBackend(directory),
};

/** `names`: those that can do what the test is about. */
export function onEachBackend(
  title: string,
  body: (opened: OpenedStore) => Promise<void>,
  names: readonly (keyof typeof BACKENDS)[] = ["memory", "json", "jsonl"],
): void {
  for (const name of names) test(`${title} (${name})`, async () => await runIn(BACKENDS[name], body));
}

async function runIn(
  backendIn: (directory: string) => Backend,
  body: (opened: OpenedStore) => Promise<void>,
): Promise<void> {
  const parent = await makeTemporaryDirectory();
  const path = join(parent, "sessions");
  let store = await openStore(backendIn(path));
  const { directory } = store;
  const reopen = async (): Promise<Store> => {
    if (directory === undefined) return store;
    await store.close();
    store = await openStore(backendIn(path));
    return store;
  };
  try {
    await body({
      get store() {
        return store;
      },
      directory,
      reopen,
    });
    if (directory !== undefined) expect(await readdir(parent)).toEqual(["sessions"]);
  } finally {
    await store.close();
    await removeDirectory(parent);
  }
}
