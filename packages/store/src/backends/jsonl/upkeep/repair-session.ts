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
import { COMPRESSED_SUFFIX, segmentDirectory, segmentPath } from "../../../log/segment-path.ts";
import type { ChainLink, Header } from "../../../record/header.ts";
import { findOrphans } from "./find-orphans.ts";
import { moveAside } from "./move-aside.ts";
import { repairSegment, type RepairSurroundings } from "./repair-segment.ts";
import { rewriteActive } from "./rewrite-active.ts";
import { makeSegmentDirectory } from "../files/segment-directory.ts";
import type { CheckedSession } from "./verify-session.ts";

/** `checked`: what verify has found, under the lease. */
export async function repairSession(around: RepairSurroundings, checked: CheckedSession): Promise<void> {
  const { header, file, left } = checked;
  if (header === undefined || left !== undefined) return;
  const damaged = checked.segments.filter((each) => each.checked.damage.length > 0);
  let present = header;
  if (damaged.length > 0 || checked.active.length > 0) {
    await keepRanges(around, checked);
    // Before the segments, and numbered behind them: else, cut short, theirs would be in the way of sealing.
    present = { ...header, file: header.file + damaged.length + 1 };
    await rewriteActive(around, file, present);
  }
  if (damaged.length > 0) {
    const chain = await replaceSegments(around, checked, header);
    present = { ...present, file: present.file + 1, chain };
    await rewriteActive(around, file, present);
  }
  const stat = await around.files.stat(file.path);
  const orphans = await findOrphans(around.files, around.layout, present, stat);
  for (const path of orphans) await moveAside(around, path);
}

async function keepRanges({ files, layout }: RepairSurroundings, checked: CheckedSession): Promise<void> {
  const { path } = checked.file;
  await useFile(await files.open(path, "read"), async (file) => {
    for (const range of checked.active) {
      if (range.bytes > 0) await keepAside(files, file, range, path, layout.damaged);
    }
  });
}

/** Each damaged one gets its successor, durably named. The old ones stay where they are. */
async function replaceSegments(
  around: RepairSurroundings,
  { file, segments }: CheckedSession,
  header: Header,
): Promise<readonly ChainLink[]> {
  await makeSegmentDirectory(around, header.id);
  let chain = header.chain;
  let number = header.file;
  for (const { link, checked } of segments) {
    if (checked.damage.length === 0) continue;
    number += 1;
    await clearNumber(around, header, number);
    const index = chain.indexOf(link);
    const damaged = { header: { ...header, chain }, index, activePath: file.path, number };
    chain = chain.with(index, await repairSegment(around, damaged));
  }
  // Both ends of the renames: a power cut must not leave a new file under its temporary name.
  await around.syncNames(around.layout.directory);
  await around.syncNames(segmentDirectory(around.layout.segments, header.id));
  return chain;
}

/** What has this number was left by somebody who was cut short: no chain names it. */
async function clearNumber(around: RepairSurroundings, { id }: Header, number: number): Promise<void> {
  const path = segmentPath(around.layout.segments, id, number);
  for (const suffix of ["", COMPRESSED_SUFFIX]) {
    if ((await around.files.stat(path + suffix)) !== undefined) await moveAside(around, path + suffix);
  }
}
