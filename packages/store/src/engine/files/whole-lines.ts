/**
 * The whole lines of a session's files that speak of certain records, also where they are moved or glued to another: a repair
 * finds them all. Told by their checksums, so that records that are kept aside can be put beside the ones they were written with.
 */

import type { FileSystem } from "../../host/host.ts";
import type { ByteSource } from "../../session/byte-source.ts";
import { linesFrom, readHeaderLine } from "../../session/header-line.ts";
import { firstSeqOf, partsOf } from "../../session/log-part.ts";
import { openSegment } from "../../session/open-segment.ts";
import { segmentPath } from "../../session/segment-path.ts";
import type { FoundRecords, StandingRecord } from "../../session/settle-records.ts";
import { walkGoodLines, type LinesToWalk } from "../../session/walk-good-lines.ts";
import { CHECKPOINT_START } from "../../format/checkpoint.ts";
import { decodeLine } from "../../format/decode.ts";
import { HEADER_START, type Header } from "../../format/header.ts";
import type { Layout } from "../../format/layout.ts";
import { lineSum } from "../../format/line-checksum.ts";

/** Of lines that are no records. */
const STARTS = [Buffer.from(CHECKPOINT_START), HEADER_START];

/** `seqs`: the records that are asked for. Sealed files are read only if they may have one of them. */
export async function readWholeLines(
  { files, layout }: { readonly files: FileSystem; readonly layout: Layout },
  active: ByteSource,
  header: Header,
  seqs: ReadonlySet<number>,
): Promise<FoundRecords> {
  const found = new Collected(seqs);
  const writtenBy = header.id;
  for (const part of partsOf(header, 0, 0).slice(0, -1)) {
    const { file, first, last, isDropped } = part;
    if (isDropped || part.writtenBy !== writtenBy || !found.hasOneOf(first, last)) continue;
    const path = segmentPath(layout.segments, writtenBy, file);
    // What is wrong with it is in the report by itself.
    const opened = await openSegment(files, path, part, () => undefined, []);
    if (opened === undefined) continue;
    try {
      const { source } = opened;
      await found.collect(file, { source, writtenBy, seqBefore: first - 1, last });
    } finally {
      await opened.close();
    }
  }
  const seqBefore = firstSeqOf(header) - 1;
  found.lastSeq = seqBefore;
  await found.collect(header.file, { source: active, writtenBy, seqBefore, last: undefined });
  return found;
}

/** Somewhere in the session's files, whether it counts there or not. */
export function hasRecord(found: FoundRecords, seq: number, sum: string): boolean {
  return found.standing.get(seq)?.sum === sum || found.refused.get(seq)?.includes(sum) === true;
}

class Collected implements FoundRecords {
  lastSeq = 0;
  readonly standing = new Map<number, StandingRecord>();
  readonly refused = new Map<number, string[]>();
  readonly otherSums = new Map<number, Set<string>>();
  readonly #seqs: ReadonlySet<number>;

  constructor(seqs: ReadonlySet<number>) {
    this.#seqs = seqs;
  }

  hasOneOf(first: number, last: number): boolean {
    for (const seq of this.#seqs) if (seq >= first && seq <= last) return true;
    return false;
  }

  async collect(file: number, lines: Omit<LinesToWalk, "from" | "to">): Promise<void> {
    const { source, writtenBy, seqBefore } = lines;
    const header = await readHeaderLine(source);
    const from = linesFrom(header);
    if (from > 0) this.#addOther(seqBefore, header.content);
    await walkGoodLines(
      { ...lines, from, to: source.size },
      {
        entry: ({ seq }, { offset, bytes, content }) => {
          this.lastSeq = Math.max(this.lastSeq, seq);
          if (this.#seqs.has(seq) && content !== undefined)
            this.standing.set(seq, { sum: lineSum(content), offset, bytes, file });
        },
        refused: ({ seq }, { content }) => {
          if (!this.#seqs.has(seq) || content === undefined) return;
          const sums = this.refused.get(seq);
          if (sums === undefined) this.refused.set(seq, [lineSum(content)]);
          else sums.push(lineSum(content));
        },
        lost: ({ last }) => {
          this.lastSeq = Math.max(this.lastSeq, last);
        },
        // A misplaced one tells as well what a record was written after; so does a header that stands elsewhere.
        whole: ({ content }) => {
          if (
            content === undefined ||
            !STARTS.some((start) => content.subarray(0, start.length).equals(start))
          )
            return;
          const decoded = decodeLine(content, writtenBy);
          if (decoded.kind === "checkpoint") this.#addOther(decoded.checkpoint.state.seq, content);
          else if (decoded.kind === "header" && decoded.header.id === writtenBy)
            this.#addOther(seqBefore, content);
        },
        checkpoint: () => undefined,
        damage: () => undefined,
      },
    );
  }

  #addOther(seq: number, content: Buffer): void {
    if (!this.#seqs.has(seq)) return;
    const sums = this.otherSums.get(seq);
    if (sums === undefined) this.otherSums.set(seq, new Set([lineSum(content)]));
    else sums.add(lineSum(content));
  }
}
