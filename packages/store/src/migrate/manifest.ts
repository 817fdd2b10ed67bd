/**
 * What a migration is about to do to names. Its own durable name is the commit point: a migration that was interrupted behind it is
 * reverted by the next migration of the directory and planned again from the originals. What is read back is only a hint.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { errorCode } from "../host/io-error.ts";
import { readWholeFile } from "../host/small-files.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { tryParseJson } from "../format/json.ts";
import { checkLine, withChecksum } from "../format/line-checksum.ts";
import { decodeManifest, type Manifest } from "./decode-manifest.ts";
import { stagingDirectory, type MigrationPlaces } from "./migration-places.ts";
import { readStart } from "./read-start.ts";

export type { Manifest, Move, NewSession } from "./decode-manifest.ts";

const SALT = "migration";
const VALID_START = 0x7b;
/** In the place of the first byte. */
const VOID = "-";
const MAX_BYTES = 64 * 1024 * 1024;

/** Durable when it resolves; the staged files and their names must be so before. */
export async function commitManifest(
  files: FileSystem,
  places: MigrationPlaces,
  manifest: Manifest,
): Promise<void> {
  const staging = stagingDirectory(places);
  const temporary = `${staging}/manifest.new`;
  await useFile(await files.open(temporary, "create"), async (file) => {
    await writeFully(file, withChecksum(JSON.stringify(manifest).slice(0, -1), SALT), 0);
    await file.sync();
  });
  await files.rename(temporary, manifestPath(places));
  await files.syncDirectory(staging);
}

/** Whether a migration was committed and has not ended. Looks at one byte. */
export async function isUnfinished(files: FileSystem, places: MigrationPlaces): Promise<boolean> {
  if ((await files.stat(manifestPath(places)))?.kind !== "file") return false;
  return (await readStart(files, manifestPath(places), 1))[0] === VALID_START;
}

/** Whether there is anything of a migration that did not end. */
export async function mayBeInterrupted(files: FileSystem, places: MigrationPlaces): Promise<boolean> {
  return (await namesIn(files, stagingDirectory(places))).length > 0;
}

/** `undefined`: no migration was interrupted, or the one that was is over. */
export async function readManifest(
  files: FileSystem,
  places: MigrationPlaces,
): Promise<Manifest | undefined> {
  const path = manifestPath(places);
  const bytes = await readWholeFile(files, path, MAX_BYTES);
  if (bytes === undefined || bytes[0] !== VALID_START) return undefined;
  const text = checkLine(bytes.subarray(0, -1), SALT);
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  const manifest = decodeManifest(value);
  if (manifest === undefined) {
    throw new LonghandError(
      "SESSION_DAMAGED",
      `${path} is damaged or was not written by a migration, so it is not followed; if a migration was interrupted here, rename the files that end in .migrated back, then remove ${stagingDirectory(places)}`,
      { file: path },
    );
  }
  return manifest;
}

/**
 * From here on the manifest means nothing. All names must be durable, as they shall be, before. One byte, so that it is
 * there or not; in the file, since a removed name whose sync failed comes back after a power loss. A failed sync is never
 * believed the second time: the byte is written again.
 */
export async function voidManifest(files: FileSystem, places: MigrationPlaces): Promise<void> {
  const write = async (): Promise<void> => {
    await useFile(await files.open(manifestPath(places), "write"), async (file) => {
      await writeFully(file, Buffer.from(VOID), 0);
      await file.sync();
    });
  };
  await write().catch(async (error: unknown) => {
    if (errorCode(error) !== "ENOENT") await write();
  });
}

function manifestPath(places: MigrationPlaces): string {
  return `${stagingDirectory(places)}/manifest`;
}
