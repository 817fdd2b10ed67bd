/**
 * For commands that write to a session that must be there: it is looked for by reading, and only when it is found the
 * store is opened for writing. So such a command never makes a store, and waits for nobody to say that there is none.
 */

import type { SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { chooseSession } from "./choose-session.ts";
import { type StoreSurroundings, withStoreForReading, withStoreForWriting } from "./with-store.ts";

export async function withSessionForWriting<T>(
  given: StoreSurroundings,
  wanted: string,
  wait: number,
  use: (store: Store, info: SessionInfo) => Promise<T>,
): Promise<T> {
  const key = await findKey(given, wanted);
  return await withStoreForWriting(given, wait, async (store) => {
    // As it is now: somebody may have written while we waited.
    const info = await store.session(key).state();
    if (info === undefined) {
      throw new CommandError("KEY_UNKNOWN", `${escapeKey(key)} was deleted at this moment`);
    }
    return await use(store, info);
  });
}

/** Damaged places are not told here: who writes to the session next meets them again. */
export async function findKey(given: StoreSurroundings, wanted: string): Promise<string> {
  const choose = async (store: Store): Promise<string> =>
    (await chooseSession(store, wanted, { ...given, archivedToo: false })).key;
  return await withStoreForReading(given, choose, { onDamage: () => undefined });
}
