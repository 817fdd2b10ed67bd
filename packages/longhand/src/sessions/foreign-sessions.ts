/** Reads the store for a command; sessions that cannot be read are told after what could be. */

import { basename } from "node:path";
import type { Damage, Store } from "@longhand/store";
import { escapeLine } from "../terminal/escape-controls.ts";
import { checkNamedDirectory } from "./check-named-store.ts";
import { damagedMatch } from "./damaged-match.ts";
import { tellOlder } from "./older-state.ts";
import { adviseUnreadable, type UnreadableSession } from "./unreadable-session.ts";
import { damageWarner, type StoreSurroundings, warner, withStoreForReading } from "./with-store.ts";

export interface ForeignReading {
  /** Without it sessions that cannot be read are warnings. */
  readonly onUnreadable?: (sessions: readonly UnreadableSession[]) => void;
  readonly onDamage?: (damage: Damage) => void;
  /** A damaged place, or a session that cannot be read, was met: the answer is not whole. */
  readonly onFlawed?: () => void;
}

/** What has been met so far. */
export interface Met {
  readonly damage: readonly Damage[];
}

export async function readAmongForeign<T>(
  given: StoreSurroundings,
  use: (store: Store, met: Met) => Promise<T>,
  { onUnreadable, onDamage, onFlawed }: ForeignReading = {},
): Promise<T> {
  const unreadable: UnreadableSession[] = [];
  const damage: Damage[] = [];
  const tellDamage = onDamage ?? damageWarner(given);
  await checkNamedDirectory(given.places);
  tellOlder(given);
  let result: T;
  try {
    result = await withStoreForReading(given, async (store) => use(store, { damage }), {
      onUnreadable: (session) => void unreadable.push(session),
      onDamage: (found) => {
        damage.push(found);
        tellDamage(found);
      },
    });
  } catch (error) {
    const damaged = damagedMatch(error, unreadable);
    if (damaged !== undefined) throw damaged;
    warnOfUnreadable(unreadable, given);
    throw error;
  }
  if (damage.length > 0 || unreadable.length > 0) onFlawed?.();
  if (onUnreadable === undefined) warnOfUnreadable(unreadable, given);
  else onUnreadable(unreadable);
  return result;
}

const SHOWN_IGNORED = 3;

/** Names the files that have the suffix of a session and are neither this store's nor another program's sessions. */
export async function tellIgnored(given: StoreSurroundings): Promise<void> {
  const { findForeign, isLonghandError } = await import("@longhand/store");
  const other = await findForeign(given.places.sessions.path).then(
    (found) => found.other.map((path) => basename(path)),
    (error: unknown) => {
      // The list itself has failed for the same reason, or has said it.
      if (isLonghandError(error)) return [];
      throw error;
    },
  );
  if (other.length === 0) return;
  const more = other.length - SHOWN_IGNORED;
  const names = other.slice(0, SHOWN_IGNORED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  if (given.json) warner(given)("FILES_IGNORED", `not a session; ignored: ${names}`, { files: other });
  else given.output.writeError(`longhand: ${escapeLine(names)}: not a session; ignored\n`);
}

function warnOfUnreadable(unreadable: readonly UnreadableSession[], given: StoreSurroundings): void {
  const warn = warner(given);
  for (const session of unreadable)
    warn("SESSION_UNREADABLE", `could not be read: ${adviseUnreadable(session)}`, session);
}
