/**
 * Space that one session takes, and giving some of it back: cold segments are compressed; the oldest are dropped, if that
 * is asked for. Dropping writes a new chain first, which says what went, and removes the files after it is durable.
 */

import type { FileSystem } from "../host/host.ts";
import { removeIfThere } from "../host/small-files.ts";
import { compressSegment } from "../session/compress-segment.ts";
import { firstKeptSeq, firstSeqOf, partsOf, type LogPart } from "../session/log-part.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../session/segment-path.ts";
import type { SessionLog } from "../session/session-log.ts";
import type { ChainLink, Header } from "../format/header.ts";
import type { BackendReclaimOptions, DropBefore, Snapshot } from "../contract/backend.ts";
import type { Reclaimed } from "../contract/types.ts";
import { readHeader } from "../engine/files/find-session-file.ts";
import { sealSession, type SealDeps } from "../engine/writing/seal-session.ts";

/** A smaller active file is not worth a segment of its own. */
const WORTH_SEALING_BYTES = 1024 * 1024;

/** What is to be done to a session, beside compressing what is sealed. */
export type ReclaimWhat = Pick<BackendReclaimOptions, "drop" | "seal">;

/** Without being asked for it. A drop seals nothing that the same drop could take the next time. */
export function isWorthSealing(bytes: number, { drop }: ReclaimWhat): boolean {
  return drop === undefined && bytes >= WORTH_SEALING_BYTES;
}

export interface ReclaimDeps extends SealDeps {
  /** A time for what is written now. */
  now(): string;
  /** The log takes the place of the one before. */
  replace(log: SessionLog): Promise<void>;
}

/** How much of a session is done, from 0 to 1. */
export type OnShare = (share: number) => void;

/** An active session, under its lease. */
export async function reclaimActive(
  deps: ReclaimDeps,
  log: SessionLog,
  what: ReclaimWhat,
  onShare: OnShare,
): Promise<Reclaimed> {
  const bytesBefore = await bytesOnDisk(deps, log.header, log.end);
  const { chain, file } = log.header;
  const goes = droppedFiles(chain, what.drop);
  let present = log;
  if (goes.size > 0 || isWorthSealing(log.end, what)) {
    const dropped = deps.now();
    present = await sealSession(deps, log, (links) =>
      links.map((link) => {
        if (goes.has(link.file)) return { ...link, dropped };
        return goes.size > 0 && link.file === file ? { ...link, early: true } : link;
      }),
    );
    await deps.replace(present);
  }
  await reclaimSegments(deps, present.header, what, onShare);
  const bytesAfter = await bytesOnDisk(deps, present.header, present.end);
  return { bytesBefore, bytesAfter, ...droppedRecords(log.header, chain, goes) };
}

/** An archived or deleted one, under the lease of its key: its segments are compressed, nothing of it is dropped. */
export async function reclaimPutAway(
  deps: SealDeps,
  path: string,
  what: ReclaimWhat,
  onShare: OnShare,
): Promise<Reclaimed> {
  const { files } = deps;
  const header = await readHeader(files, path);
  const end = (await files.stat(path))?.size ?? 0;
  if (header === undefined) return { bytesBefore: end, bytesAfter: end };
  const bytesBefore = await bytesOnDisk(deps, header, end);
  await reclaimSegments(deps, header, what, onShare);
  return { bytesBefore, bytesAfter: await bytesOnDisk(deps, header, end) };
}

/** Compresses the cold ones and removes those that the chain calls dropped. */
async function reclaimSegments(
  deps: SealDeps,
  header: Header,
  { seal }: ReclaimWhat,
  onShare: OnShare,
): Promise<void> {
  const { files, layout } = deps;
  const directory = segmentDirectory(layout.segments, header.id);
  // It is written in the one and renamed into the other.
  const syncNames = async (): Promise<void> => {
    await deps.syncNames(directory);
    await deps.syncNames(layout.temporary);
  };
  const parts = partsOf(header, 0, 0);
  for (const [index, part] of parts.entries()) {
    onShare(index / parts.length);
    const path = segmentPath(layout.segments, header.id, part.file);
    if (part.isDropped) {
      await deps.checkMayChange();
      for (const each of segmentCandidates(path)) await removeIfThere(files, each);
    } else if (await isCold(files, header, part, path, seal)) {
      await deps.checkMayChange();
      await compressSegment(files, path, part, {
        temporary: deps.temporaryPath(),
        dryRun: false,
        syncNames,
      });
    }
  }
}

/**
 * Is there anything to seal on request: another record than cuts in the active file, or in files that a drop has sealed
 * early? A cut is all that a reclaim writes, and what it has written must not go with what it says.
 */
export async function isSealable(snapshot: Snapshot, header: Header): Promise<boolean> {
  const from = header.chain[countFinished(header.chain)]?.first ?? firstSeqOf(header);
  const { seq } = snapshot.state;
  if (from > seq) return false;
  for await (const block of snapshot.entries({ from, to: seq, reverse: false })) {
    if (block.some(({ body }) => body.op !== "truncate")) return true;
  }
  return false;
}

/** As if all had been sealed because they were long. */
export function finished(chain: readonly ChainLink[]): readonly ChainLink[] {
  return chain.map((link) => {
    const { early, ...rest } = link;
    return early === undefined ? link : rest;
  });
}

/** How many links come before those that a drop has sealed early, and that are the newest. */
function countFinished(chain: readonly ChainLink[]): number {
  return chain.findLastIndex(({ early }) => early !== true) + 1;
}

/**
 * The numbers of those that go: sealed files only. What a drop itself has sealed early does not go as long as it is the
 * newest: the same drop again takes nothing more, and not the record that says what went.
 */
export function droppedFiles(chain: readonly ChainLink[], drop: DropBefore | undefined): ReadonlySet<number> {
  const sealed = countFinished(chain);
  // Only from the beginning on: where clocks have jumped, an old segment may lie behind a newer one.
  const kept = chain.findIndex(
    (link, index) => link.dropped === undefined && (index >= sealed || !isDropped(link, drop)),
  );
  const oldest = kept === -1 ? chain : chain.slice(0, kept);
  return new Set(oldest.filter(({ dropped }) => dropped === undefined).map(({ file }) => file));
}

/** The first record that is left when what `drop` says is gone. */
export function firstKeptAfter(log: SessionLog, drop: DropBefore | undefined): number {
  const { chain } = log.header;
  const goes = droppedFiles(chain, drop);
  const last = chain.findLast(({ file }) => goes.has(file))?.last ?? 0;
  return Math.max(firstKeptSeq(log.parts), last + 1);
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

/** Not the newest, which is read most, unless sealing was asked for; never one that another session has too: its space would not come back. */
export async function isCold(
  files: FileSystem,
  header: Header,
  part: LogPart,
  path: string,
  seal: boolean,
): Promise<boolean> {
  if (part.sum === undefined || (!seal && part.file === header.chain.at(-1)?.file)) return false;
  return (await files.stat(path))?.links === 1;
}

export async function bytesOnDisk(
  { files, layout }: Pick<SealDeps, "files" | "layout">,
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
