/**
 * Mends what verify found in one session. The caller holds its lease, has landed and synced it, and has nothing of it
 * open or remembered.
 *
 * New files are complete and durable before a name changes; one rename then makes them count. Killed at any point, the
 * session is as it was or as it will be, and another repair goes on. Damaged bytes are kept: ranges of the active file as
 * copies made before, damaged segments as they are, moved away afterwards. The file numbers rise, so that what a journal
 * holds for the old file is passed over.
 */

import { useFile } from "../../../host/use-file.ts";
import { keepAside } from "../../../log/keep-aside.ts";
import type { LostRun } from "../../../log/part-writer.ts";
import { segmentCandidates, segmentDirectory, segmentPath } from "../../../log/segment-path.ts";
import type { ChainLink, Header } from "../../../record/header.ts";
import { findOrphans } from "./find-orphans.ts";
import { moveAside } from "./move-aside.ts";
import { repairSegment, type RepairSurroundings } from "./repair-segment.ts";
import { rewriteActive } from "./rewrite-active.ts";
import { makeSegmentDirectory } from "../files/segment-directory.ts";
import { undoSeal } from "../files/undo-seal.ts";
import type { CheckedSession } from "./verify-session.ts";

export interface RepairedSession {
  readonly lost: readonly LostRun[];
  /** Where the damaged bytes are now. */
  readonly kept: readonly string[];
}

/** `checked`: what verify has found, under the lease. */
export async function repairSession(
  around: RepairSurroundings,
  checked: CheckedSession,
): Promise<RepairedSession> {
  const { header, file, left } = checked;
  const kept: string[] = [];
  const lost: LostRun[] = [];
  if (header === undefined || left !== undefined) return { lost, kept };
  const damaged = checked.segments.filter((each) => each.checked.damage.length > 0);
  let present = header;
  if (damaged.length > 0 || checked.active.length > 0) {
    kept.push(...(await keepRanges(around, checked)));
    await undoSeal(around.files, around.layout, file.path, header);
    // Before the segments, and numbered behind them: else, cut short, theirs would be in the way of sealing.
    present = { ...header, file: header.file + damaged.length + 1 };
    lost.push(...(await rewriteActive(around, file, present)));
  }
  if (damaged.length > 0) {
    const replaced = await replaceSegments(around, checked, header);
    lost.unshift(...replaced.lost);
    kept.push(...replaced.kept);
    present = { ...present, file: present.file + 1, chain: replaced.chain };
    await rewriteActive(around, file, present);
  }
  const stat = await around.files.stat(file.path);
  const orphans = await findOrphans(around.files, around.layout, present, stat);
  for (const path of orphans) kept.push(await moveAside(around, path));
  return { lost, kept };
}

async function keepRanges(
  { files, layout }: RepairSurroundings,
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
  around: RepairSurroundings,
  { file, segments }: CheckedSession,
  header: Header,
): Promise<RepairedSession & { readonly chain: readonly ChainLink[] }> {
  await makeSegmentDirectory(around, header.id);
  let chain = header.chain;
  let number = header.file;
  const lost: LostRun[] = [];
  const kept: string[] = [];
  for (const { link, checked } of segments) {
    if (checked.damage.length === 0) continue;
    number += 1;
    kept.push(...(await clearNumber(around, header, number)));
    const index = chain.indexOf(link);
    const damaged = { header: { ...header, chain }, index, activePath: file.path, number };
    const repaired = await repairSegment(around, damaged);
    chain = chain.with(index, repaired.link);
    lost.push(...repaired.lost);
  }
  // Both ends of the renames: a power cut must not leave a new file under its temporary name.
  await around.syncNames(around.layout.directory);
  await around.syncNames(segmentDirectory(around.layout.segments, header.id));
  return { chain, lost, kept };
}

/** What has this number was left by somebody who was cut short: no chain names it. */
async function clearNumber(
  around: RepairSurroundings,
  { id }: Header,
  number: number,
): Promise<readonly string[]> {
  const kept: string[] = [];
  const path = segmentPath(around.layout.segments, id, number);
  for (const candidate of segmentCandidates(path)) {
    if ((await around.files.stat(candidate)) !== undefined) kept.push(await moveAside(around, candidate));
  }
  return kept;
}
