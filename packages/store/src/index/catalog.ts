/**
 * The catalog: what is known about every session, so that a listing need not read them. Pure: bytes in, entries out. It is
 * disposable and never a truth of its own. An entry counts only while the file it was read from is the same, which a stat proves;
 * a catalog that is damaged, or was written before the machine was last started, counts as none.
 */

import { isCount } from "../format/is-count.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import { checkLine, withChecksum } from "../format/line-checksum.ts";
import type { SessionInfo } from "../format/session-record.ts";

/** What tells a file from every other, and from itself after a change. */
export interface FileVersion {
  readonly inode: number;
  readonly size: number;
  /** In milliseconds, with fractions. */
  readonly modified: number;
  /** Set by the kernel alone: no program can put it back. */
  readonly changed: number;
}

export interface CatalogEntry {
  /** The number of the active file, by which journals name it. */
  readonly file: number;
  readonly info: SessionInfo;
}

/** An entry as it is stored: fields in the order of `FIELD`. Objects would name each field for each session. */
export type CatalogRow = readonly unknown[];

const SALT = "longhand catalog";
const FORMAT = 1;

/** Two changes of a file within the resolution of its times look like one: a later change is told only after this time. */
export const SETTLED_MS = 2000;

const FIELD = {
  status: 0,
  name: 1,
  inode: 2,
  size: 3,
  modified: 4,
  changed: 5,
  file: 6,
  key: 7,
  id: 8,
  seq: 9,
  count: 10,
  summary: 11,
  title: 12,
  tags: 13,
  created: 14,
  updated: 15,
  bytes: 16,
} as const;

export function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return (
    one.changed === other.changed &&
    one.size === other.size &&
    one.inode === other.inode &&
    one.modified === other.modified
  );
}

/** Rows by the name of the session's file: active files have other names than those that were put away. */
export class CatalogRows {
  readonly #rows = new Map<string, CatalogRow>();

  constructor(rows: readonly CatalogRow[] = []) {
    for (const row of rows) this.#rows.set(placeOf(String(row[FIELD.status]), String(row[FIELD.name])), row);
  }

  /** `undefined`: there is none for this version of the file. */
  find(status: SessionInfo["status"], name: string, now: FileVersion): CatalogRow | undefined {
    const row = this.#rows.get(placeOf(status, name));
    if (row === undefined) return undefined;
    const isSame =
      row[FIELD.changed] === now.changed &&
      row[FIELD.size] === now.size &&
      row[FIELD.inode] === now.inode &&
      row[FIELD.modified] === now.modified;
    return isSame ? row : undefined;
  }

  /** `files` in the order of the rows, which is that of most listings; those without a row come last. */
  inOrder<F extends { readonly status: string; readonly name: string }>(files: readonly F[]): readonly F[] {
    if (this.#rows.size === 0) return files;
    const rest = new Map(files.map((file) => [placeOf(file.status, file.name), file]));
    const known: F[] = [];
    for (const place of this.#rows.keys()) {
      const file = rest.get(place);
      if (file === undefined) continue;
      known.push(file);
      rest.delete(place);
    }
    return [...known, ...rest.values()];
  }

  get size(): number {
    return this.#rows.size;
  }
}

/** An active session's place is its name: most are, and that saves a text for each. */
function placeOf(status: string, name: string): string {
  return status === "active" ? name : `${status}/${name}`;
}

/** The newest first, as most listings want them: sorting what is sorted costs little. */
export function encodeCatalog(bootId: string, rows: readonly CatalogRow[]): Buffer {
  const updatedOf = (row: CatalogRow): string => String(row[FIELD.updated]);
  const sessions = rows.toSorted((a, b) => (updatedOf(a) > updatedOf(b) ? -1 : 1));
  const catalog = { catalog: FORMAT, boot: bootId, sessions };
  return withChecksum(JSON.stringify(catalog).slice(0, -1), SALT);
}

/** `undefined`: it is damaged, or of another version or another boot. */
export function decodeCatalog(bytes: Buffer, bootId: string): CatalogRows | undefined {
  const text = checkLine(bytes.subarray(0, -1), SALT);
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  if (!isJsonObject(value) || value["catalog"] !== FORMAT || value["boot"] !== bootId) return undefined;
  const rows = value["sessions"];
  if (!Array.isArray(rows) || !rows.every(isRow)) return undefined;
  // A session is listed once by its id: a second one with the same would be left out.
  const ids = new Set(rows.map((row) => row[FIELD.id]));
  return ids.size === rows.length ? new CatalogRows(rows) : undefined;
}

export function toRow(name: string, version: FileVersion, { file, info }: CatalogEntry): CatalogRow {
  const { inode, size, modified, changed } = version;
  const { status, key, id, seq, count, summary, title, tags, created, updated, bytes } = info;
  return [
    ...[status, name, inode, size, modified, changed, file],
    ...[key, id, seq, count, summary, title ?? null, tags, created, updated, bytes],
  ];
}

/**
 * The sum proves no author: everything is checked. `undefined`: it is no entry. No name in a row becomes a path: rows are looked
 * up by names that exist.
 */
export function fromRow(row: CatalogRow, status: SessionInfo["status"]): CatalogEntry | undefined {
  const file = row[FIELD.file];
  const key = row[FIELD.key];
  const id = row[FIELD.id];
  const seq = row[FIELD.seq];
  const count = row[FIELD.count];
  const summary = row[FIELD.summary];
  const title = row[FIELD.title];
  const tags = row[FIELD.tags];
  const created = row[FIELD.created];
  const updated = row[FIELD.updated];
  const bytes = row[FIELD.bytes];
  if (!isCount(file) || !isCount(seq) || !isCount(count) || !isCount(bytes)) return undefined;
  if (typeof key !== "string" || typeof id !== "string" || typeof summary !== "string") return undefined;
  if (typeof created !== "string" || typeof updated !== "string") return undefined;
  if (title !== null && typeof title !== "string") return undefined;
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string")) return undefined;
  // Only sessions without damage are in a catalog.
  const damaged = 0;
  const info =
    title === null
      ? { key, id, status, seq, count, summary, tags, created, updated, bytes, damaged }
      : { key, id, status, seq, count, summary, title, tags, created, updated, bytes, damaged };
  return { file, info };
}

function isRow(value: unknown): value is CatalogRow {
  return Array.isArray(value) && typeof value[FIELD.name] === "string";
}
