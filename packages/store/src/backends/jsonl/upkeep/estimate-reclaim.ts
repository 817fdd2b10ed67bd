/** What reclaiming would give back, without taking a lease or changing anything. */

import { compressSegment } from "../../../log/compress-segment.ts";
import { firstSeqOf, partsOf } from "../../../log/log-part.ts";
import { COMPRESSED_SUFFIX, segmentPath } from "../../../log/segment-path.ts";
import type { ChainLink, Header } from "../../../record/header.ts";
import type { BackendReclaimOptions, DropBefore } from "../../../store/backend.ts";
import type { Reclaimed } from "../../../store/types.ts";
import { readHeader, sessionFiles, type SessionFile } from "../files/find-session-file.ts";
import { bytesOnDisk, droppedFiles, isCold, WORTH_SEALING_BYTES } from "./reclaim-session.ts";
import { readSession, type ReadPlace } from "../reading/read-session.ts";

export async function estimateReclaim(
  place: ReadPlace,
  { keys, onProgress, drop }: Omit<BackendReclaimOptions, "dryRun">,
): Promise<Reclaimed> {
  const files = await sessionFiles(place.files, place.layout);
  let bytesBefore = 0;
  let bytesAfter = 0;
  for (const [index, file] of files.entries()) {
    onProgress(index, files.length);
    const header = await readHeader(place.files, file.path);
    if (header === undefined || keys?.has(header.key) === false) continue;
    const before = await bytesOnDisk(place, header, (await place.files.stat(file.path))?.size ?? 0);
    bytesBefore += before;
    bytesAfter += before - (await savedBytes(place, file, header, drop));
  }
  onProgress(files.length, files.length);
  return { bytesBefore, bytesAfter };
}

async function savedBytes(
  place: ReadPlace,
  file: SessionFile,
  header: Header,
  drop: DropBefore | undefined,
): Promise<number> {
  const { files, layout } = place;
  const link = file.status === "active" ? await activeLink(place, file, header) : undefined;
  const chain = link === undefined ? header.chain : [...header.chain, link];
  const goes = file.status === "active" ? droppedFiles(chain, drop) : new Set<number>();
  const seals = goes.size > 0 || (link?.bytes ?? 0) >= WORTH_SEALING_BYTES;
  const after = seals ? { ...header, chain } : header;
  let saved = link !== undefined && goes.has(link.file) ? link.bytes : 0;
  for (const part of partsOf(after, 0, 0)) {
    const path = segmentPath(layout.segments, header.id, part.file);
    if (goes.has(part.file) || part.isDropped) {
      for (const suffix of ["", COMPRESSED_SUFFIX]) saved += (await files.stat(path + suffix))?.size ?? 0;
    } else if (await isCold(files, after, part, path)) {
      const options = { temporary: "", dryRun: true, syncNames: async () => await Promise.resolve() };
      const compressed = await compressSegment(files, path, part, options);
      if (compressed !== undefined) saved += part.bytes - compressed;
    }
  }
  return saved;
}

/** The active file as the link it would become. */
async function activeLink(
  place: ReadPlace,
  file: SessionFile,
  header: Header,
): Promise<ChainLink | undefined> {
  const state = (await readSession(place, file, undefined))?.state;
  const first = firstSeqOf(header);
  if (state === undefined || state.seq < first) return undefined;
  const bytes = (await place.files.stat(file.path))?.size ?? 0;
  return { file: header.file, first, last: state.seq, bytes, sum: "", until: state.updated ?? header.at };
}
