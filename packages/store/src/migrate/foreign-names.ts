/** Which names in a directory can be older programs' sessions. By the names alone: nothing is opened here. */

import type { LeftAlone } from "./migration-plan.ts";

export interface ForeignNames {
  readonly documents: readonly string[];
  /** Names without `.meta.json`. */
  readonly metas: ReadonlySet<string>;
  /** Names without `.jsonl`: ours or others'. */
  readonly lines: ReadonlySet<string>;
  /** Names without `.jsonl.archived`. */
  readonly archived: ReadonlySet<string>;
  readonly leftAlone: readonly LeftAlone[];
}

export const META_SUFFIX = ".meta.json";
export const LINES_SUFFIX = ".jsonl";
export const ARCHIVED_SUFFIX = ".jsonl.archived";

/** Only we write names with such a hash; a program whose key looks the same has a `.meta.json` beside it. */
const SURELY_OURS = /^[a-z0-9_-]+~[0-9a-hjkmnp-tv-z]{16}$/;

export function isSurelyOurs(stem: string): boolean {
  return SURELY_OURS.test(stem);
}

export function sortForeignNames(names: readonly string[]): ForeignNames {
  const documents: string[] = [];
  const metas = new Set<string>();
  const lines = new Set<string>();
  const archived = new Set<string>();
  const leftAlone: LeftAlone[] = [];
  for (const name of [...names].sort()) {
    const leave = reasonToLeave(name);
    if (leave !== undefined) leftAlone.push({ name, ...leave });
    else if (name.startsWith(".")) continue;
    else if (name.endsWith(META_SUFFIX)) metas.add(name.slice(0, -META_SUFFIX.length));
    else if (name.endsWith(".json")) documents.push(name);
    else if (name.endsWith(LINES_SUFFIX)) lines.add(name.slice(0, -LINES_SUFFIX.length));
    else if (name.endsWith(ARCHIVED_SUFFIX)) archived.add(name.slice(0, -ARCHIVED_SUFFIX.length));
  }
  return { documents, metas, lines, archived, leftAlone };
}

function reasonToLeave(name: string): Omit<LeftAlone, "name"> | undefined {
  if (/\.(?:jsonl?|archived)\.migrated(?:\.[0-9]+)?$/.test(name))
    return { kind: "already-migrated", reason: "it was migrated before" };
  if (name.endsWith(".jsonl.importing"))
    return { kind: "not-a-session", reason: "an import into SQLite that was not finished" };
  if (/\.(?:db|sqlite)$/.test(name))
    return { kind: "not-a-session", reason: "a database is not migrated in place" };
  if (name === ".json" || name === LINES_SUFFIX || name === META_SUFFIX || name === ARCHIVED_SUFFIX)
    return { kind: "not-a-session", reason: "it has no key; give the file a name" };
  return undefined;
}
