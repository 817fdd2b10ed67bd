/**
 * The id of a migrated session. Derived from its key and its originals, so that every reading of the same files gives the same id, and
 * an id proves which files a session was made of.
 */

import { createHash } from "node:crypto";
import { makeId, type Id } from "../format/session-id.ts";
import type { Original } from "./migration-plan.ts";

type NamedBytes = Pick<Original, "name" | "sha256">;

/** In an id, the characters of the time it was made at. */
const TIME_CHARACTERS = 10;

/** `created`: milliseconds. */
export function migratedId(created: number, key: string, originals: readonly NamedBytes[]): Id {
  const hash = createHash("sha256").update(JSON.stringify(key));
  for (const { name, sha256 } of originals) hash.update(`\n${JSON.stringify(name)} ${sha256}`);
  return makeId(created, hash.digest());
}

export function isMigratedId(id: string, key: string, originals: readonly NamedBytes[]): boolean {
  return id.slice(TIME_CHARACTERS) === migratedId(0, key, originals).slice(TIME_CHARACTERS);
}
