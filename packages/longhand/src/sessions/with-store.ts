/**
 * Opens the store for one command and closes it whatever happens. Reading takes no lock, so that it works while an
 * agent is writing; a directory that is not there yet reads as an empty store. The store itself is loaded only here:
 * a command that only explains itself does not need it.
 */

import type { Places } from "../config/places.ts";
import { basename } from "node:path";
import type { Damage, LonghandError, LonghandErrorCode, Store } from "@longhand/store";
import { completeCommands, type ToPaste } from "../terminal/command-to-paste.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
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

export async function withStoreForReading<T>(
  given: StoreSurroundings,
  use: (store: Store) => Promise<T>,
  reports: ReadingReports = {},
): Promise<T> {
  const { openStore } = await import("@longhand/store");
  const onForeign = foreignTeller(given);
  const options = { readOnly: true, ...readingReporters(given, reports), onForeign };
  return await useAndClose(await openStore(given.places.sessions.path, options), use);
}

/** Others may have it open for writing too: they take turns, session by session. */
export async function withStoreForWriting<T>(
  given: StoreSurroundings,
  use: (store: Store) => Promise<T>,
  reports: Pick<ReadingReports, "onDamage"> = {},
): Promise<T> {
  const { openStore } = await import("@longhand/store");
  const warn = warner(given);
  const store = await openStore(given.places.sessions.path, {
    onForeign: foreignTeller(given),
    onDamage: reports.onDamage ?? damageWarner(given),
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
    onDamage = damageWarner(given),
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
      const session = unreadableByDamage(damage, given.toPaste);
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
  "FILES_IGNORED",
  "MEMORY_EDITED",
  "MEMORY_NOT_UPDATED",
  "MEMORY_READ_ONLY",
  "RECORD_DAMAGED",
  "RECORD_LOST",
  "RECORDS_KEPT",
  "SESSION_ELSEWHERE",
  "SESSION_UNREADABLE",
  "SESSIONS_FOREIGN",
  "SESSIONS_OLDER",
  "WINDOW_ASSUMED",
  "WORKSPACE_DEFAULT",
] as const;
type WarningCode = (typeof WARNING_CODES)[number] | LonghandErrorCode;

export function warner({
  output,
  json,
  toPaste,
}: StoreSurroundings): (code: WarningCode, said: string, more: object) => void {
  return (code, said, more) => {
    const message = completeCommands(said, toPaste);
    output.writeError(
      json
        ? jsonLine({ warning: { code, message, ...more } })
        : `longhand: warning: ${escapeLine(message)}\n`,
    );
  };
}

/** With the command that says what to do, unless that was done: a torn end was cut. */
export function damageWarner(given: StoreSurroundings): (damage: Damage) => void {
  const warn = warner(given);
  return (damage) => {
    const described = describeDamage(damage);
    const remedy = given.toPaste("verify", damage.key);
    if (damage.kind === "torn" && damage.kept !== undefined) warn("DAMAGE", described, { damage });
    else warn("DAMAGE", `${described}; what to do: ${remedy}`, { damage, remedy });
  };
}

export function describeDamage(damage: Damage): string {
  const { file, reason, key, kind, kept } = damage;
  const session = key === undefined ? "" : ` (session ${key})`;
  const cut = kind === "torn" ? "cut off, and kept in" : "kept in";
  // A file of kept records is named already.
  const aside = kept === undefined || kept === file ? "" : `; ${cut} ${kept}`;
  return `${file}: ${placeIn(damage)}${reason}${session}${aside}`;
}

/** Of a whole file, or of one that was not looked into, there is no place to name. */
function placeIn({ offset, bytes, kind, seq, notPermitted }: Damage): string {
  if (notPermitted === true || (offset === 0 && bytes === 0)) return "";
  const record = seq === undefined ? "" : `, record ${seq}`;
  const size = bytes === 0 ? "" : ` (${countOf(bytes, "byte")}${record})`;
  return `${kind} at byte ${offset}${size}: `;
}

/** A command may open the store more than once; the places of a command are one object. */
const toldForeign = new WeakSet<Places>();

/** One line for a command, with what to run. */
export function foreignTeller(given: StoreSurroundings): (files: readonly string[]) => void {
  return (files) => {
    if (toldForeign.has(given.places)) return;
    toldForeign.add(given.places);
    const remedy = given.toPaste("migrate --dry-run");
    const message = describeForeign(files);
    if (given.json) warner(given)("SESSIONS_FOREIGN", message, { files, remedy });
    else given.output.writeError(`longhand: ${escapeLine(message)}: ${remedy}\n`);
  };
}

export function describeForeign(files: readonly string[]): string {
  const [first = ""] = files;
  if (files.length === 1)
    return `${basename(first)} looks like a session of another program and was left alone`;
  return `${basename(first)} and ${countOf(files.length - 1, "other file")} look like sessions of another program and were left alone`;
}
