/**
 * For commands that write to a session that must be there: it is looked for by reading, and only when it is found the
 * store is opened for writing. So such a command never makes a store, and waits for nobody to say that there is none.
 */

import type { SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import type { ChoiceOptions } from "./choose-session.ts";
import { readSession } from "./read-session.ts";
import { withLock } from "./with-lock.ts";
import { type StoreSurroundings, withStoreForWriting } from "./with-store.ts";

/** Nobody else writes to the session while it is used. */
export async function withSessionForWriting<T>(
  given: StoreSurroundings,
  wanted: string,
  wait: number,
  use: (store: Store, info: SessionInfo) => Promise<T>,
  among: ChoiceOptions["among"] = ["active"],
): Promise<T> {
  const { key } = await findSession(given, wanted, among);
  return await withStoreForWriting(given, async (store) =>
    withLock(store.session(key), wait, given, async () => {
      // As it is now: somebody may have written while we waited.
      const info = await store.session(key).state();
      if (info === undefined || !among.includes(info.status)) {
        throw new CommandError("KEY_UNKNOWN", `${escapeKey(key)} was put away or deleted at this moment`);
      }
      return await use(store, info);
    }),
  );
}

/** Damaged places are not told here: who uses the session next meets them again. */
export async function findSession(
  given: StoreSurroundings,
  wanted: string,
  among: ChoiceOptions["among"],
): Promise<SessionInfo> {
  return await readSession(given, wanted, (_store, info) => Promise.resolve(info), {
    among,
    onDamage: () => undefined,
  });
}
