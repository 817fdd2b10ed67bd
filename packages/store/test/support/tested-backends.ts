import { join } from "node:path";
import { jsonBackend } from "../../src/backends/json/json-backend.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import { memoryBackend } from "../../src/backends/memory.ts";
import type { Backend, BackendCapabilities } from "../../src/contract/backend.ts";
import type { BackendPlace, Harness } from "../../src/testing/describe-backend.ts";
import { makeTemporaryDirectory, removeDirectory } from "./temporary-directory.ts";

export interface TestedBackend {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  readonly create: Harness["create"];
}

/** What comes with the store, with what each must be able to do. */
export const TESTED_BACKENDS: readonly TestedBackend[] = [
  {
    name: "memory",
    capabilities: {
      durable: false,
      flatAppend: true,
      archive: true,
      fork: true,
      manyWriters: false,
      readOnly: false,
    },
    create: () => Promise.resolve({ backend: memoryBackend(), destroy: () => Promise.resolve() }),
  },
  {
    name: "json",
    capabilities: {
      durable: true,
      flatAppend: false,
      archive: false,
      fork: true,
      manyWriters: false,
      readOnly: true,
    },
    create: () => inDirectory((directory) => jsonBackend(directory)),
  },
  {
    name: "jsonl",
    capabilities: {
      durable: true,
      flatAppend: true,
      archive: true,
      fork: true,
      manyWriters: true,
      readOnly: true,
    },
    create: () => inDirectory((directory) => jsonlBackend(directory)),
  },
];

async function inDirectory(backendIn: (directory: string) => Backend): Promise<BackendPlace> {
  const parent = await makeTemporaryDirectory();
  const directory = join(parent, "sessions");
  return {
    backend: backendIn(directory),
    reopen: () => backendIn(directory),
    destroy: async () => await removeDirectory(parent),
  };
}
