/** The state with which a file of a session begins: from its first checkpoint, or from the files before it. */

import { isLonghandError } from "../errors.ts";
import type { FileSystem } from "../host/host.ts";
import type { ByteSource } from "../session/byte-source.ts";
import type { LogPart } from "../session/log-part.ts";
import { openSegment } from "../session/open-segment.ts";
import { stateAfter } from "../session/read-entries.ts";
import { readLines } from "../session/read-lines.ts";
import { salvageLine } from "../format/salvage-lines.ts";
import type { SealedPatches } from "../session/sealed-source.ts";
import { segmentPath } from "../session/segment-path.ts";
import { decodeLine } from "../format/decode.ts";
import { EMPTY_STATE, type SessionState } from "../format/fold.ts";
import type { Header } from "../format/header.ts";
import type { Layout } from "../format/layout.ts";

export interface LinesOfPart {
  readonly source: ByteSource;
  readonly writtenBy: string;
  /** Behind the header. */
  readonly from: number;
  readonly to: number;
  readonly first: number;
}

export interface StateBefore {
  readonly state: SessionState;
  /** Records that led to it are gone: a later checkpoint knows better. */
  readonly isGuess: boolean;
}

export interface StateBeforeDeps {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly sealedPatches: SealedPatches;
}

/** `before`: the parts before this one, as they are now. */
export async function stateBefore(
  { files, layout, sealedPatches }: StateBeforeDeps,
  { id }: Header,
  before: readonly LogPart[],
  lines: LinesOfPart,
): Promise<StateBefore> {
  const seq = lines.first - 1;
  if (seq === 0) return { state: EMPTY_STATE, isGuess: false };
  const written = await firstCheckpoint(lines);
  if (written !== undefined) return { state: written, isGuess: false };
  let isGuess = false;
  const onDamage = (): void => {
    isGuess = true;
  };
  try {
    const openPart = async (part: LogPart): ReturnType<typeof openSegment> => {
      const patches = await sealedPatches({ id: part.writtenBy, file: part.file });
      return await openSegment(files, segmentPath(layout.segments, id, part.file), part, onDamage, patches);
    };
    const state = await stateAfter({ parts: before, openPart, onDamage }, seq);
    return { state, isGuess };
  } catch (error) {
    // Dropped: what it was can no longer be told.
    if (!isLonghandError(error, "RECORD_DROPPED")) throw error;
    return { state: { ...EMPTY_STATE, seq }, isGuess: true };
  }
}

/** The state that stands before the first record. */
export async function firstCheckpoint(lines: LinesOfPart): Promise<SessionState | undefined> {
  const { source, writtenBy, from, to, first } = lines;
  for await (const chunk of readLines(source, from, to)) {
    for (const { content } of chunk.flatMap((line) => salvageLine(line, writtenBy))) {
      if (content === undefined) continue;
      const decoded = decodeLine(content, writtenBy);
      if (decoded.kind === "checkpoint" && decoded.checkpoint.state.seq === first - 1)
        return decoded.checkpoint.state;
      if (decoded.kind === "entry" || decoded.kind === "checkpoint") return undefined;
    }
  }
  return undefined;
}
