/** Finds checkpoints in a file, so that reading can begin near what is wanted instead of at the beginning. */

import { CHECKPOINT_START, type Checkpoint } from "../record/checkpoint.ts";
import { decodeLine } from "../record/decode.ts";
import type { ScannedLine } from "../record/scan.ts";
import type { ByteSource } from "./byte-source.ts";
import { readLines, readLinesBackwards } from "./read-lines.ts";

export interface FoundCheckpoint {
  /** Of its line. */
  readonly offset: number;
  readonly checkpoint: Checkpoint;
}

/** A range of whole lines of one file. `from` is where a line begins. */
export interface LineRange {
  readonly source: ByteSource;
  readonly writtenBy: string;
  readonly from: number;
  readonly to: number;
  /** The last record before the range. A checkpoint that knows less was copied here from elsewhere in the session. */
  readonly seqBefore: number;
}

const START = Buffer.from(CHECKPOINT_START);
/** Below this, looking closer would read as much as it saves. */
const CLOSE_ENOUGH_BYTES = 512 * 1024;

/** The last one in the range. */
export async function lastCheckpoint(range: LineRange): Promise<FoundCheckpoint | undefined> {
  for await (const lines of readLinesBackwards(range.source, range.from, range.to)) {
    for (const line of lines) {
      const found = checkpointIn(line, range);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** One before the record with this seq, and not far from it. */
export async function checkpointBefore(range: LineRange, seq: number): Promise<FoundCheckpoint | undefined> {
  let best: FoundCheckpoint | undefined;
  let low = range.from;
  let high = range.to;
  while (high - low > CLOSE_ENOUGH_BYTES) {
    const middle = low + Math.floor((high - low) / 2);
    const found = await nextCheckpoint(range, middle, high);
    if (found === undefined || found.checkpoint.state.seq >= seq) {
      high = middle;
      continue;
    }
    best = found;
    low = found.offset + 1;
  }
  return best;
}

/** The first whose line begins in `[from, to)`; `from` may lie within a line. */
async function nextCheckpoint(
  range: LineRange,
  from: number,
  to: number,
): Promise<FoundCheckpoint | undefined> {
  for await (const lines of readLines(range.source, from, range.to)) {
    for (const line of lines) {
      if (line.offset >= to) return undefined;
      const found = checkpointIn(line, range);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function checkpointIn(
  { content, offset }: ScannedLine,
  { writtenBy, seqBefore }: LineRange,
): FoundCheckpoint | undefined {
  if (content?.subarray(0, START.length).equals(START) !== true) return undefined;
  const decoded = decodeLine(content, writtenBy);
  if (decoded.kind !== "checkpoint" || decoded.checkpoint.state.seq < seqBefore) return undefined;
  return { offset, checkpoint: decoded.checkpoint };
}
