/**
 * A session's active file again, under the same name, with another header and all of its lines that are good. The new one
 * is complete and synced before one rename makes it count. Records that were kept aside go where they are missing. Answers
 * with the records that are gone.
 */

import { dirname } from "node:path";
import { useFile } from "../host/use-file.ts";
import type { ByteSource } from "../session/byte-source.ts";
import { copyGoodLines, type GoodLines } from "../session/copy-good-lines.ts";
import { readHeaderLine } from "../session/header-line.ts";
import { firstSeqOf, partsOf } from "../session/log-part.ts";
import { type LostRun, writePart } from "../session/part-writer.ts";
import type { Header } from "../format/header.ts";
import type { SessionFile } from "../engine/files/find-session-file.ts";
import { salvageSource } from "../engine/verify/salvage-source.ts";
import { findHeader } from "../engine/verify/find-header.ts";
import type { RepairDeps } from "./repair-segment.ts";
import { stateBefore } from "./state-before.ts";

export async function rewriteActive(
  deps: RepairDeps,
  file: SessionFile,
  header: Header,
  choice: Pick<GoodLines, "kept" | "settled">,
): Promise<readonly LostRun[]> {
  const { files, layout } = deps;
  const temporary = deps.temporaryPath();
  const { lost } = await useFile(await files.open(file.path, "read"), async (old) => {
    const { source } = await salvageSource(old);
    // Whose it is was proven when it was verified, under this lease.
    const found = await findHeader(source, file, async () => await Promise.resolve(true));
    const from = found.kind === "header" ? found.linesFrom : 0;
    const first = firstSeqOf(header);
    const lines = { source, writtenBy: header.id, from, to: source.size, first };
    const before = await stateBefore(deps, header, partsOf(header, 0, first - 1).slice(0, -1), lines);
    const mark = await markBefore(source);
    const part = { mark, header, writtenBy: header.id, ...before, now: deps.now() };
    return await writePart(files, temporary, part, async (writer) => {
      await copyGoodLines({ ...lines, seqBefore: first - 1, last: undefined, ...choice }, writer);
    });
  });
  await deps.checkMayChange();
  await files.rename(temporary, file.path);
  await deps.syncNames(dirname(file.path));
  await deps.syncNames(layout.temporary);
  return lost;
}

async function markBefore(source: ByteSource): Promise<Buffer> {
  const { bytes, content, terminated } = await readHeaderLine(source);
  const mark = Buffer.alloc(bytes - content.length - (terminated ? 1 : 0));
  await source.read(mark, 0);
  return mark;
}
