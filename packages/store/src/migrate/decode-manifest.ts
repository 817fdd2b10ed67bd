/**
 * A migration manifest as it is found on disk: untrusted. Its checksum guards against damage, not against forgery, so every name must
 * be a plain name in the directory and every id and key valid before anything is done with them.
 */

import { isJsonObject } from "../format/json.ts";
import { isKey } from "../format/key.ts";
import { isId, type Id } from "../format/session-id.ts";
import { ARCHIVED_SUFFIX, LINES_SUFFIX } from "./foreign-names.ts";

export interface Manifest {
  readonly moves: readonly Move[];
  readonly sessions: readonly NewSession[];
}

/** Of an original, in the directory. Size and time tell it from a later file by the same name. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly size: number;
  readonly modified: number;
}

export interface NewSession {
  readonly id: Id;
  readonly key: string;
  readonly status: "active" | "archived";
  /** The names that its originals had. */
  readonly originals: readonly string[];
}

const MAX_NAME_BYTES = 255;
const MIGRATED = /^\.migrated(?:\.[0-9]{1,9})?$/;

/** `undefined`: not what a migration writes. */
export function decodeManifest(value: unknown): Manifest | undefined {
  if (!isJsonObject(value)) return undefined;
  const moves = decodeAll(value["moves"], decodeMove);
  const sessions = decodeAll(value["sessions"], decodeSession);
  return moves === undefined || sessions === undefined ? undefined : { moves, sessions };
}

/** A name in the directory that a session of another program can have, and no path. */
export function isOriginalName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    !/[/\0]/.test(name) &&
    !name.startsWith(".") &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    [".json", LINES_SUFFIX, ARCHIVED_SUFFIX].some((suffix) => name.endsWith(suffix))
  );
}

/** Whether `name` is what a migration calls the original `from`. */
export function isMigratedName(name: unknown, from: string): name is string {
  return typeof name === "string" && name.startsWith(from) && MIGRATED.test(name.slice(from.length));
}

function decodeMove(value: unknown): Move | undefined {
  if (!isJsonObject(value)) return undefined;
  const { from, to, size, modified } = value;
  if (!isOriginalName(from) || !isMigratedName(to, from)) return undefined;
  if (typeof size !== "number" || typeof modified !== "number") return undefined;
  return { from, to, size, modified };
}

function decodeSession(value: unknown): NewSession | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, key, status, originals } = value;
  if (!isId(id) || !isKey(key)) return undefined;
  if ((status !== "active" && status !== "archived") || !Array.isArray(originals)) return undefined;
  const names: readonly unknown[] = originals;
  return names.every(isOriginalName) ? { id, key, status, originals: names } : undefined;
}

function decodeAll<T>(value: unknown, decode: (item: unknown) => T | undefined): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const decoded: T[] = [];
  for (const item of value as readonly unknown[]) {
    const one = decode(item);
    if (one === undefined) return undefined;
    decoded.push(one);
  }
  return decoded;
}
