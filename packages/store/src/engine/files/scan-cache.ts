/**
 * What the last look for files of other programs has found, so that an opening reads no session file. Disposable, and never
 * trusted: it only says which names need not be looked at again. A name from it becomes a path only after it was validated.
 *
 * Two files, so that an opening of a directory that has not changed reads only the small one.
 */

import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { readWholeFile, removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import { isJsonObject, tryParseJson } from "../../format/json.ts";
import { checkLine, withChecksum } from "../../format/line-checksum.ts";
import type { Layout } from "../../format/layout.ts";
import { promised } from "../../host/promised.ts";

/** A file of another program. What was found out holds while size and time are the same. */
export interface KnownForeign {
  readonly name: string;
  readonly size: number;
  readonly modified: number;
  /** It looks like a session. */
  readonly isSimilar: boolean;
}

export interface LastScan {
  /** Of the directory, before it was listed. */
  readonly modified: number;
  readonly foreign: readonly KnownForeign[];
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_NAME_LENGTH = 255;

export async function readLastScan(files: FileSystem, layout: Layout): Promise<LastScan | undefined> {
  const value = await readCached(files, layout, "scan");
  const modified = value?.["modified"];
  const foreign = value?.["foreign"];
  if (typeof modified !== "number" || !Array.isArray(foreign)) return undefined;
  return foreign.every(isKnownForeign) ? { modified, foreign } : undefined;
}

/** Names of session files that are known to be the store's own. */
export async function readOwnNames(files: FileSystem, layout: Layout): Promise<Set<string>> {
  const ours = (await readCached(files, layout, "scan-names"))?.["ours"];
  return new Set(Array.isArray(ours) && ours.every(isName) ? ours : []);
}

export async function writeLastScan(files: FileSystem, layout: Layout, scan: LastScan): Promise<void> {
  await writeCached(files, layout, "scan", scan);
}

export async function writeOwnNames(
  files: FileSystem,
  layout: Layout,
  names: ReadonlySet<string>,
): Promise<void> {
  await writeCached(files, layout, "scan-names", { ours: [...names] });
}

function isKnownForeign(value: unknown): value is KnownForeign {
  if (!isJsonObject(value)) return false;
  const { name, size, modified, isSimilar } = value;
  if (typeof size !== "number" || typeof modified !== "number") return false;
  return isName(name) && typeof isSimilar === "boolean";
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_NAME_LENGTH && /^[^./\0][^/\0]*$/.test(value);
}

type CacheName = "scan" | "scan-names";

const saltOf = (name: CacheName): string => `longhand ${name}`;

/** Anything but a whole file of ours means that nothing is known. */
async function readCached(
  files: FileSystem,
  { cache }: Layout,
  name: CacheName,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bytes = await readWholeFile(files, `${cache}/${name}`, MAX_BYTES).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  });
  const text = bytes === undefined ? undefined : checkLine(bytes.subarray(0, -1), saltOf(name));
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  return isJsonObject(value) ? value : undefined;
}

/** Not synced: what a power loss takes is looked at again. */
async function writeCached(files: FileSystem, layout: Layout, name: CacheName, value: object): Promise<void> {
  const { cache } = layout;
  await promised(() => files.makeDirectory(cache)).catch(ignoreExisting);
  // A link there would lead out of the store.
  if ((await files.stat(cache))?.kind !== "directory") return;
  const path = `${cache}/${name}`;
  await removeIfThere(files, path);
  const line = withChecksum(JSON.stringify(value).slice(0, -1), saltOf(name));
  try {
    await useFile(await files.open(path, "create"), async (file) => await writeFully(file, line, 0));
  } catch (error) {
    // Another process has just written its own.
    ignoreExisting(error);
  }
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== "EEXIST") throw error;
}
