/** Opens a sealed file of a session: as it was sealed, or compressed since. */

import type { FileSystem, OpenFile } from "../host/host.ts";
import { errorCode, ioError } from "../host/io-error.ts";
import { lazy } from "../lazy.ts";
import type { Patch } from "./byte-source.ts";
import type { LogPart, OpenedPart } from "./log-part.ts";
import { memberDamage } from "./gzip-damage.ts";
import type { OnPartDamage } from "./read-part.ts";
import { sealedSource } from "./sealed-source.ts";
import { segmentCandidates } from "./segment-path.ts";
import { promised } from "../host/promised.ts";

/**
 * `path` is the uncompressed file's; `patches` are records of whoever wrote it that may have to be put there again. What is missing or damaged is
 * reported; `undefined`: nothing of it can be read.
 */
export async function openSegment(
  files: FileSystem,
  path: string,
  part: LogPart,
  onDamage: OnPartDamage,
  patches: readonly Patch[],
): Promise<OpenedPart | undefined> {
  // Twice: it may be compressed while we look.
  for (const candidate of [...segmentCandidates(path), path]) {
    const file = await openIfThere(files, candidate);
    if (file === undefined) continue;
    try {
      return candidate === path
        ? await openPlain(file, path, part, patches)
        : await openCompressed(file, candidate, part, onDamage);
    } catch (error) {
      await promised(() => file.close()).catch(() => undefined);
      throw ioError(error, "opening a segment", candidate);
    }
  }
  const reason = { code: "segment-missing", first: part.first, last: part.last } as const;
  onDamage({ offset: 0, bytes: part.bytes, kind: "corrupt", reason }, path);
  return undefined;
}

async function openPlain(
  file: OpenFile,
  path: string,
  part: LogPart,
  patches: readonly Patch[],
): Promise<OpenedPart> {
  const source = await sealedSource(file, part, patches);
  return { path, source, close: async () => await file.close() };
}

const loadGzip = lazy(async () => await import("./gzip-source.ts"));

async function openCompressed(
  file: OpenFile,
  path: string,
  part: LogPart,
  onDamage: OnPartDamage,
): Promise<OpenedPart | undefined> {
  const { openGzipSource } = await loadGzip();
  const source = await openGzipSource(file, part.bytes);
  if (source === undefined) {
    await file.close();
    const reason = { code: "not-compressed" } as const;
    onDamage({ offset: 0, bytes: part.bytes, kind: "corrupt", reason }, path);
    return undefined;
  }
  for (const damage of source.damage) onDamage(memberDamage(damage), path);
  return { path, source, members: source.damage, close: async () => await file.close() };
}

async function openIfThere(files: FileSystem, path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, "read");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw ioError(error, "opening a segment", path);
  }
}
