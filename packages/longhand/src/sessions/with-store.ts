/**
 * Opens the store for one command and closes it whatever happens. Reading takes no lock, so that it works while an
 * agent is writing; a directory that is not there yet reads as an empty store. The store itself is loaded only here:
 * a command that only explains itself does not need it.
 */

import type { Damage, LonghandError, LonghandErrorCode, Migrated, Store } from "@longhand/store";
import type { Places } from "../config/places.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import type { Output } from "../terminal/output.ts";
import {
  adviseUnreadable,
  unreadableByDamage,
  unreadableByError,
  type UnreadableSession,
} from "./unreadable-session.ts";

export interface StoreSurroundings {
  readonly output: Output;
  readonly places: Places;
  /** The answer is for a program: JSON only, on both streams. */
  readonly json: boolean;
  readonly toPaste: ToPaste;
}

export interface ReadingReports {
  /** Told once of each session that cannot be opened. Without it they are warnings. */
  readonly onUnreadable?: (session: UnreadableSession) => void;
  /** Without it damaged places are warnings. */
  readonly onDamage?: (damage: Damage) => void;
}

export interface WritingReports extends Pick<ReadingReports, "onDamage"> {
  /** Without it, what the opening has migrated is said: nobody asked for it in so many words. */
  readonly onMigrated?: (migrated: Migrated) => void;
}

export async function withStoreForReading<T>(
  given: StoreSurroundings,
  use: (store: Store) => Promise<T>,
  reports: ReadingReports = {},
): Promise<T> {
  const { openStore } = await import("@longhand/store");
  const options = { readOnly: true, ...readingReporters(given, reports) };
  return await useAndClose(await openStore(given.places.sessions.path, options), use);
}

/** Others may have it open for writing too: they take turns, session by session. */
export async function withStoreForWriting<T>(
  given: StoreSurroundings,
  use: (store: Store) => Promise<T>,
  reports: WritingReports = {},
): Promise<T> {
  const { jsonlBackend, openStore } = await import("@longhand/store");
  const warn = warner(given);
  const onMigrated =
    reports.onMigrated ??
    ((migrated: Migrated) => warn("SESSIONS_MIGRATED", describeMigrated(migrated), { ...migrated }));
  const store = await openStore(jsonlBackend(given.places.sessions.path, { onMigrated }), {
    onDamage: reports.onDamage ?? ((damage) => warn("DAMAGE", describeDamage(damage), { damage })),
    onError: ({ code, message }) => warn(code, message, {}),
  });
  return await useAndClose(store, use);
}

async function useAndClose<T>(store: Store, use: (store: Store) => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await use(store);
  } catch (error) {
    // What went wrong first is what is told.
    await store.close().catch(() => undefined);
    throw error;
  }
  await store.close();
  return result;
}

interface Reporters {
  readonly onDamage: (damage: Damage) => void;
  readonly onError: (error: LonghandError) => void;
}

function readingReporters(given: StoreSurroundings, reports: ReadingReports): Reporters {
  const warn = warner(given);
  const {
    onUnreadable = (session) =>
      warn("SESSION_UNREADABLE", `could not be read: ${adviseUnreadable(session)}`, session),
    onDamage = (damage) => warn("DAMAGE", describeDamage(damage), { damage }),
  } = reports;
  // A command may read a session more than once.
  const told = new Set<string>();
  const tellOnce = (session: UnreadableSession): void => {
    if (told.has(session.file)) return;
    told.add(session.file);
    onUnreadable(session);
  };
  return {
    onDamage: (damage) => {
      const session = unreadableByDamage(damage);
      if (session === undefined) onDamage(damage);
      else tellOnce(session);
    },
    onError: (error) => {
      const session = unreadableByError(error);
      if (session === undefined) warn(error.code, error.message, {});
      else tellOnce(session);
    },
  };
}

/** What a warning may be about, beside the codes of the store. */
export const WARNING_CODES = [
  "DAMAGE",
  "MEMORY_EDITED",
  "MEMORY_NOT_UPDATED",
  "MEMORY_READ_ONLY",
  "RECORD_LOST",
  "SESSION_UNREADABLE",
  "SESSIONS_FOREIGN",
  "SESSIONS_MIGRATED",
  "SESSIONS_OLDER",
  "WINDOW_ASSUMED",
  "WORKSPACE_DEFAULT",
] as const;
type WarningCode = (typeof WARNING_CODES)[number] | LonghandErrorCode;

export function warner({
  output,
  json,
}: StoreSurroundings): (code: WarningCode, message: string, more: object) => void {
  return (code, message, more) => {
    output.writeError(
      json
        ? jsonLine({ warning: { code, message, ...more } })
        : `longhand: warning: ${escapeLine(message)}\n`,
    );
  };
}

export function describeDamage({ file, offset, bytes, kind, reason, key, seq, kept }: Damage): string {
  const session = key === undefined ? "" : ` (session ${key})`;
  const record = seq === undefined ? "" : `, record ${seq}`;
  const cut = kept === undefined ? "" : `; cut off, and kept in ${kept}`;
  return `${file}: ${kind} at byte ${offset} (${bytes} bytes${record}): ${reason}${session}${cut}`;
}

const SHOWN_NAMES = 5;

function describeMigrated({ keys, originals }: Migrated): string {
  const were = keys.length === 1 ? "was" : "were";
  return `${countOf(keys.length, "session")} of other programs ${were} migrated on opening: ${someOf(keys.map(escapeKey))}; the originals are kept: ${someOf(originals)}`;
}

function someOf(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
