/** A home with a store and a memory in it for the tests of commands. */

import { join } from "node:path";
import { openStore, type Store } from "@longhand/store";
import { type Memory, openMemory } from "@longhand/store/memory";
import { type Longhand, withHome } from "./with-home.ts";

export async function withRemembered(
  fill: (memory: Memory, store: Store) => Promise<unknown>,
  use: (longhand: Longhand, home: string, sessions: string) => Promise<void>,
): Promise<void> {
  await withHome(
    () => Promise.resolve(),
    async (longhand, home, sessions) => {
      const store = await openStore(sessions);
      const memory = await openMemory({ directory: join(home, "memory"), sessions: store });
      await fill(memory, store);
      await memory.close();
      await store.close();
      await use(longhand, home, sessions);
    },
  );
}
