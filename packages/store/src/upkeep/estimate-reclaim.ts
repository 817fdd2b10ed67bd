/** What reclaiming would give back, without taking a lease or changing anything. */

import { useFile } from "../host/use-file.ts";
import { patchedSource } from "../session/byte-source.ts";
import { compressSegment } from "../session/compress-segment.ts";
import { firstSeqOf, partsOf } from "../session/log-part.ts";
import { segmentCandidates, segmentPath } from "../session/segment-path.ts";
import { sumBytes } from "../session/sum-bytes.ts";
import { EMPTY_SUM } from "../format/checksum.ts";
import type { ChainLink, Header } from "../format/header.ts";
import type { BackendReclaimOptions, Snapshot } from "../contract/backend.ts";
import type { DroppedRecords, Reclaimed } from "../contract/types.ts";
import { sessionFiles, tryReadHeader, type SessionFile } from "../engine/files/find-session-file.ts";
import {
  bytesOnDisk,
  droppedFiles,
  droppedRecords,
  finished,
  isCold,
  isSealable,
  isWorthSealing,
  type OnShare,
  type ReclaimWhat,
} from "./reclaim-session.ts";
import { readSession, type ReadPlace } from "../engine/reading/read-session.ts";

export async function estimateReclaim(
  place: ReadPlace,
  { keys, onProgress, drop, seal }: Omit<BackendReclaimOptions, "dryRun">,
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
    const saving = await savingIn(place, file, header, { drop, seal }, onShare);
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
  what: ReclaimWhat,
  onShare: OnShare,
): Promise<Pick<Reclaimed, "dropped"> & { readonly bytes: number }> {
  const { files, layout } = place;
  const snapshot = file.status === "active" ? await readSession(place, file, undefined) : undefined;
  const size = (await files.stat(file.path))?.size ?? 0;
  const isSealed = snapshot !== undefined && (await wouldSeal(snapshot, header, what, size));
  const link = isSealed ? await activeLink(place, file, header, snapshot) : undefined;
  const before = isSealed ? finished(header.chain) : header.chain;
  const chain = link === undefined ? before : [...before, link];
  const goes = snapshot === undefined ? new Set<number>() : droppedFiles(chain, what.drop);
  const after = { ...header, chain };
  let saved = link !== undefined && goes.has(link.file) ? link.bytes : 0;
  const parts = partsOf(after, 0, 0);
  for (const [index, part] of parts.entries()) {
    onShare(index / parts.length);
    const sealed = segmentPath(layout.segments, header.id, part.file);
    const path = part.file === link?.file ? file.path : sealed;
    if (goes.has(part.file) || part.isDropped) {
      if (part.file === link?.file) continue;
      for (const each of segmentCandidates(path)) saved += (await files.stat(each))?.size ?? 0;
    } else if (await isCold(files, after, part, path, what.seal)) {
      const options = { temporary: "", dryRun: true, syncNames: async () => await Promise.resolve() };
      const compressed = await compressSegment(files, path, part, options);
      if (compressed !== undefined) saved += part.bytes - compressed;
    }
  }
  return { bytes: saved, ...droppedRecords(header, chain, goes) };
}

/** Before anything is dropped: what a drop itself seals is not dropped, and saves nothing. */
async function wouldSeal(
  snapshot: Snapshot,
  header: Header,
  what: ReclaimWhat,
  activeBytes: number,
): Promise<boolean> {
  return what.seal ? await isSealable(snapshot, header) : isWorthSealing(activeBytes, what);
}

/** The active file as the link it would become. `undefined`: it has no records. */
async function activeLink(
  place: ReadPlace,
  file: SessionFile,
  header: Header,
  { state: { seq, updated } }: Snapshot,
): Promise<ChainLink | undefined> {
  const first = firstSeqOf(header);
  if (seq < first) return undefined;
  const bytes = (await place.files.stat(file.path))?.size ?? 0;
  const sum = await sumOfFile(place, file.path, bytes);
  return { file: header.file, first, last: seq, bytes, sum, until: updated ?? header.at };
}

async function sumOfFile({ files }: ReadPlace, path: string, bytes: number): Promise<string> {
  return await useFile(
    await files.open(path, "read"),
    async (file) => await sumBytes(patchedSource(file, bytes, []), EMPTY_SUM, 0, bytes),
  );
}
