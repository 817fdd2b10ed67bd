/** A sealed file of a session, as it was sealed or compressed, read whole and compared with what the chain says of it. */

import type { FileSystem, OpenFile } from "../../host/host.ts";
import { tryOpen } from "../../host/try-open.ts";
import { useFile } from "../../host/use-file.ts";
import type { Patch } from "../../session/byte-source.ts";
import { openGzipSource } from "../../session/gzip-source.ts";
import { sealedSource } from "../../session/sealed-source.ts";
import { segmentCandidates } from "../../session/segment-path.ts";
import { verifyPart, withMembers } from "../../session/verify-part.ts";
import type { SealedReason } from "../../format/damage-reason.ts";
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
    if (opened.kind === "not-opened")
      return unreadable(candidate, link, { code: "segment-unreadable", why: opened.why });
    return await useFile(opened.file, async (file) =>
      candidate === path
        ? await verifyPlain(file, path, link, writtenBy, patches)
        : await verifyCompressed(file, candidate, link, writtenBy),
    );
  }
  const reason = { code: "segment-missing", first: link.first, last: link.last } as const;
  return { ...unreadable(path, link, reason), isMissing: true };
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
  if (source === undefined) return unreadable(path, link, { code: "not-compressed" });
  const { records, damage } = await verifyPart({ source, writtenBy, first: link.first, sealed: link });
  return { path, isMissing: false, records, damage: withMembers(damage, source.damage) };
}

function unreadable(path: string, { bytes }: ChainLink, reason: SealedReason): CheckedSegment {
  return { path, isMissing: false, records: 0, damage: [{ offset: 0, bytes, kind: "corrupt", reason }] };
}
