/** The state with which a file of a session begins: from its first checkpoint, or from the files before it. */

import { isLonghandError } from "../../../errors.ts";
import type { FileSystem } from "../../../host/host.ts";
import type { ByteSource } from "../../../log/byte-source.ts";
import type { LogPart } from "../../../log/log-part.ts";
import { openSegment } from "../../../log/open-segment.ts";
import { stateAfter } from "../../../log/read-entries.ts";
import { readLines } from "../../../log/read-lines.ts";
import { salvageLine } from "../../../log/salvage-lines.ts";
import { segmentPath } from "../../../log/segment-path.ts";
import { decodeLine } from "../../../record/decode.ts";
import { EMPTY_STATE, type SessionState } from "../../../record/fold.ts";
import type { Header } from "../../../record/header.ts";
import type { Layout } from "../files/layout.ts";

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

/** `before`: the parts before this one, as they are now. */
export async function stateBefore(
  { files, layout }: { files: FileSystem; layout: Layout },
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
    const openPart = async (part: LogPart): ReturnType<typeof openSegment> =>
      await openSegment(files, segmentPath(layout.segments, id, part.file), part, onDamage);
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
