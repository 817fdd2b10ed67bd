/**
 * Finds checkpoints in a file, so that reading can begin near what is wanted instead of at the beginning. Only those that prove that they are where they were
 * written: by their offset and the checksum of the line before, or, from an earlier version, by the seq of the record before and the sum of all bytes.
 */

import { CHECKPOINT_START, type Checkpoint } from "../format/checkpoint.ts";
import { isWrittenAt } from "../format/checkpoint-position.ts";
import { EMPTY_SUM } from "../format/checksum.ts";
import { decodeLine, type DecodedLine } from "../format/decode.ts";
import type { ScannedLine, ScanStart } from "../format/scan.ts";
import { lineSum } from "../format/line-checksum.ts";
import { splitGlued } from "../format/split-glued.ts";
import type { ByteSource } from "./byte-source.ts";
import { NEWLINE } from "../format/format.ts";
import { readLines, readLinesBackwards } from "./read-lines.ts";
import { sumBytes } from "./sum-bytes.ts";

export interface FoundCheckpoint {
  /** Of its line. */
  readonly offset: number;
  readonly bytes: number;
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
  /** The checksum of the line before the range, which is the header; `undefined`: there is none. */
  readonly sumBefore: string | undefined;
}

/** A scan of the range from this checkpoint on, or from its beginning. */
export function startOf(
  { from, seqBefore, sumBefore }: LineRange,
  found: FoundCheckpoint | undefined,
): ScanStart {
  if (found === undefined) return { offset: from, seqBefore, sumBefore };
  const { state, place } = found.checkpoint;
  return { offset: found.offset, seqBefore: state.seq, sumBefore: place?.before };
}

const START = Buffer.from(CHECKPOINT_START);
/** Below this, looking closer would read as much as it saves. */
const CLOSE_ENOUGH_BYTES = 512 * 1024;

/** The last one in the range. */
export async function lastCheckpoint(range: LineRange): Promise<FoundCheckpoint | undefined> {
  for await (const offset of startsBackwards(range)) {
    const line = await lineAt(range, offset);
    const found = line === undefined ? undefined : checkpointIn(line, range);
    if (found !== undefined && (await isInPlace(found, range, await lineBefore(range, offset)))) return found;
  }
  return undefined;
}

/** The first read shows most of what is wanted; the next ones are for long blocks. */
const FIRST_READ_BYTES = 64 * 1024;
/** Read at a time where one line is wanted. */
const ONE_LINE_BYTES = 8 * 1024;
const MAX_READ_BYTES = 256 * 1024;

/** Where lines begin that may be checkpoints, the last one first. The lines between them are not looked at. */
async function* startsBackwards({ source, from, to }: LineRange): AsyncIterable<number> {
  let length = FIRST_READ_BYTES;
  for (let end = to; end > from; length = Math.min(length * 2, MAX_READ_BYTES)) {
    const position = Math.max(from, end - length);
    // A line that begins right before what was read last is found here, by what is behind that: and so is the newline before one.
    const first = Math.max(0, position - 1);
    const chunk = Buffer.allocUnsafe(Math.min(to, end + START.length - 1) - first);
    const read = source.read(chunk, first);
    const bytes = chunk.subarray(0, typeof read === "number" ? read : await read);
    for (let at = lastStart(bytes, end - 1 - first); at !== -1; at = lastStart(bytes, at - 1)) {
      const offset = first + at;
      if (offset < position) break;
      if (offset === from || bytes[at - 1] === NEWLINE) yield offset;
    }
    end = position;
  }
}

function lastStart(bytes: Buffer, from: number): number {
  return from < 0 ? -1 : bytes.lastIndexOf(START, from);
}

async function lineAt({ source, to }: LineRange, offset: number): Promise<ScannedLine | undefined> {
  for await (const [line] of readLines(source, offset, to, ONE_LINE_BYTES)) return line;
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
  let before: ScannedLine | undefined;
  for await (const lines of readLines(range.source, from, range.to)) {
    for (const line of lines) {
      if (line.offset >= to) return undefined;
      const found = checkpointIn(line, range);
      if (found !== undefined) {
        // The first line may be only the end of one.
        const isWhole = before !== undefined && before.offset > from;
        const whole = isWhole ? before : await lineBefore(range, line.offset);
        if (await isInPlace(found, range, whole)) return found;
      }
      before = line;
    }
  }
  return undefined;
}

async function lineBefore(range: LineRange, offset: number): Promise<ScannedLine | undefined> {
  for await (const [line] of readLinesBackwards(range.source, range.from, offset, ONE_LINE_BYTES))
    return line;
  return undefined;
}

function checkpointIn(
  { content, offset, bytes }: ScannedLine,
  { writtenBy, seqBefore }: LineRange,
): FoundCheckpoint | undefined {
  if (content?.subarray(0, START.length).equals(START) !== true) return undefined;
  const decoded = decodeLine(content, writtenBy);
  if (decoded.kind !== "checkpoint" || decoded.checkpoint.state.seq < seqBefore) return undefined;
  return { offset, bytes, checkpoint: decoded.checkpoint };
}

/** `before`: the line before it; `undefined`: it is the first of the range. */
async function isInPlace(
  { offset, checkpoint }: FoundCheckpoint,
  { source, writtenBy, seqBefore, sumBefore }: LineRange,
  before: ScannedLine | undefined,
): Promise<boolean> {
  const { place, state, sum } = checkpoint;
  const content = before === undefined ? undefined : lastLineIn(before, writtenBy);
  const decoded = content === undefined ? undefined : decodeLine(content, writtenBy);
  if (place !== undefined) {
    if (before === undefined) return isWrittenAt(place, offset, sumBefore);
    const isGood = decoded !== undefined && decoded.kind !== "bad";
    return isWrittenAt(place, offset, isGood ? lineSum(content ?? NOTHING) : undefined);
  }
  if ((before === undefined ? seqBefore : lastSeqOf(decoded)) !== state.seq) return false;
  // It may stand behind a copy of the record before it: only all bytes before it tell.
  return (await sumBytes(source, EMPTY_SUM, 0, offset)) === sum;
}

const NOTHING = Buffer.alloc(0);

/** Of lines that are glued together, the last one is the line before. */
function lastLineIn(line: ScannedLine, writtenBy: string): Buffer | undefined {
  const { content } = line;
  if (content === undefined || decodeLine(content, writtenBy).kind !== "bad") return content;
  return splitGlued(line, writtenBy)?.at(-1)?.content ?? content;
}

function lastSeqOf(decoded: DecodedLine | undefined): number | undefined {
  if (decoded?.kind === "entry") return decoded.entry.seq;
  return decoded?.kind === "lost" ? decoded.last : undefined;
}
