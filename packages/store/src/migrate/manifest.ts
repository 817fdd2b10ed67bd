/**
 * What a migration is about to do to names. Its own durable name is the commit point: before it, a migration has not
 * happened; from then on, whoever opens the store completes it.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { errorCode } from "../host/io-error.ts";
import { readWholeFile } from "../host/small-files.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { isJsonObject, tryParseJson } from "../record/json.ts";
import { openSealedLine, sealLine } from "../record/seal.ts";
import { stagingDirectory, type MigrationPlaces } from "./migration-places.ts";

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
  readonly id: string;
  readonly key: string;
  readonly status: "active" | "archived";
  /** Other keys by which it was reached. */
  readonly aliases?: readonly string[];
}

const SALT = "migration";
const VALID_START = 0x7b;
/** In the place of the first byte. */
const VOID = "-";
const MAX_BYTES = 500 * 1024 * 1024;

/** Durable when it resolves; the staged files and their names must be so before. */
export async function commitManifest(
  files: FileSystem,
  places: MigrationPlaces,
  manifest: Manifest,
): Promise<void> {
  const staging = stagingDirectory(places);
  const temporary = `${staging}/manifest.new`;
  await useFile(await files.open(temporary, "create"), async (file) => {
    await writeFully(file, sealLine(JSON.stringify(manifest).slice(0, -1), SALT), 0);
    await file.sync();
  });
  await files.rename(temporary, manifestPath(places));
  await files.syncDirectory(staging);
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
  const text = openSealedLine(bytes.subarray(0, -1), SALT);
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  if (!isJsonObject(value)) {
    throw new LonghandError(
      "SESSION_DAMAGED",
      `${path} is damaged, so an interrupted migration cannot be completed; rename the files that end in .migrated back, then remove ${stagingDirectory(places)}`,
      { file: path },
    );
  }
  // The checksum says that we wrote it.
  return value as unknown as Manifest;
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
