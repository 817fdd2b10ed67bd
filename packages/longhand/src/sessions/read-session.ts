/**
 * Reads the one session that was asked for. Damage in other sessions, met while it is looked for, is not reported: it does not
 * concern the answer, and `list`, `verify` and `doctor` report it.
 */

import type { Damage, SessionInfo, Store } from "@longhand/store";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { type ChoiceOptions, chooseSession, READABLE } from "./choose-session.ts";
import { type Met, readAmongForeign } from "./foreign-sessions.ts";
import { findLacking } from "./kept-aside.ts";
import { pointElsewhere } from "./point-elsewhere.ts";
import { damageWarner, type StoreSurroundings } from "./with-store.ts";

export interface SessionReading {
  readonly among?: ChoiceOptions["among"];
  /** Without it damaged places of the session are warnings. */
  readonly onDamage?: (damage: Damage) => void;
  /** The session has a damaged place: the answer is not complete. */
  readonly onFlawed?: () => void;
}

export async function readSession<T>(
  given: StoreSurroundings,
  wanted: string,
  use: (store: Store, info: SessionInfo, met: Met) => Promise<T>,
  { among = READABLE, onDamage, onFlawed }: SessionReading = {},
): Promise<T> {
  const report = onDamage ?? damageWarner(given);
  const own: Damage[] = [];
  // The store reports a damaged place once, possibly before it is known which session is meant.
  const early: Damage[] = [];
  let key: string | undefined;
  const tell = (damage: Damage): void => {
    own.push(damage);
    report(damage);
  };
  const take = (damage: Damage): void => {
    if (key === undefined) early.push(damage);
    else if (damage.key === key) tell(damage);
  };
  const result = await readAmongForeign(
    given,
    async (store) => {
      const info = await withProgress(given.output, async (progress) => {
        const onProgress = showPercent(progress, "searching for the session");
        return await chooseSession(store, wanted, { ...given, among, onProgress }).catch(
          async (error: unknown) => {
            throw await pointElsewhere(error, given);
          },
        );
      });
      key = info.key;
      for (const damage of early) take(damage);
      // Who wants to know of damage otherwise, or not at all, only looks for the session.
      if (onDamage === undefined) for (const damage of await findLacking(info, given)) tell(damage);
      return await use(store, info, { damage: own });
    },
    { onDamage: take, onUnreadable: () => undefined },
  );
  if (own.length > 0) onFlawed?.();
  return result;
}
