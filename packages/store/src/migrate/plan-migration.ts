/**
 * Finds what older programs left in a directory and decides what becomes of it. Reads only. Two sources never become
 * one session: of several with one key the newest is the active one, the others are archived sessions of that key.
 */

import type { FileSystem } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { ioError } from "../host/io-error.ts";
import { fileNameOf } from "../format/key.ts";
import { examineSource, type Examined } from "./examine-source.ts";
import { ExistingSessions } from "./existing-sessions.ts";
import { findSources } from "./find-sources.ts";
import { NOTHING_LOOKED_AT } from "./looked-at.ts";
import { isUnfinished } from "./manifest.ts";
import type {
  LeftAlone,
  LookedAt,
  MigrationPlan,
  MigrationSource,
  PlannedSession,
} from "./migration-plan.ts";
import { migratedId } from "./migrated-id.ts";
import type { MigrationPlaces } from "./migration-places.ts";
import { contradictionIn, needsItsOwnDirectory, PROGRAMS, similarTo } from "./recognize.ts";

/** `lookedAt`: what need not be looked at again; nothing, if everything shall be. */
export async function planMigration(
  files: FileSystem,
  places: MigrationPlaces,
  lookedAt: LookedAt = NOTHING_LOOKED_AT,
): Promise<MigrationPlan> {
  const { directory } = places;
  try {
    const names = await namesIn(files, directory);
    const found = await findSources(files, directory, names, lookedAt);
    const leftAlone = [...found.leftAlone];
    const sources: MigrationSource[] = [];
    for (const each of found.sources) {
      const examined = await examineSource(files, directory, each);
      if (examined.kind === "session") sources.push(examined.source);
      else leftAlone.push(...each.files.map(({ name }) => ({ name, ...reasonToLeave(examined) })));
    }
    const recognized = await withoutContradicted(files, directory, names, sources, leftAlone);
    const sessions = await decide(files, places, recognized, leftAlone);
    const left = await remember(files, directory, leftAlone);
    const unfinished = await isUnfinished(files, places);
    return { directory, sessions, leftAlone, unfinished, lookedAt: { ours: found.ours, left } };
  } catch (error) {
    throw ioError(error, "looking for sessions to migrate", directory);
  }
}

function reasonToLeave(examined: Exclude<Examined, { kind: "session" }>): Omit<LeftAlone, "name"> {
  switch (examined.kind) {
    case "similar":
      return { kind: "similar", reason: similarTo(examined.similar) };
    case "none":
      return { kind: "not-a-session", reason: "it has no line that is a message" };
    case "ours":
      return {
        kind: "not-a-session",
        reason: "it is a session of this store whose beginning is damaged; longhand verify says what to do",
      };
  }
}

/** Without what is recognized by its lines alone and lies among files of other kinds: that is data, not conversations. */
async function withoutContradicted(
  files: FileSystem,
  directory: string,
  names: readonly string[],
  sources: readonly MigrationSource[],
  leftAlone: LeftAlone[],
): Promise<readonly MigrationSource[]> {
  if (!sources.some(needsItsOwnDirectory)) return sources;
  const sized: (LeftAlone & { isEmpty: boolean })[] = [];
  for (const each of leftAlone)
    sized.push({ ...each, isEmpty: (await files.stat(`${directory}/${each.name}`))?.size === 0 });
  const other = contradictionIn(names, sized);
  if (other === undefined) return sources;
  for (const { format, originals } of sources.filter(needsItsOwnDirectory)) {
    const reason = `looks like a session of ${PROGRAMS[format]}, not migrated: ${other} beside it is none; move the sessions to a directory of their own`;
    for (const { name } of originals) leftAlone.push({ name, kind: "contradicted", reason });
  }
  return sources.filter((source) => !needsItsOwnDirectory(source));
}

async function decide(
  files: FileSystem,
  places: MigrationPlaces,
  sources: readonly MigrationSource[],
  leftAlone: LeftAlone[],
): Promise<PlannedSession[]> {
  if (sources.length === 0) return [];
  const existing = await ExistingSessions.look(files, places);
  const leave = (source: MigrationSource, kind: LeftAlone["kind"], reason: string): void => {
    for (const { name } of source.originals) leftAlone.push({ name, kind, reason });
  };
  const planned: PlannedSession[] = [];
  // Newest first: whoever comes later for a key finds its active place taken.
  for (const source of [...sources].sort(newestFirst)) {
    const { key, wasArchived } = source;
    const id = idOf(source);
    const there = await existing.of(key);
    const newest = there.find(({ updated }) => updated >= source.updated);
    if (there.some((session) => session.id === id) || existing.wasPutAway(id))
      leave(source, "already-migrated", `its session is in the store, with the id ${id}`);
    else if (planned.some((session) => session.id === id))
      leave(source, "already-migrated", "it is a copy of another file here");
    else if (newest !== undefined && !wasArchived)
      leave(
        source,
        "newer-session",
        `${JSON.stringify(key)} has a session in the store that is at least as new`,
      );
    else {
      const isTaken =
        there.some(({ status }) => status === "active") ||
        planned.some((session) => session.key === key && session.status === "active");
      const putAside = isTaken && !wasArchived ? "another session of its key is the active one" : undefined;
      planned.push({ ...source, id, status: isTaken || wasArchived ? "archived" : "active", putAside });
    }
  }
  return await withFreePlaces(files, places, planned, leave);
}

/** A file that stays where it is and has the name of a session to come: that one is left alone, and so on. */
async function withFreePlaces(
  files: FileSystem,
  { directory }: MigrationPlaces,
  planned: readonly PlannedSession[],
  leave: (source: MigrationSource, kind: LeftAlone["kind"], reason: string) => void,
): Promise<PlannedSession[]> {
  const inodeOf = async (name: string): Promise<string | undefined> => {
    const stat = await files.stat(`${directory}/${name}`);
    return stat === undefined ? undefined : `${stat.device}:${stat.inode}`;
  };
  let free = [...planned];
  for (;;) {
    // By inode: where case does not count, a file can be found under a name that it does not have.
    const going = new Set<string | undefined>();
    for (const { originals } of free) for (const { name } of originals) going.add(await inodeOf(name));
    const blocked: PlannedSession[] = [];
    for (const session of free.filter(({ status }) => status === "active")) {
      const occupant = await inodeOf(fileNameOf(session.key));
      if (occupant !== undefined && !going.has(occupant)) blocked.push(session);
    }
    if (blocked.length === 0) return free;
    for (const session of blocked)
      leave(
        session,
        "place-taken",
        `${fileNameOf(session.key)} is in the place of its session; move that away`,
      );
    free = free.filter((session) => !blocked.includes(session));
  }
}

function newestFirst(one: MigrationSource, other: MigrationSource): number {
  if (one.updated !== other.updated) return one.updated < other.updated ? 1 : -1;
  // The older of PicoClaw's two formats was migrated into the newer.
  const isDocument = (source: MigrationSource): number => (source.originals[0]?.holds === "document" ? 1 : 0);
  return isDocument(one) - isDocument(other) || (nameOf(one) < nameOf(other) ? -1 : 1);
}

function nameOf({ originals }: MigrationSource): string {
  return originals[0]?.name ?? "";
}

function idOf({ ownId, created, key, originals }: MigrationSource): string {
  return ownId ?? migratedId(Date.parse(created), key, originals);
}

/** Only what depends on the file alone: whether another session is newer may change. */
async function remember(
  files: FileSystem,
  directory: string,
  leftAlone: readonly LeftAlone[],
): Promise<LookedAt["left"]> {
  const left: LookedAt["left"][number][] = [];
  for (const each of leftAlone.filter(({ kind }) => kind === "not-a-session" || kind === "similar")) {
    const stat = await files.stat(`${directory}/${each.name}`);
    if (stat?.kind === "file") left.push({ ...each, size: stat.size, modified: stat.modified });
  }
  return left;
}
