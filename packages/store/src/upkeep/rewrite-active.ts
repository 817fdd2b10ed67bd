/**
 * A session's active file again, under the same name, with another header and all of its lines that are good. The new one
 * is complete and synced before one rename makes it count. Records that were kept aside go where they are missing.
 */

import { dirname } from "node:path";
import { useFile } from "../host/use-file.ts";
import type { ByteSource } from "../session/byte-source.ts";
import { copyGoodLines, type GoodLines } from "../session/copy-good-lines.ts";
import { keepAside, type KeptRange } from "../session/keep-aside.ts";
import { readHeaderLine } from "../session/header-line.ts";
import { firstSeqOf, partsOf } from "../session/log-part.ts";
import { writePart } from "../session/part-writer.ts";
import type { Header } from "../format/header.ts";
import type { SessionFile } from "../engine/files/find-session-file.ts";
import { salvageSource } from "../engine/verify/salvage-source.ts";
import { findHeader } from "../engine/verify/find-header.ts";
import type { RepairDeps, RepairedSession } from "./repair-segment.ts";
import { stateBefore } from "./state-before.ts";

/** `keptRanges`: what of the old file is kept aside already. */
export async function rewriteActive(
  deps: RepairDeps,
  file: SessionFile,
  header: Header,
  choice: Pick<GoodLines, "kept" | "settled">,
  keptRanges: readonly KeptRange[],
): Promise<RepairedSession> {
  const { files, layout } = deps;
  const temporary = deps.temporaryPath();
  const kept: string[] = [];
  const { lost } = await useFile(await files.open(file.path, "read"), async (old) => {
    const { source, isPacked } = await salvageSource(old);
    // Whose it is was proven when it was verified, under this lease.
    const found = await findHeader(source, file, async () => await Promise.resolve(true));
    const from = found.kind === "header" ? found.linesFrom : 0;
    const first = firstSeqOf(header);
    const lines = { source, writtenBy: header.id, from, to: source.size, first };
    const before = await stateBefore(deps, header, partsOf(header, 0, first - 1).slice(0, -1), lines);
    const mark = await markBefore(source);
    const part = { mark, header, writtenBy: header.id, ...before, now: deps.now() };
    return await writePart(files, temporary, part, async (writer) => {
      const given = { ...lines, seqBefore: first - 1, last: undefined, ...choice };
      const passedOver = await copyGoodLines(given, writer);
      // Where a bad line is taken apart, a record may be passed over that readers were served, and that is not reported.
      // Of a packed file the whole is kept.
      for (const range of isPacked ? [] : outside(passedOver, keptRanges))
        kept.push(await keepAside(files, old, range, file.path, layout.damaged));
    });
  });
  await deps.checkMayChange();
  await files.rename(temporary, file.path);
  await deps.syncNames(dirname(file.path));
  await deps.syncNames(layout.temporary);
  return { lost, kept };
}

/** Of these the ones that are not within one of the others. */
function outside(ranges: readonly KeptRange[], others: readonly KeptRange[]): readonly KeptRange[] {
  const byOffset = (one: KeptRange, other: KeptRange): number => one.offset - other.offset;
  const sorted = others.toSorted(byOffset);
  let next = 0;
  let end = 0;
  return ranges.toSorted(byOffset).filter(({ offset, bytes }) => {
    for (let other = sorted[next]; other !== undefined && other.offset <= offset; other = sorted[++next])
      end = Math.max(end, other.offset + other.bytes);
    return offset + bytes > end;
  });
}

async function markBefore(source: ByteSource): Promise<Buffer> {
  const { bytes, content, terminated } = await readHeaderLine(source);
  const mark = Buffer.alloc(bytes - content.length - (terminated ? 1 : 0));
  await source.read(mark, 0);
  return mark;
}
