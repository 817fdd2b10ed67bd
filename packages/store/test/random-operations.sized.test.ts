/** Every backend does what the memory backend does, by random operations. */

import { describe, test } from "vitest";
import { sized } from "../../../test/support/sized.ts";
import { memoryBackend } from "../src/backends/memory.ts";
import { openStore } from "../src/open-store.ts";
import type { Store } from "../src/contract/types.ts";
import { compareByRandomOperations } from "../src/testing/random-operations.ts";
import { TESTED_BACKENDS } from "./support/tested-backends.ts";

describe.each(TESTED_BACKENDS)("the $name backend", ({ capabilities, create }) => {
  // What writes to a disk is slower.
  const runs = capabilities.durable ? sized(3, 10) : 30;
  for (let seed = 1; seed <= runs; seed++) {
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
