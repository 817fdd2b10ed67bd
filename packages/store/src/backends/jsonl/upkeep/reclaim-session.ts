/**
 * Space that one session takes, and giving some of it back: cold segments are compressed; the oldest are dropped, if that
 * is asked for. Dropping writes a new chain first, which says what went, and removes the files after it is durable.
 */

import type { FileSystem } from "../../../host/host.ts";
import { removeIfThere } from "../../../host/small-files.ts";
import { compressSegment } from "../../../log/compress-segment.ts";
import { firstKeptSeq, partsOf, type LogPart } from "../../../log/log-part.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../../../log/segment-path.ts";
import type { SessionLog } from "../../../log/session-log.ts";
import type { ChainLink, Header } from "../../../record/header.ts";
import type { DropBefore } from "../../../store/backend.ts";
import type { Reclaimed } from "../../../store/types.ts";
import { readHeader } from "../files/find-session-file.ts";
import { linkOf, sealSession, type SealSurroundings } from "../writing/seal-session.ts";

/** A smaller active file is not worth a segment of its own. */
export const WORTH_SEALING_BYTES: number = 1024 * 1024;

export interface ReclaimSurroundings extends SealSurroundings {
  /** A time for what is written now. */
  now(): string;
  /** The log takes the place of the one before. */
  replace(log: SessionLog): Promise<void>;
}

/** How much of a session is done, from 0 to 1. */
export type OnShare = (share: number) => void;

/** An active session, under its lease. */
export async function reclaimActive(
  around: ReclaimSurroundings,
  log: SessionLog,
  drop: DropBefore | undefined,
  onShare: OnShare,
): Promise<Reclaimed> {
  const bytesBefore = await bytesOnDisk(around, log.header, log.end);
  const chain = chainOf(log);
  const goes = droppedFiles(chain, drop);
  let present = log;
  if (goes.size > 0 || log.end >= WORTH_SEALING_BYTES) {
    const dropped = around.now();
    present = await sealSession(around, log, (links) =>
      links.map((each) => (goes.has(each.file) ? { ...each, dropped } : each)),
    );
    await around.replace(present);
  }
  await reclaimSegments(around, present.header, onShare);
  const bytesAfter = await bytesOnDisk(around, present.header, present.end);
  return { bytesBefore, bytesAfter, ...droppedRecords(log.header, chain, goes) };
}

/** An archived or deleted one, under the lease of its key: its segments are compressed, nothing of it is dropped. */
export async function reclaimPutAway(
  around: SealSurroundings,
  path: string,
  onShare: OnShare,
): Promise<Reclaimed> {
  const { files } = around;
  const header = await readHeader(files, path);
  const end = (await files.stat(path))?.size ?? 0;
  if (header === undefined) return { bytesBefore: end, bytesAfter: end };
  const bytesBefore = await bytesOnDisk(around, header, end);
  await reclaimSegments(around, header, onShare);
  return { bytesBefore, bytesAfter: await bytesOnDisk(around, header, end) };
}

/** Compresses the cold ones and removes those that the chain calls dropped. */
async function reclaimSegments(around: SealSurroundings, header: Header, onShare: OnShare): Promise<void> {
  const { files, layout } = around;
  const directory = segmentDirectory(layout.segments, header.id);
  // It is written in the one and renamed into the other.
  const syncNames = async (): Promise<void> => {
    await around.syncNames(directory);
    await around.syncNames(layout.directory);
  };
  const parts = partsOf(header, 0, 0);
  for (const [index, part] of parts.entries()) {
    onShare(index / parts.length);
    const path = segmentPath(layout.segments, header.id, part.file);
    if (part.isDropped) {
      await around.checkMayChange();
      for (const each of segmentCandidates(path)) await removeIfThere(files, each);
    } else if (await isCold(files, header, part, path)) {
      await around.checkMayChange();
      await compressSegment(files, path, part, {
        temporary: around.temporaryPath(),
        dryRun: false,
        syncNames,
      });
    }
  }
}

/** The numbers of those that go. */
export function droppedFiles(chain: readonly ChainLink[], drop: DropBefore | undefined): ReadonlySet<number> {
  // Only from the beginning on: where clocks have jumped, an old segment may lie behind a newer one.
  const kept = chain.findIndex((link) => link.dropped === undefined && !isDropped(link, drop));
  const oldest = kept === -1 ? chain : chain.slice(0, kept);
  return new Set(oldest.filter(({ dropped }) => dropped === undefined).map(({ file }) => file));
}

/** The first record that is left when what `drop` says is gone. */
export function firstKeptAfter(log: SessionLog, drop: DropBefore | undefined): number {
  const chain = chainOf(log);
  const goes = droppedFiles(chain, drop);
  const last = chain.findLast(({ file }) => goes.has(file))?.last ?? 0;
  return Math.max(firstKeptSeq(log.parts), last + 1);
}

/** With the active file as its last link. */
function chainOf(log: SessionLog): readonly ChainLink[] {
  const link = linkOf(log);
  return link === undefined ? log.header.chain : [...log.header.chain, link];
}

/** As a part of the report; `chain` and `goes`: as before dropping. */
export function droppedRecords(
  { key, id }: Header,
  chain: readonly ChainLink[],
  goes: ReadonlySet<number>,
): Pick<Reclaimed, "dropped"> {
  const links = chain.filter(({ file }) => goes.has(file));
  const [first] = links;
  const last = links.at(-1);
  if (first === undefined || last === undefined) return {};
  const bytes = links.reduce((sum, link) => sum + link.bytes, 0);
  return { dropped: [{ key, id, first: first.first, last: last.last, bytes }] };
}

function isDropped({ last, until, dropped }: ChainLink, drop: DropBefore | undefined): boolean {
  if (dropped !== undefined || drop === undefined) return false;
  return "seq" in drop ? last < drop.seq : Date.parse(until) < drop.time;
}

/** Never the newest, which is read most; never one that another session has too: its space would not come back. */
export async function isCold(
  files: FileSystem,
  header: Header,
  part: LogPart,
  path: string,
): Promise<boolean> {
  if (part.sum === undefined || part.file === header.chain.at(-1)?.file) return false;
  return (await files.stat(path))?.links === 1;
}

export async function bytesOnDisk(
  { files, layout }: Pick<SealSurroundings, "files" | "layout">,
  header: Header,
  end: number,
): Promise<number> {
  let bytes = end;
  for (const { file } of header.chain) {
    const path = segmentPath(layout.segments, header.id, file);
    for (const each of segmentCandidates(path)) bytes += (await files.stat(each))?.size ?? 0;
  }
  return bytes;
}
