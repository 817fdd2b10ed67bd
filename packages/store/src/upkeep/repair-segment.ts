/**
 * The successor of a damaged sealed file: its good lines, and a line for each run of records that is gone. Of one that is
 * missing nothing but that line is left, and the state that the next file begins with.
 */

import { useFile } from "../host/use-file.ts";
import { patchedSource } from "../session/byte-source.ts";
import { copyGoodLines, type LateLine } from "../session/copy-good-lines.ts";
import { linesFrom, readHeaderLine } from "../session/header-line.ts";
import { partsOf, type LogPart, type OpenedPart } from "../session/log-part.ts";
import { openSegment } from "../session/open-segment.ts";
import { type LostRun, writePart } from "../session/part-writer.ts";
import type { SettledRecords } from "../session/settle-records.ts";
import { segmentPath } from "../session/segment-path.ts";
import type { SessionState } from "../format/fold.ts";
import type { ChainLink, Header } from "../format/header.ts";
import type { SealDeps } from "../engine/writing/seal-session.ts";
import { firstCheckpoint, stateBefore, type LinesOfPart } from "./state-before.ts";

export interface RepairDeps extends Pick<
  SealDeps,
  "files" | "layout" | "temporaryPath" | "checkMayChange" | "syncNames" | "sealedPatches"
> {
  /** A time for what is written now. */
  now(): string;
}

export interface RepairedSession {
  readonly lost: readonly LostRun[];
  /** Where the damaged bytes are now. */
  readonly kept: readonly string[];
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
  /** Records of the session that were kept aside and are missing. */
  readonly kept: readonly LateLine[];
  /** Which record gets a seq, where kept ones speak of it. */
  readonly settled: SettledRecords;
}

export interface RepairedLink {
  /** What the chain will say of it. */
  readonly link: ChainLink;
  readonly lost: readonly LostRun[];
}

/** It is on the disk, but its name is not durable yet. */
export async function repairSegment(deps: RepairDeps, damaged: DamagedLink): Promise<RepairedLink> {
  const { files, layout } = deps;
  const { header, index, number, kept, settled } = damaged;
  const parts = partsOf(header, 0, 0);
  const part = parts[index];
  const link = header.chain[index];
  if (part === undefined || link === undefined) throw new RangeError(`the chain has no link ${index}`);
  const opened = await openPart(deps, header, part);
  try {
    const lines = await linesOf(part, opened);
    const before = await stateBefore(deps, header, parts.slice(0, index), lines);
    const { key, at, version } = header;
    const own = { version, key, id: part.writtenBy, at, file: number, chain: [] };
    const temporary = deps.temporaryPath();
    const { bytes, sum, lost } = await writePart(
      files,
      temporary,
      { mark: Buffer.alloc(0), header: own, writtenBy: part.writtenBy, ...before, now: deps.now() },
      async (writer) => {
        const stateAtEnd = async (): Promise<SessionState | undefined> =>
          await nextState(deps, damaged, part.last);
        const own = kept.filter(({ entry }) => entry.seq >= part.first && entry.seq <= part.last);
        const bounds = { seqBefore: part.first - 1, last: part.last };
        // They speak of what the session itself has written, not of its parent's records.
        const choice = part.writtenBy === header.id ? { kept: own, settled } : { kept: own };
        // The whole old file is kept.
        await copyGoodLines({ ...lines, ...bounds, ...choice, stateAtEnd }, writer);
      },
    );
    await deps.checkMayChange();
    await files.rename(temporary, segmentPath(layout.segments, header.id, number));
    return { link: { ...link, file: number, bytes, sum }, lost };
  } finally {
    await opened?.close();
  }
}

/** What is wrong with it is known by now. */
async function openPart(
  { files, layout, sealedPatches }: RepairDeps,
  { id }: Header,
  part: LogPart,
): Promise<OpenedPart | undefined> {
  const patches = await sealedPatches({ id: part.writtenBy, file: part.file });
  return await openSegment(
    files,
    segmentPath(layout.segments, id, part.file),
    part,
    () => undefined,
    patches,
  );
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
  deps: RepairDeps,
  { header, index, activePath }: DamagedLink,
  last: number,
): Promise<SessionState | undefined> {
  const next = partsOf(header, 0, 0)[index + 1];
  if (next === undefined || next.isDropped) return undefined;
  if (next.sum === undefined) {
    return await useFile(await deps.files.open(activePath, "read"), async (file) => {
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
  const opened = await openPart(deps, header, next);
  if (opened === undefined) return undefined;
  try {
    return await firstCheckpoint({ ...(await linesOf(next, opened)), first: last + 1 });
  } finally {
    await opened.close();
  }
}
