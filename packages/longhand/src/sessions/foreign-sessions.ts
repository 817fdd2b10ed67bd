/**
 * Sessions of other programs in the directory, which a store that is open for reading does not serve. They are not
 * damaged, and must not be called so: whoever meets them is pointed to `longhand migrate`.
 */

import { join } from "node:path";
import type { Damage, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { damagedMatch } from "./damaged-match.ts";
import { tellOlder } from "./older-state.ts";
import { adviseUnreadable, type UnreadableSession } from "./unreadable-session.ts";
import { describeDamage, type StoreSurroundings, warner, withStoreForReading } from "./with-store.ts";

export interface ForeignSessions {
  readonly count: number;
  /** The files they are in, as the store names them. */
  readonly files: ReadonlySet<string>;
}

export const NO_FOREIGN: ForeignSessions = { count: 0, files: new Set() };

/** Reads only. */
export async function findForeign(directory: string): Promise<ForeignSessions> {
  const { isLonghandError, planMigration } = await import("@longhand/store");
  try {
    const { sessions, directory: path } = await planMigration(directory);
    const names = sessions.flatMap(({ originals }) => originals.map(({ name }) => name));
    return { count: sessions.length, files: new Set(names.map((name) => join(path, name))) };
  } catch (error) {
    // What cannot be looked at would not be migrated either, and the store itself reports it as unreadable.
    if (isLonghandError(error)) return NO_FOREIGN;
    throw error;
  }
}

export function describeForeign(count: number): string {
  return `${countOf(count, "session")} of other programs ${count === 1 ? "is" : "are"} here`;
}

export function tellForeign({ count }: ForeignSessions, given: StoreSurroundings): void {
  if (count === 0) return;
  const remedy = given.toPaste("migrate --dry-run");
  if (given.json) warner(given)("SESSIONS_FOREIGN", describeForeign(count), { sessions: count, remedy });
  else given.output.writeError(`longhand: ${describeForeign(count)}: ${remedy}\n`);
}

export interface ForeignReading {
  /** Looks for foreign sessions in any case. Otherwise only where something was missed: it is a look at every file. */
  readonly always?: boolean;
  /** Without it sessions that cannot be read though they are ours are warnings. */
  readonly onUnreadable?: (sessions: readonly UnreadableSession[]) => void;
  readonly onDamage?: (damage: Damage) => void;
  /** A damaged place, or a session of ours that cannot be read, was met: the answer is not whole. */
  readonly onFlawed?: () => void;
}

/** What has been met so far. */
export interface Met {
  readonly damage: readonly Damage[];
}

/** Reads the store, then tells of foreign sessions. */
export async function readAmongForeign<T>(
  given: StoreSurroundings,
  use: (store: Store, met: Met) => Promise<T>,
  { always = false, onUnreadable, onDamage, onFlawed }: ForeignReading = {},
): Promise<T> {
  const unreadable: UnreadableSession[] = [];
  const damage: Damage[] = [];
  const warn = warner(given);
  const tellDamage =
    onDamage ?? ((found: Damage) => warn("DAMAGE", describeDamage(found), { damage: found }));
  const { path } = given.places.sessions;
  const oursAmong = ({ files }: ForeignSessions): readonly UnreadableSession[] =>
    unreadable.filter(({ file }) => !files.has(file));
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
    const foreign = await findForeign(path);
    const damaged = damagedMatch(error, oursAmong(foreign));
    if (damaged !== undefined) throw damaged;
    tellForeign(foreign, given);
    warnOfUnreadable(oursAmong(foreign), given);
    throw await orForeign(error, foreign, given);
  }
  const foreign = always || unreadable.length > 0 ? await findForeign(path) : NO_FOREIGN;
  tellForeign(foreign, given);
  if (damage.length > 0 || oursAmong(foreign).length > 0) onFlawed?.();
  if (onUnreadable === undefined) warnOfUnreadable(oursAmong(foreign), given);
  else onUnreadable(oursAmong(foreign));
  return result;
}

/** The error itself, unless it calls a foreign session damaged. */
export async function orForeign(
  error: unknown,
  { files }: ForeignSessions,
  { toPaste }: StoreSurroundings,
): Promise<unknown> {
  const { isLonghandError } = await import("@longhand/store");
  if (!isLonghandError(error, "SESSION_DAMAGED")) return error;
  const { file } = error.detail;
  if (typeof file !== "string" || !files.has(file)) return error;
  return new CommandError(
    "KEY_UNKNOWN",
    `${escapeLine(file)} is a session of another program, and can be read when it is migrated`,
    { detail: { file }, remedy: `what would become of it: ${toPaste("migrate --dry-run")}` },
  );
}

function warnOfUnreadable(unreadable: readonly UnreadableSession[], given: StoreSurroundings): void {
  const warn = warner(given);
  for (const session of unreadable)
    warn("SESSION_UNREADABLE", `could not be read: ${adviseUnreadable(session)}`, session);
}
