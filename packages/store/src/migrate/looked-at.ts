/**
 * What earlier looks at the directory have found out, so that the usual opening costs one listing of names: a directory
 * with 100,000 sessions has 100,000 files, and whether one by the name of `team.jsonl` is ours is told by its first
 * bytes only. Disposable: without it, or if it is damaged, everything is looked at again.
 */

import type { FileSystem } from "../host/host.ts";
import { makeDirectory } from "../host/make-directories.ts";
import { readWholeFile, removeIfThere } from "../host/small-files.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import { checkLine, withChecksum } from "../format/line-checksum.ts";
import type { LeftAlone, LookedAt } from "./migration-plan.ts";
import { cacheDirectory, type MigrationPlaces } from "./migration-places.ts";

export const NOTHING_LOOKED_AT: LookedAt = { ours: [], left: [] };

const SALT = "looked-at";
const MAX_BYTES = 256 * 1024 * 1024;

export async function readLookedAt(files: FileSystem, places: MigrationPlaces): Promise<LookedAt> {
  const bytes = await readWholeFile(files, pathOf(places), MAX_BYTES);
  const text = bytes === undefined ? undefined : checkLine(bytes.subarray(0, -1), SALT);
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  if (!isJsonObject(value)) return NOTHING_LOOKED_AT;
  const { ours, left } = value;
  if (!Array.isArray(ours) || !ours.every((stem) => typeof stem === "string")) return NOTHING_LOOKED_AT;
  if (!Array.isArray(left) || !left.every(isLeft)) return NOTHING_LOOKED_AT;
  return { ours, left };
}

function isLeft(value: unknown): value is LookedAt["left"][number] {
  if (!isJsonObject(value)) return false;
  const { name, kind, reason, size, modified } = value;
  if (typeof name !== "string" || typeof reason !== "string") return false;
  return typeof size === "number" && typeof modified === "number" && KINDS.has(kind);
}

const KINDS: ReadonlySet<unknown> = new Set<LeftAlone["kind"]>([
  "already-migrated",
  "not-a-session",
  "similar",
  "contradicted",
  "newer-session",
  "place-taken",
]);

/** Not synced: what a power loss takes is looked at again. */
export async function rememberLookedAt(
  files: FileSystem,
  places: MigrationPlaces,
  lookedAt: LookedAt,
): Promise<void> {
  await makeDirectory(files, cacheDirectory(places));
  await removeIfThere(files, pathOf(places));
  const line = withChecksum(JSON.stringify(lookedAt).slice(0, -1), SALT);
  await useFile(await files.open(pathOf(places), "create"), async (file) => await writeFully(file, line, 0));
}

/** Names mean something else now. */
export async function forgetLookedAt(files: FileSystem, places: MigrationPlaces): Promise<void> {
  const cache = cacheDirectory(places);
  for (const path of [pathOf(places), lastLookPath(places), `${cache}/scan`, `${cache}/scan-names`])
    await removeIfThere(files, path);
}

/** Says at which time of the directory everything in it was looked at. */
export function lastLookPath(places: Pick<MigrationPlaces, "own">): string {
  return `${cacheDirectory(places)}/last-look`;
}

export function isSameLook(one: LookedAt, other: LookedAt): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function pathOf(places: MigrationPlaces): string {
  return `${cacheDirectory(places)}/looked-at`;
}
