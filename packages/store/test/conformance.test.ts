/** Every backend against the same suite, and against the memory backend by random operations. */

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonBackend } from "../src/backends/json/json-backend.ts";
import { jsonlBackend } from "../src/backends/jsonl/jsonl-backend.ts";
import { memoryBackend } from "../src/backends/memory.ts";
import { openStore } from "../src/open-store.ts";
import type { Backend, BackendCapabilities } from "../src/store/backend.ts";
import type { Store } from "../src/store/types.ts";
import { describeBackend, type BackendPlace, type Harness } from "../src/testing/describe-backend.ts";
import { compareByRandomOperations } from "../src/testing/random-operations.ts";
import { makeTemporaryDirectory, removeDirectory } from "./support/temporary-directory.ts";

interface TestedBackend {
  readonly name: string;
  readonly capabilities: BackendCapabilities;
  readonly create: Harness["create"];
  /** How many random runs it gets: what writes to a disk is slower. */
  readonly randomRuns: number;
}

const BACKENDS: readonly TestedBackend[] = [
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
    randomRuns: 30,
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
    randomRuns: 10,
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
    randomRuns: 10,
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

for (const { name, capabilities, create, randomRuns } of BACKENDS) {
  describe(`the ${name} backend`, () => {
    const skipped: string[] = [];
    describeBackend({
      name,
      capabilities,
      create,
      test: (title, body) => test(title, body),
      skip: (title, reason) => void skipped.push(`${title} (${reason})`),
    });

    test("skips only what its capabilities do not allow, and says why", () => {
      const missing = Object.entries(capabilities).filter(([, has]) => !has);
      for (const one of skipped) {
        const isMissing = missing.some(([capability]) =>
          one.includes(`(needs the capability ${capability}: `),
        );
        const isShownByOthers = one.includes("(the backend has the capability ");
        expect(isMissing || isShownByOthers, one).toBe(true);
      }
    });

    for (let seed = 1; seed <= randomRuns; seed++) {
      test(`does what the memory backend does, random operations with seed ${seed}`, async () => {
        const place = await create();
        const again = place.reopen;
        const opened: Store[] = [];
        const reopen = async (): Promise<Store> => {
          const store = await openStore(again === undefined ? place.backend : again());
          opened.push(store);
          return store;
        };
        const reference = await openStore(memoryBackend());
        try {
          const subject = await reopen();
          await compareByRandomOperations({
            seed,
            steps: 100,
            subject,
            reference,
            archive: capabilities.archive,
            fork: capabilities.fork,
            ...(again === undefined ? {} : { reopen }),
          });
        } finally {
          for (const store of opened) await store.close();
          await reference.close();
          await place.destroy();
        }
      });
    }
  });
}
