/**
 * The look of an opening for files that resemble sessions of another program. It reads only files that no earlier look knows,
 * and lists the directory only if a name in it has changed since.
 */

import type { FileSystem, Host } from "../../host/host.ts";
import { fileNameOf } from "../../format/key.ts";
import { leaseNameOf, type Layout } from "../../format/layout.ts";
import { isSurelyOurs } from "../../migrate/foreign-names.ts";
import { filesIn, lookAt, namesToLookAt } from "./look-for-foreign.ts";
import { readLastScan, readOwnNames, writeLastScan, writeOwnNames, type KnownForeign } from "./scan-cache.ts";

/** Two changes of a directory within the resolution of its file system's times look like one. */
const SETTLED_MS = 2000;
/** To list so many costs more than to read that nothing has changed since. */
const MANY_NAMES = 1000;

/**
 * Paths of the files that look like sessions, where no name in the directory has changed since the last scan. Costs a stat of
 * the directory and of the foreign files found before. `undefined`: the directory must be listed.
 */
export async function foreignSinceLastScan(
  host: Pick<Host, "files" | "now">,
  layout: Layout,
): Promise<readonly string[] | undefined> {
  const { files } = host;
  const modified = (await files.stat(layout.directory))?.modified;
  if (modified === undefined) return [];
  const last = await readLastScan(files, layout);
  if (last?.modified !== modified || host.now() - modified <= SETTLED_MS) return undefined;
  const similar = last.foreign.filter(({ isSimilar }) => isSimilar);
  return toPaths(layout, (await lookAtAll(files, layout, namesOf(similar), mapOf(similar))).foreign);
}

export interface ForeignScan {
  /** Paths of the files that look like sessions. */
  readonly similar: readonly string[];
  /** Every name in the directory. */
  readonly names: readonly string[];
}

/** Lists the directory. `mayRemember`: false for a store that is opened for reading. */
export async function scanForForeign(
  files: FileSystem,
  layout: Layout,
  mayRemember: boolean,
): Promise<ForeignScan> {
  const modified = (await files.stat(layout.directory))?.modified;
  if (modified === undefined) return { similar: [], names: [] };
  const last = await readLastScan(files, layout);
  const known = mapOf(last?.foreign ?? []);
  const before = await readOwnNames(files, layout);
  const names = await filesIn(files, layout);
  const { ours, foreign } = await lookAtAll(files, layout, namesToLookAt(names, before), known);
  if (mayRemember) {
    for (const name of names) if (before.has(name)) ours.add(name);
    const isSame = ours.size === before.size && [...ours].every((name) => before.has(name));
    if (!isSame) await writeOwnNames(files, layout, ours);
    if (last !== undefined || ours.size + foreign.length > 0 || names.length >= MANY_NAMES)
      await writeLastScan(files, layout, { modified, foreign });
  }
  return { similar: toPaths(layout, foreign), names };
}

function mapOf(files: readonly KnownForeign[]): ReadonlyMap<string, KnownForeign> {
  return new Map(files.map((each) => [each.name, each]));
}

function namesOf(files: readonly KnownForeign[]): readonly string[] {
  return files.map(({ name }) => name);
}

function toPaths({ directory }: Layout, foreign: readonly KnownForeign[]): readonly string[] {
  return namesOf(foreign.filter(({ isSimilar }) => isSimilar)).map((name) => `${directory}/${name}`);
}

async function lookAtAll(
  files: FileSystem,
  layout: Layout,
  names: readonly string[],
  known: ReadonlyMap<string, KnownForeign>,
): Promise<{ ours: Set<string>; foreign: KnownForeign[] }> {
  const ours = new Set<string>();
  const foreign: KnownForeign[] = [];
  for (const name of names) {
    const found = await verdictOn(files, layout, name, known.get(name));
    if (found === "ours") ours.add(name);
    else if (found !== "unknown") foreign.push(found);
  }
  return { ours, foreign };
}

async function verdictOn(
  files: FileSystem,
  layout: Layout,
  name: string,
  known: KnownForeign | undefined,
): Promise<KnownForeign | "ours" | "unknown"> {
  const stat = await files.stat(`${layout.directory}/${name}`);
  if (stat?.kind !== "file") return "unknown";
  const { size, modified } = stat;
  if (known?.size === size && known.modified === modified) return known;
  const verdict = await lookAt(files, layout, name);
  if (verdict === "ours" || verdict === "unknown") return verdict;
  return { name, size, modified, isSimilar: verdict === "similar" };
}

/** More are looked at once by the next opening: memory does not grow with the number of sessions. */
const MAX_BEGUN = 10_000;

/** Sessions that a store has begun, as far as their names do not show that they are ours: the next opening need not look at them. */
export class BegunSessions {
  readonly #names = new Set<string>();

  note(key: string): void {
    if (!isSurelyOurs(leaseNameOf(key)) && this.#names.size < MAX_BEGUN) this.#names.add(fileNameOf(key));
  }

  async remember(files: FileSystem, layout: Layout): Promise<void> {
    if (this.#names.size === 0) return;
    const before = await readOwnNames(files, layout);
    const all = new Set([...before, ...this.#names]);
    if (all.size > before.size) await writeOwnNames(files, layout, all);
  }
}
