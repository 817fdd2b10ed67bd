/** What reclaiming would give back, without taking a lease or changing anything. */

import { compressSegment } from "../../../log/compress-segment.ts";
import { firstSeqOf, partsOf } from "../../../log/log-part.ts";
import { segmentCandidates, segmentPath } from "../../../log/segment-path.ts";
import type { ChainLink, Header } from "../../../record/header.ts";
import type { BackendReclaimOptions, DropBefore } from "../../../store/backend.ts";
import type { DroppedRecords, Reclaimed } from "../../../store/types.ts";
import { sessionFiles, tryReadHeader, type SessionFile } from "../files/find-session-file.ts";
import {
  bytesOnDisk,
  droppedFiles,
  droppedRecords,
  isCold,
  type OnShare,
  WORTH_SEALING_BYTES,
} from "./reclaim-session.ts";
import { readSession, type ReadPlace } from "../reading/read-session.ts";

export async function estimateReclaim(
  place: ReadPlace,
  { keys, onProgress, drop }: Omit<BackendReclaimOptions, "dryRun">,
): Promise<Reclaimed> {
  const files = await sessionFiles(place.files, place.layout);
  let bytesBefore = 0;
  let bytesAfter = 0;
  const dropped: DroppedRecords[] = [];
  for (const [index, file] of files.entries()) {
    onProgress(index, files.length);
    const header = await tryReadHeader(place.files, file.path, place.onError);
    if (header === undefined || keys?.has(header.key) === false) continue;
    const before = await bytesOnDisk(place, header, (await place.files.stat(file.path))?.size ?? 0);
    bytesBefore += before;
    const onShare: OnShare = (share) => onProgress(index + share, files.length);
    const saving = await savingIn(place, file, header, drop, onShare);
    bytesAfter += before - saving.bytes;
    dropped.push(...(saving.dropped ?? []));
  }
  onProgress(files.length, files.length);
  return { bytesBefore, bytesAfter, ...(dropped.length === 0 ? {} : { dropped }) };
}

async function savingIn(
  place: ReadPlace,
  file: SessionFile,
  header: Header,
  drop: DropBefore | undefined,
  onShare: OnShare,
): Promise<Pick<Reclaimed, "dropped"> & { readonly bytes: number }> {
  const { files, layout } = place;
  const link = file.status === "active" ? await activeLink(place, file, header) : undefined;
  const chain = link === undefined ? header.chain : [...header.chain, link];
  const goes = file.status === "active" ? droppedFiles(chain, drop) : new Set<number>();
  const seals = goes.size > 0 || (link?.bytes ?? 0) >= WORTH_SEALING_BYTES;
  const after = seals ? { ...header, chain } : header;
  let saved = link !== undefined && goes.has(link.file) ? link.bytes : 0;
  const parts = partsOf(after, 0, 0);
  for (const [index, part] of parts.entries()) {
    onShare(index / parts.length);
    const path = segmentPath(layout.segments, header.id, part.file);
    if (goes.has(part.file) || part.isDropped) {
      for (const each of segmentCandidates(path)) saved += (await files.stat(each))?.size ?? 0;
    } else if (await isCold(files, after, part, path)) {
      const options = { temporary: "", dryRun: true, syncNames: async () => await Promise.resolve() };
      const compressed = await compressSegment(files, path, part, options);
      if (compressed !== undefined) saved += part.bytes - compressed;
    }
  }
  return { bytes: saved, ...droppedRecords(header, chain, goes) };
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
