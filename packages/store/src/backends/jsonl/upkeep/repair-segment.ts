/**
 * The successor of a damaged sealed file: its good lines, and a line for each run of records that is gone. Of one that is
 * missing nothing but that line is left, and the state that the next file begins with.
 */

import { useFile } from "../../../host/use-file.ts";
import { patchedSource } from "../../../log/byte-source.ts";
import { copyGoodLines } from "../../../log/copy-good-lines.ts";
import { linesFrom, readHeaderLine } from "../../../log/header-line.ts";
import { partsOf, type LogPart, type OpenedPart } from "../../../log/log-part.ts";
import { openSegment } from "../../../log/open-segment.ts";
import { type LostRun, writePart } from "../../../log/part-writer.ts";
import { segmentPath } from "../../../log/segment-path.ts";
import type { SessionState } from "../../../record/fold.ts";
import type { ChainLink, Header } from "../../../record/header.ts";
import type { SealSurroundings } from "../writing/seal-session.ts";
import { firstCheckpoint, stateBefore, type LinesOfPart } from "./state-before.ts";

export interface RepairSurroundings extends Pick<
  SealSurroundings,
  "files" | "layout" | "temporaryPath" | "checkMayChange" | "syncNames"
> {
  /** A time for what is written now. */
  now(): string;
}

export interface DamagedLink {
  /** The chain as it is now. */
  readonly header: Header;
  /** Which link of it. */
  readonly index: number;
  /** Whose header and first checkpoint are good. */
  readonly activePath: string;
  /** For the new file; nothing has it. */
  readonly number: number;
}

export interface RepairedLink {
  /** What the chain will say of it. */
  readonly link: ChainLink;
  readonly lost: readonly LostRun[];
}

/** It is on the disk, but its name is not durable yet. */
export async function repairSegment(around: RepairSurroundings, damaged: DamagedLink): Promise<RepairedLink> {
  const { files, layout } = around;
  const { header, index, number } = damaged;
  const parts = partsOf(header, 0, 0);
  const part = parts[index];
  const link = header.chain[index];
  if (part === undefined || link === undefined) throw new RangeError(`the chain has no link ${index}`);
  const opened = await openPart(around, header, part);
  try {
    const lines = await linesOf(part, opened);
    const before = await stateBefore(around, header, parts.slice(0, index), lines);
    const { key, at, version } = header;
    const own = { version, key, id: part.writtenBy, at, file: number, chain: [] };
    const temporary = around.temporaryPath();
    const { bytes, sum, lost } = await writePart(
      files,
      temporary,
      { mark: Buffer.alloc(0), header: own, writtenBy: part.writtenBy, ...before, now: around.now() },
      async (writer) => {
        const stateAtEnd = async (): Promise<SessionState | undefined> =>
          await nextState(around, damaged, part.last);
        const bounds = { seqBefore: part.first - 1, last: part.last };
        await copyGoodLines({ ...lines, ...bounds, stateAtEnd }, writer);
      },
    );
    await around.checkMayChange();
    await files.rename(temporary, segmentPath(layout.segments, header.id, number));
    return { link: { ...link, file: number, bytes, sum }, lost };
  } finally {
    await opened?.close();
  }
}

/** What is wrong with it is known by now. */
async function openPart(
  { files, layout }: RepairSurroundings,
  { id }: Header,
  part: LogPart,
): Promise<OpenedPart | undefined> {
  return await openSegment(files, segmentPath(layout.segments, id, part.file), part, () => undefined);
}

/** Up to the end of the file: a line that was put in has moved the others behind the end that the chain knows. What is not the session's is told by its seq. */
async function linesOf(part: LogPart, opened: OpenedPart | undefined): Promise<LinesOfPart> {
  const { writtenBy, first } = part;
  if (opened === undefined) return { source: NOTHING, writtenBy, first, from: 0, to: 0 };
  const { source } = opened;
  // To a header that is damaged a record may be glued.
  return { source, writtenBy, first, from: linesFrom(await readHeaderLine(source)), to: source.size };
}

const NOTHING = { size: 0, read: async (): Promise<number> => await Promise.resolve(0) };

/** What all records up to the end of this part have led to, as the file behind it says. */
async function nextState(
  around: RepairSurroundings,
  { header, index, activePath }: DamagedLink,
  last: number,
): Promise<SessionState | undefined> {
  const next = partsOf(header, 0, 0)[index + 1];
  if (next === undefined || next.isDropped) return undefined;
  if (next.sum === undefined) {
    return await useFile(await around.files.open(activePath, "read"), async (file) => {
      const source = patchedSource(file, (await file.stat()).size, []);
      const from = (await readHeaderLine(source)).bytes;
      return await firstCheckpoint({
        source,
        writtenBy: header.id,
        from,
        to: source.size,
        first: last + 1,
      });
    });
  }
  const opened = await openPart(around, header, next);
  if (opened === undefined) return undefined;
  try {
    return await firstCheckpoint({ ...(await linesOf(next, opened)), first: last + 1 });
  } finally {
    await opened.close();
  }
}
