/** A sealed file of a session, as it was sealed or compressed, read whole and compared with what the chain says of it. */

import { isLonghandError } from "../../errors.ts";
import type { FileSystem, OpenFile } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { useFile } from "../../host/use-file.ts";
import type { Patch } from "../../session/byte-source.ts";
import { openGzipSource } from "../../session/gzip-source.ts";
import { sealedSource } from "../../session/sealed-source.ts";
import { segmentCandidates } from "../../session/segment-path.ts";
import { verifyPart, withMembers } from "../../session/verify-part.ts";
import type { ChainLink } from "../../format/header.ts";
import type { ScanDamage } from "../../format/scan.ts";

export interface CheckedSegment {
  /** The file that was read, or where it should be. */
  readonly path: string;
  readonly isMissing: boolean;
  readonly records: number;
  readonly damage: readonly ScanDamage[];
}

/** `path` is the uncompressed file's; `writtenBy` the session whose salt its lines have. */
export async function verifySegment(
  files: FileSystem,
  path: string,
  link: ChainLink,
  writtenBy: string,
  patches: readonly Patch[] = [],
): Promise<CheckedSegment> {
  // Twice: it may be compressed while we look.
  for (const candidate of [...segmentCandidates(path), path]) {
    const opened = await tryOpen(files, candidate);
    if (opened === undefined) continue;
    if (typeof opened === "string") return unreadable(candidate, link, opened);
    return await useFile(opened, async (file) =>
      candidate === path
        ? await verifyPlain(file, path, link, writtenBy, patches)
        : await verifyCompressed(file, candidate, link, writtenBy),
    );
  }
  const reason = `this segment, records ${link.first} to ${link.last}, is not there`;
  return { ...unreadable(path, link, reason), isMissing: true };
}

/** `undefined`: there is no such file. A string: why it cannot be opened. */
export async function tryOpen(files: FileSystem, path: string): Promise<OpenFile | string | undefined> {
  try {
    return await files.open(path, "read");
  } catch (error) {
    if (isLonghandError(error, "DIRECTORY_UNSAFE")) return error.message;
    const code = errorCode(error);
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP" || code === "EINVAL" || code === "EISDIR" || code === "ENXIO")
      return "it is not a regular file";
    if (code === "EACCES" || code === "EPERM") return `it may not be read by this user (${code})`;
    throw error;
  }
}

async function verifyPlain(
  file: OpenFile,
  path: string,
  link: ChainLink,
  writtenBy: string,
  patches: readonly Patch[],
): Promise<CheckedSegment> {
  const source = await sealedSource(file, link, patches);
  const { records, damage } = await verifyPart({ source, writtenBy, first: link.first, sealed: link });
  return { path, isMissing: false, records, damage };
}

async function verifyCompressed(
  file: OpenFile,
  path: string,
  link: ChainLink,
  writtenBy: string,
): Promise<CheckedSegment> {
  const source = await openGzipSource(file, link.bytes);
  if (source === undefined) return unreadable(path, link, "not a compressed segment");
  const { records, damage } = await verifyPart({ source, writtenBy, first: link.first, sealed: link });
  return { path, isMissing: false, records, damage: withMembers(damage, source.damage) };
}

function unreadable(path: string, { bytes }: ChainLink, reason: string): CheckedSegment {
  return { path, isMissing: false, records: 0, damage: [{ offset: 0, bytes, kind: "corrupt", reason }] };
}
