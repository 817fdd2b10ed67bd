/**
 * Which program wrote a file, decided by everything in it. A file is taken over only if it has every mark of one program's format;
 * what merely resembles it is left alone and named. Pure.
 */

import { isJsonObject } from "../format/json.ts";
import { fromLegacyTime } from "../format/legacy-time.ts";
import type { LeftAlone, MigrationFormat, MigrationSource } from "./migration-plan.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A file that resembles a session, and what it lacks. */
export interface Similar {
  readonly program: string;
  readonly lacks: string;
}

/** Of an object on a line: what tells the formats apart. */
export interface LineShape {
  readonly hasRole: boolean;
  /** Role and content, both texts, and nothing else. */
  readonly isPlain: boolean;
  readonly hasCreatedAt: boolean;
  readonly hasTimestamp: boolean;
}

export function shapeOf(fields: Fields): LineShape {
  const { role, content } = fields;
  return {
    hasRole: typeof role === "string",
    isPlain: typeof role === "string" && typeof content === "string" && Object.keys(fields).length === 2,
    hasCreatedAt: Object.hasOwn(fields, "created_at"),
    hasTimestamp: Object.hasOwn(fields, "timestamp"),
  };
}

/** The shapes of all lines of a file that are objects. */
export class LineShapes {
  #count = 0;
  readonly #all: { -readonly [Shape in keyof LineShape]: boolean } = {
    hasRole: true,
    isPlain: true,
    hasCreatedAt: true,
    hasTimestamp: true,
  };

  /** `isMessage`: an object with another role, which keeps its place as a note, need not have a time. */
  add(shape: LineShape, isMessage: boolean): void {
    this.#count++;
    this.#all.hasRole &&= shape.hasRole;
    this.#all.isPlain &&= shape.isPlain;
    if (!isMessage) return;
    this.#all.hasCreatedAt &&= shape.hasCreatedAt;
    this.#all.hasTimestamp &&= shape.hasTimestamp;
  }

  /** `undefined`: there is no message in it. Lines that are no JSON are damage, and say nothing about the format. */
  recognize(messages: number): MigrationFormat | Similar | undefined {
    if (this.#count === 0 || messages === 0) return undefined;
    const { hasRole, isPlain, hasCreatedAt, hasTimestamp } = this.#all;
    if (!hasRole) return { program: "another program", lacks: "a role on every line" };
    if (isPlain) return "zeroclaw-jsonl";
    if (hasCreatedAt) return "picoclaw-jsonl";
    if (hasTimestamp) return "kernel-jsonl";
    return {
      program: "another program",
      lacks: "either role and content alone, or a time, on every line",
    };
  }
}

/** What PicoClaw writes into every whole file; `undefined`: nothing is missing. */
export function lackOfPicoclawDocument({ key, messages, created, updated }: Fields): string | undefined {
  if (typeof key !== "string") return "a key";
  if (messages !== null && !Array.isArray(messages)) return "messages";
  if (!isTime(created) || !isTime(updated)) return "the times created and updated";
  const first = Array.isArray(messages) ? (messages as readonly unknown[])[0] : undefined;
  return first === undefined || isMessageLike(first) ? undefined : "messages with a role";
}

export function isPicoclawMeta({ key, created_at: created, updated_at: updated }: Fields): boolean {
  return typeof key === "string" && isTime(created) && isTime(updated);
}

/** What ZeroClaw's command line keeps: a version and plain messages, the first of them the system's. */
export function lackOfZeroclawState(fields: Fields): string | undefined {
  const { version, history } = fields;
  if (version !== 1 || !Array.isArray(history) || Object.keys(fields).length !== 2)
    return "version 1 and a history, and nothing else";
  const items: readonly unknown[] = history;
  const isPlain = items.every((item) => isJsonObject(item) && shapeOf(item).isPlain);
  const [first] = items;
  const isSystem = isJsonObject(first) && first["role"] === "system";
  return isPlain && isSystem ? undefined : "plain messages that begin with the system's";
}

const VERSION_CONTROL: ReadonlySet<string> = new Set([".git", ".hg", ".svn"]);

/**
 * Formats without a key or a sidecar are recognized only in a directory that holds nothing else of the kind. `undefined`: nothing
 * contradicts it; else the name of what does.
 */
export function contradictionIn(
  names: readonly string[],
  leftAlone: readonly (LeftAlone & { readonly isEmpty: boolean })[],
): string | undefined {
  const other = leftAlone.find(
    ({ name, kind, isEmpty }) =>
      (kind === "not-a-session" || kind === "similar") &&
      !isEmpty &&
      (name.endsWith(".jsonl") || (name.endsWith(".json") && !name.endsWith(".meta.json"))),
  );
  return names.find((name) => VERSION_CONTROL.has(name)) ?? other?.name;
}

export function needsItsOwnDirectory({ format, originals }: MigrationSource): boolean {
  switch (format) {
    case "picoclaw-json":
    case "longhand-json":
      return false;
    case "picoclaw-jsonl":
      return !originals.some(({ holds }) => holds === "meta");
    case "kernel-jsonl":
    case "zeroclaw-jsonl":
    case "zeroclaw-state":
      return true;
  }
}

export const PROGRAMS: Readonly<Record<MigrationFormat, string>> = {
  "picoclaw-json": "PicoClaw",
  "picoclaw-jsonl": "PicoClaw",
  "zeroclaw-jsonl": "ZeroClaw",
  "zeroclaw-state": "ZeroClaw",
  "kernel-jsonl": "the micro-kernel",
  "longhand-json": "Longhand",
};

export function similarTo({ program, lacks }: Similar): string {
  return `looks like a session of ${program}, not migrated: it lacks ${lacks}`;
}

function isMessageLike(value: unknown): boolean {
  return isJsonObject(value) && typeof value["role"] === "string";
}

/** The zero time counts: it is what these programs write for an unknown one. */
function isTime(value: unknown): boolean {
  return (
    typeof value === "string" && (fromLegacyTime(value) !== undefined || value.startsWith("0001-01-01T"))
  );
}
