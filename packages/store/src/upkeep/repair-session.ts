/**
 * Mends what verify found in one session. The caller holds its lease, has landed and synced it, and has nothing of it
 * open or remembered.
 *
 * New files are complete and durable before a name changes; one rename then makes them count. Killed at any point, the
 * session is as it was or as it will be, and another repair goes on. Damaged bytes are kept: ranges of the active file as
 * copies made before, damaged segments as they are, moved away afterwards. The file numbers rise, so that what a journal
 * holds for the old file is passed over.
 */

import { useFile } from "../host/use-file.ts";
import type { LateLine } from "../session/copy-good-lines.ts";
import { keepAside } from "../session/keep-aside.ts";
import type { SettledRecords } from "../session/settle-records.ts";
import type { LostRun } from "../session/part-writer.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../session/segment-path.ts";
import { decodeLine } from "../format/decode.ts";
import type { ChainLink, Header } from "../format/header.ts";
import { fitKeptRecords, keptFilesOf } from "../engine/files/fit-kept-records.ts";
import { findOrphans } from "../engine/verify/find-orphans.ts";
import { moveAside } from "./move-aside.ts";
import { repairSegment, type RepairDeps, type RepairedSession } from "./repair-segment.ts";
import { rewriteActive } from "./rewrite-active.ts";
import { makeSegmentDirectory } from "../engine/files/segment-directory.ts";
import { undoSeal } from "../engine/files/undo-seal.ts";
import { salvageSource } from "../engine/verify/salvage-source.ts";
import type { CheckedSession } from "../engine/verify/verify-session.ts";

/** `checked`: what verify has found, under the lease. */
export async function repairSession(deps: RepairDeps, checked: CheckedSession): Promise<RepairedSession> {
  const { header, file, left } = checked;
  const kept: string[] = [];
  const lost: LostRun[] = [];
  if (header === undefined || left !== undefined) return { lost, kept };
  const missing = await findMissing(deps, checked, header);
  const damaged = checked.segments.filter((each) => isToReplace(each, missing.between));
  let present = header;
  if (damaged.length > 0 || checked.active.length > 0 || missing.between.length > 0) {
    kept.push(...(await keepRanges(deps, checked)));
    await undoSeal(deps.files, deps.layout, file.path, header);
    // Before the segments, and numbered behind them: else, cut short, theirs would be in the way of sealing.
    present = { ...header, file: header.file + damaged.length + 1 };
    const { between, behind, settled } = missing;
    const choice = { kept: [...between, ...behind], settled };
    const rewritten = await rewriteActive(deps, file, present, choice, checked.active);
    lost.push(...rewritten.lost);
    kept.push(...rewritten.kept);
  }
  if (damaged.length > 0) {
    const replaced = await replaceSegments(deps, checked, header, missing);
    lost.unshift(...replaced.lost);
    kept.push(...replaced.kept);
    present = { ...present, file: present.file + 1, chain: replaced.chain };
    await rewriteActive(deps, file, present, {}, []);
  }
  const stat = await deps.files.stat(file.path);
  const orphans = await findOrphans(deps.files, deps.layout, present, stat);
  for (const path of orphans) kept.push(await moveAside(deps, path));
  return { lost, kept };
}

/** Records that were kept aside and are missing: between others of the session, and behind its last one. */
interface MissingRecords {
  readonly between: readonly LateLine[];
  readonly behind: readonly LateLine[];
  readonly settled: SettledRecords;
}

async function findMissing(
  { files, layout }: RepairDeps,
  { file }: CheckedSession,
  header: Header,
): Promise<MissingRecords> {
  const kept = await keptFilesOf({ files, layout }, header.id);
  if (kept.length === 0) return { between: [], behind: [], settled: new Map() };
  const { insert, add, settled } = await useFile(await files.open(file.path, "read"), async (opened) => {
    const { source } = await salvageSource(opened);
    return await fitKeptRecords({ files, layout }, source, header, kept);
  });
  const entriesOf = (lines: readonly Buffer[]): readonly LateLine[] =>
    lines.flatMap((line) => {
      const content = line.subarray(0, -1);
      const decoded = decodeLine(content, header.id);
      return decoded.kind === "entry" ? [{ entry: decoded.entry, line: content }] : [];
    });
  return { between: entriesOf(insert), behind: entriesOf(add), settled };
}

/** It is damaged, or lacks a record that was kept aside. */
function isToReplace(
  { link: { first, last, session }, checked }: CheckedSession["segments"][number],
  missing: readonly LateLine[],
): boolean {
  const isMissing = ({ entry }: LateLine): boolean => entry.seq >= first && entry.seq <= last;
  return checked.damage.length > 0 || (session === undefined && missing.some(isMissing));
}

async function keepRanges(
  { files, layout }: RepairDeps,
  checked: CheckedSession,
): Promise<readonly string[]> {
  const { path } = checked.file;
  return await useFile(await files.open(path, "read"), async (file) => {
    const kept: string[] = [];
    for (const range of checked.active) {
      if (range.bytes > 0) kept.push(await keepAside(files, file, range, path, layout.damaged));
    }
    return kept;
  });
}

/** Each damaged one gets its successor, durably named. The old ones stay where they are. */
async function replaceSegments(
  deps: RepairDeps,
  { file, segments }: CheckedSession,
  header: Header,
  { between, settled }: MissingRecords,
): Promise<RepairedSession & { readonly chain: readonly ChainLink[] }> {
  await makeSegmentDirectory(deps, header.id);
  let chain = header.chain;
  let number = header.file;
  const lost: LostRun[] = [];
  const kept: string[] = [];
  for (const { link, checked } of segments) {
    if (!isToReplace({ link, checked }, between)) continue;
    number += 1;
    kept.push(...(await clearNumber(deps, header, number)));
    const index = chain.indexOf(link);
    const present = { ...header, chain };
    const damaged = { header: present, index, activePath: file.path, number, kept: between, settled };
    const repaired = await repairSegment(deps, damaged);
    chain = chain.with(index, repaired.link);
    lost.push(...repaired.lost);
  }
  // Both ends of the renames: a power cut must not leave a new file under its temporary name.
  await deps.syncNames(deps.layout.temporary);
  await deps.syncNames(segmentDirectory(deps.layout.segments, header.id));
  return { chain, lost, kept };
}

/** What has this number was left by somebody who was cut short: no chain names it. */
async function clearNumber(deps: RepairDeps, { id }: Header, number: number): Promise<readonly string[]> {
  const kept: string[] = [];
  const path = segmentPath(deps.layout.segments, id, number);
  for (const candidate of segmentCandidates(path)) {
    if ((await deps.files.stat(candidate)) !== undefined) kept.push(await moveAside(deps, candidate));
  }
  return kept;
}
