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
import { isJsonObject, tryParseJson } from "../record/json.ts";
import { openSealedLine, sealLine } from "../record/seal.ts";
import type { LookedAt } from "./migration-plan.ts";
import { cacheDirectory, type MigrationPlaces } from "./migration-places.ts";

export const NOTHING_LOOKED_AT: LookedAt = { ours: [], left: [] };

const SALT = "looked-at";
const MAX_BYTES = 256 * 1024 * 1024;

export async function readLookedAt(files: FileSystem, places: MigrationPlaces): Promise<LookedAt> {
  const bytes = await readWholeFile(files, pathOf(places), MAX_BYTES);
  const text = bytes === undefined ? undefined : openSealedLine(bytes.subarray(0, -1), SALT);
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  if (!isJsonObject(value) || !Array.isArray(value["ours"]) || !Array.isArray(value["left"]))
    return NOTHING_LOOKED_AT;
  // The checksum says that we wrote it.
  return { ours: value["ours"] as LookedAt["ours"], left: value["left"] as LookedAt["left"] };
}

/** Not synced: what a power loss takes is looked at again. */
export async function rememberLookedAt(
  files: FileSystem,
  places: MigrationPlaces,
  lookedAt: LookedAt,
): Promise<void> {
  await makeDirectory(files, cacheDirectory(places));
  await removeIfThere(files, pathOf(places));
  const line = sealLine(JSON.stringify(lookedAt).slice(0, -1), SALT);
  await useFile(await files.open(pathOf(places), "create"), async (file) => await writeFully(file, line, 0));
}

/** Names mean something else now. */
export async function forgetLookedAt(files: FileSystem, places: MigrationPlaces): Promise<void> {
  for (const path of [pathOf(places), lastLookPath(places)]) await removeIfThere(files, path);
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
